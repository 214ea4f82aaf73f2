// Calls of the Level Zero loader; without a driver zeInit fails, and each call still goes through the loader.
#include <level_zero/ze_api.h>
#include <stdint.h>
#include <stdio.h>

int main(void) {
  const ze_result_t started = zeInit(0);
  uint32_t count = 0;
  for (int i = 0; i < 16; ++i) (void)zeDriverGet(&count, NULL);
  printf("zeInit 0x%x, %u drivers\n", (unsigned)started, count);
  return 0;
}
