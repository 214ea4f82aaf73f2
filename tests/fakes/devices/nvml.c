// A stand-in libnvidia-ml.so.1: three devices that answer as the real library does where tests need it to.
//
//   0  everything, throttled by power and heat, two links, three processes (one without a known size)
//   1  identity only: everything else is not supported
//   2  a device cut into partitions, one in use
// INGERO_FAKE_NVML=no-driver: the library is there, the driver is not. =lost: the device count cannot be read.
// =hang: a call does not return. =whole: no device is partitioned. =mixed: nor are all of one model. =cool: as
// whole, and 0 is not throttled, and computes at 1.5 GHz; then with INGERO_FAKE_NVML_HOT=FILE it is hot, and slow, once
// FILE is there.
#include <unistd.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kSuccess = 0, kInvalid = 2, kNotSupported = 3, kNotFound = 6, kTooSmall = 7, kNotLoaded = 9, kGpuLost = 15 };
typedef struct {
  char bus_id_legacy[16];
  unsigned domain, bus, device, device_id, subsystem_id;
  char bus_id[32];
} PciInfo;
typedef struct {
  unsigned gpu, memory;
} Utilization;
typedef struct {
  unsigned long long wall_us;
  unsigned value, unused;
} Sample;
typedef struct {
  unsigned long long total, free, used;
} Memory;
typedef struct {
  unsigned pid;
  unsigned long long used_bytes;
  unsigned gpu_instance, compute_instance;
} Process;
typedef struct {
  unsigned field, scope;
  long long timestamp, latency_us;
  unsigned type;
  int status;
  unsigned long long value;
} FieldValue;

static int is_cool(void) {
  const char* file = getenv("INGERO_FAKE_NVML_HOT");
  const char* set = getenv("INGERO_FAKE_NVML");
  return set != NULL && strcmp(set, "cool") == 0 && (file == NULL || access(file, F_OK) != 0);
}

static int devices[4];  // 3 is the partition of 2
static long number(const void* device) { return (const int*)device - devices; }
static int mode(const char* word) {
  const char* set = getenv("INGERO_FAKE_NVML");
  return set != NULL && strcmp(set, word) == 0;
}
#define ONLY_FIRST(device) \
  if (number(device) != 0) return kNotSupported

int nvmlInit_v2(void) { return mode("no-driver") ? kNotLoaded : kSuccess; }
int nvmlShutdown(void) { return kSuccess; }
const char* nvmlErrorString(int status) { return status == kNotLoaded ? "Driver Not Loaded" : "Unknown Error"; }
int nvmlSystemGetDriverVersion(char* out, unsigned size) {
  snprintf(out, size, "575.51.03");
  return kSuccess;
}
int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = 3;
  return mode("lost") ? kGpuLost : kSuccess;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  if (index > 2) return kInvalid;
  *device = &devices[index];
  return kSuccess;
}
int nvmlDeviceGetUUID(void* device, char* out, unsigned size) {
  static const char* const names[] = {
      "GPU-00000000-1111-2222-3333-444444444444", "GPU-10000000-1111-2222-3333-444444444444",
      "GPU-20000000-1111-2222-3333-444444444444", "MIG-30000000-1111-2222-3333-444444444444"};
  snprintf(out, size, "%s", names[number(device)]);
  return kSuccess;
}
int nvmlDeviceGetName(void* device, char* out, unsigned size) {
  snprintf(out, size, "%s",
           number(device) == 3                    ? "NVIDIA H100 MIG 1g.10gb"
           : number(device) == 1 && mode("mixed") ? "NVIDIA L4"
                                                  : "NVIDIA H100");
  return kSuccess;
}
int nvmlDeviceGetPciInfo_v3(void* device, PciInfo* out) {
  if (number(device) == 3) return kNotSupported;
  snprintf(out->bus_id, sizeof(out->bus_id), "00000000:%lX:00.0", 0x3b + number(device));
  return kSuccess;
}
int nvmlDeviceGetMemoryInfo(void* device, Memory* out) {
  if (number(device) == 1) return kNotSupported;
  *out = (Memory){80000000000ULL, 60000000000ULL, 19000000000ULL};
  return kSuccess;
}
int nvmlDeviceGetUtilizationRates(void* device, Utilization* out) {
  ONLY_FIRST(device);
  if (mode("hang")) sleep(3600);
  *out = (Utilization){87, 42};
  return kSuccess;
}
/* Five a second, of which each fourth is at rest; none older than three seconds. */
int nvmlDeviceGetSamples(void* device, int type, unsigned long long since_us, unsigned* value_type, unsigned* count,
                         Sample* out) {
  struct timespec now;
  ONLY_FIRST(device);
  if (type != 1) return kNotSupported;
  clock_gettime(CLOCK_REALTIME, &now);
  const unsigned long long now_us = (unsigned long long)now.tv_sec * 1000000 + (unsigned long long)now.tv_nsec / 1000;
  unsigned made = 0;
  for (unsigned long long slot = (now_us - 3000000) / 200000; slot < now_us / 200000 && made < *count; ++slot) {
    if (slot * 200000 <= since_us) continue;
    out[made++] = (Sample){slot * 200000, slot % 4 ? 80 : 0, 0};
  }
  *value_type = 1;
  *count = made;
  return made ? kSuccess : kNotFound;
}
int nvmlDeviceGetClockInfo(void* device, int type, unsigned* mhz) {
  ONLY_FIRST(device);
  if (type == 3) return kNotSupported;
  *mhz = (is_cool() ? 1400U : 1000U) + 100U * (unsigned)type;
  return kSuccess;
}
int nvmlDeviceGetPowerUsage(void* device, unsigned* milliwatts) {
  ONLY_FIRST(device);
  *milliwatts = 650500;
  return kSuccess;
}
int nvmlDeviceGetEnforcedPowerLimit(void* device, unsigned* milliwatts) {
  ONLY_FIRST(device);
  *milliwatts = 700000;
  return kSuccess;
}
int nvmlDeviceGetTotalEnergyConsumption(void* device, unsigned long long* millijoules) {
  ONLY_FIRST(device);
  *millijoules = 123456789;
  return kSuccess;
}
int nvmlDeviceGetTemperature(void* device, int sensor, unsigned* celsius) {
  ONLY_FIRST(device);
  *celsius = sensor == 0 ? 71 : 0;
  return kSuccess;
}
int nvmlDeviceGetCurrentClocksThrottleReasons(void* device, unsigned long long* reasons) {
  ONLY_FIRST(device);
  *reasons = is_cool() ? 0 : 0x4 | 0x40;
  return kSuccess;
}
int nvmlDeviceGetTotalEccErrors(void* device, int type, int counter, unsigned long long* count) {
  ONLY_FIRST(device);
  if (counter != 0) return kInvalid;
  *count = type == 0 ? 5 : 1;
  return kSuccess;
}
int nvmlDeviceGetPcieThroughput(void* device, int counter, unsigned* kibibytes) {
  ONLY_FIRST(device);
  *kibibytes = counter == 0 ? 100 : 200;
  return kSuccess;
}
int nvmlDeviceGetCurrPcieLinkGeneration(void* device, unsigned* value) {
  ONLY_FIRST(device);
  *value = 5;
  return kSuccess;
}
int nvmlDeviceGetCurrPcieLinkWidth(void* device, unsigned* value) {
  ONLY_FIRST(device);
  *value = 16;
  return kSuccess;
}
int nvmlDeviceGetPcieReplayCounter(void* device, unsigned* value) {
  ONLY_FIRST(device);
  *value = 0;
  return kSuccess;
}
int nvmlDeviceGetNvLinkState(void* device, unsigned link, int* active) {
  ONLY_FIRST(device);
  if (link > 1) return kInvalid;
  *active = link == 0;
  return kSuccess;
}
int nvmlDeviceGetNvLinkErrorCounter(void* device, unsigned link, int counter, unsigned long long* count) {
  ONLY_FIRST(device);
  if (counter > 2) return kNotSupported;
  *count = link * 10 + (unsigned)counter;
  return kSuccess;
}
int nvmlDeviceGetFieldValues(void* device, int count, FieldValue* values) {
  ONLY_FIRST(device);
  for (int i = 0; i < count; ++i) {
    values[i].status = values[i].scope == ~0U ? kSuccess : kInvalid;
    values[i].type = 3;
    values[i].value = values[i].field == 139 ? 7 : 9;
  }
  return kSuccess;
}
int nvmlDeviceGetComputeRunningProcesses_v3(void* device, unsigned* count, Process* out) {
  ONLY_FIRST(device);
  if (*count < 3) {
    *count = 3;
    return kTooSmall;
  }
  out[0] = (Process){4242, 1000000, ~0U, ~0U};
  out[1] = (Process){4243, ~0ULL, ~0U, ~0U};
  out[2] = (Process){4244, 3000000, ~0U, ~0U};
  *count = 3;
  return kSuccess;
}
int nvmlDeviceGetMigMode(void* device, unsigned* current, unsigned* pending) {
  *current = *pending = number(device) == 2 && !mode("whole") && !mode("mixed") && !mode("cool");
  return kSuccess;
}
int nvmlDeviceGetMaxMigDeviceCount(void* device, unsigned* count) {
  *count = number(device) == 2 ? 7 : 0;
  return kSuccess;
}
int nvmlDeviceGetMigDeviceHandleByIndex(void* device, unsigned index, void** partition) {
  if (number(device) != 2 || index != 3) return kInvalid;
  *partition = &devices[3];
  return kSuccess;
}
