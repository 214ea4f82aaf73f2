// fork() one after the other, until SIGTERM; then says how long the longest took: {"forks": N, "worst_ms": X}.
// What stops fork() on the machine stops this, and it needs none to say so.
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t over;
static void end(int number) {
  (void)number;
  over = 1;
}

static double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

int main(void) {
  unsigned long forks = 0;
  double worst = 0;
  signal(SIGTERM, end);
  while (!over) {
    const double begin = now_ms();
    const pid_t child = fork();
    if (child == 0) _exit(0);
    const double took = now_ms() - begin;
    if (took > worst) worst = took;
    if (child > 0) waitpid(child, NULL, 0);
    ++forks;
    usleep(2000);
  }
  printf("{\"forks\": %lu, \"worst_ms\": %.3f}\n", forks, worst);
  return 0;
}
