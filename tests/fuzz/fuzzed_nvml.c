// A device library whose every answer is the harness's bytes: statuses, numbers, counts that are larger than what was
// asked for, texts without an end. It writes no more than it was given room for, as the real one does.
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { kNotSupported = 3 };

static const uint8_t* answers;
static size_t left;

void fuzzed_nvml_answers(const uint8_t* bytes, size_t size) {
  answers = bytes;
  left = size;
}

// As far as the bytes go; what is behind stays as it was.
static void fill(void* out, size_t size) {
  const size_t part = size < left ? size : left;
  if (part == 0) return;
  memcpy(out, answers, part);
  answers += part;
  left -= part;
}

// Most answers are good; without bytes nothing is known any more.
static int status(void) {
  uint8_t byte = 0;
  if (left == 0) return kNotSupported;
  fill(&byte, 1);
  return byte < 240 ? 0 : byte - 240;
}

static int text(char* out, unsigned size) {
  uint8_t length = 0;
  fill(&length, 1);
  fill(out, length < size ? length : size);
  return status();
}

static int value(void* out, size_t size) {
  const int result = status();
  if (result == 0) fill(out, size);
  return result;
}

#define OF_DEVICE(name, type)                    \
  int nvmlDevice##name(void* device, type* out); \
  int nvmlDevice##name(void* device, type* out) { return (void)device, value(out, sizeof(*out)); }
#define OF_PART(name, type)                                \
  int nvmlDevice##name(void* device, int part, type* out); \
  int nvmlDevice##name(void* device, int part, type* out) { return (void)device, (void)part, value(out, sizeof(*out)); }

typedef struct {
  char bytes[68];
} Pci;
typedef struct {
  uint32_t gpu, memory;
} Utilization;
typedef struct {
  uint64_t total, free, used;
} Memory;
typedef struct {
  uint32_t pid;
  uint64_t used_bytes;
  uint32_t gpu_instance, compute_instance;
} Process;
typedef struct {
  uint8_t bytes[40];
} FieldValue;

int nvmlDeviceGetSamples(void* device, int type, unsigned long long since, uint32_t* value_type, uint32_t* count,
                         void* out);
int nvmlDeviceGetSamples(void* device, int type, unsigned long long since, uint32_t* value_type, uint32_t* count,
                         void* out) {
  enum { kSample = 16 };
  const uint32_t room = *count;
  (void)device, (void)type, (void)since;
  fill(value_type, sizeof(*value_type));
  fill(count, sizeof(*count));  // may be more than there is room for
  fill(out, (size_t)kSample * (*count < room ? *count : room));
  return status();
}

OF_DEVICE(GetPciInfo_v3, Pci)
OF_DEVICE(GetUtilizationRates, Utilization)
OF_DEVICE(GetMemoryInfo, Memory)
OF_DEVICE(GetPowerUsage, unsigned)
OF_DEVICE(GetEnforcedPowerLimit, unsigned)
OF_DEVICE(GetTotalEnergyConsumption, uint64_t)
OF_DEVICE(GetCurrentClocksThrottleReasons, uint64_t)
OF_DEVICE(GetCurrPcieLinkGeneration, unsigned)
OF_DEVICE(GetCurrPcieLinkWidth, unsigned)
OF_DEVICE(GetPcieReplayCounter, unsigned)
OF_DEVICE(GetMaxMigDeviceCount, unsigned)
OF_PART(GetClockInfo, unsigned)
OF_PART(GetTemperature, unsigned)
OF_PART(GetPcieThroughput, unsigned)
OF_PART(GetNvLinkState, int)

int nvmlInit_v2(void) { return status(); }
int nvmlShutdown(void) { return 0; }
const char* nvmlErrorString(int code) {
  static char words[16];
  fill(words, sizeof(words) - 1);
  return code % 2 == 0 ? words : NULL;
}
int nvmlSystemGetDriverVersion(char* out, unsigned size) { return text(out, size); }
int nvmlDeviceGetCount_v2(unsigned* count) { return value(count, sizeof(*count)); }
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) { return (void)index, (void)device, status(); }
int nvmlDeviceGetMigDeviceHandleByIndex(void* device, unsigned index, void** partition) {
  return (void)device, (void)index, (void)partition, status();
}
int nvmlDeviceGetUUID(void* device, char* out, unsigned size) { return (void)device, text(out, size); }
int nvmlDeviceGetName(void* device, char* out, unsigned size) { return (void)device, text(out, size); }
int nvmlDeviceGetTotalEccErrors(void* device, int type, int counter, uint64_t* out) {
  return (void)device, (void)type, (void)counter, value(out, sizeof(*out));
}
int nvmlDeviceGetNvLinkErrorCounter(void* device, unsigned link, int counter, uint64_t* out) {
  return (void)device, (void)link, (void)counter, value(out, sizeof(*out));
}
int nvmlDeviceGetFieldValues(void* device, int count, FieldValue* values) {
  return (void)device, value(values, (size_t)count * sizeof(*values));
}
int nvmlDeviceGetMigMode(void* device, unsigned* current, unsigned* pending) {
  *pending = 0;
  return (void)device, value(current, sizeof(*current));
}
// The count need not be that of what was written.
static int processes(unsigned* count, Process* out) {
  const int result = status();
  const unsigned room = *count;
  uint16_t written = 0;
  fill(&written, sizeof(written));
  fill(count, sizeof(*count));
  if (result == 0) fill(out, (written < room ? written : room) * sizeof(*out));
  return result;
}
int nvmlDeviceGetComputeRunningProcesses_v3(void* device, unsigned* count, Process* out) {
  return (void)device, processes(count, out);
}
int nvmlDeviceGetGraphicsRunningProcesses_v3(void* device, unsigned* count, Process* out) {
  return (void)device, processes(count, out);
}
