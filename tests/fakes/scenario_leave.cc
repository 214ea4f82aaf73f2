// Scenarios about calls that are left without a return: longjmp, exception, end of the thread or process, exec. After
// each, an ordinary call shows that the thread's bookkeeping survived.
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csetjmp>
#include <cstdio>
#include <cstring>

#include <pthread.h>

#include "fakes/scenario.h"

namespace ingero::fakes {
namespace {

// The line of a call that will not come back to print it.
struct Leaving {
  const char* symbol = "cudaStreamSynchronize";
  uint64_t stream = 0;
  const char* outcome = "";
  uint64_t start_ns = 0;
  void print_line() const {
    Line line;
    line.symbol = symbol;
    line.start_ns = start_ns;
    line.args = pair("stream", stream);
    line.outcome = outcome;
    print(line);
  }
};

void enter(Leaving& leaving, void (*inside)(void*)) {
  api.runtime()->argument = &leaving;
  api.runtime()->inside = inside;
  leaving.start_ns = now_ns();
  api.cudaStreamSynchronize(reinterpret_cast<void*>(leaving.stream));
}

jmp_buf jump_target;

// Static, because what changes between setjmp and longjmp must not live in the frame that is jumped to.
Leaving outer, inner;
uint64_t jump_round;

[[noreturn]] void jump_away(void*) { longjmp(jump_target, 1); }

void jump_from_two_deep(void*) {
  inner.stream = 0x8000 + jump_round;
  enter(inner, jump_away);
}

void* exit_thread(void* pointer) {
  auto* leaving = static_cast<Leaving*>(pointer);
  enter(*leaving, [](void* in) {
    static_cast<Leaving*>(in)->print_line();
    pthread_exit(nullptr);
  });
  die("a thread came back from pthread_exit");
}

}  // namespace

int run_longjmp(const Settings& settings) {
  static uint64_t times;
  times = settings.number(0, 3);
  outer.outcome = inner.outcome = "unwound";
  wait_for_go(settings);
  for (jump_round = 0; jump_round < times; ++jump_round) {
    outer.stream = 0x7000 + jump_round;
    const bool nested = jump_round % 2 == 1;
    if (setjmp(jump_target) == 0) {
      enter(outer, nested ? jump_from_two_deep : jump_away);
      die("a call returned that should have been jumped out of");
    }
    if (jump_round % 2 == 1) inner.print_line();
    outer.print_line();
    print(synchronize(0x7f000 + jump_round));
  }
  return 0;
}

int run_exception(const Settings& settings) {
  const uint64_t times = settings.number(0, 3);
  wait_for_go(settings);
  for (uint64_t i = 0; i < times; ++i) {
    Leaving leaving{"cudaStreamSynchronize", 0x9000 + i, "unwound", 0};
    try {
      enter(leaving, [](void*) { throw 1; });
      die("a call returned that should have been thrown out of");
    } catch (int) {
      leaving.print_line();
    }
    print(synchronize(0x9f000 + i));
  }
  return 0;
}

// By turns a thread that ends inside its call, and a process that does.
int run_exit_inside(const Settings& settings) {
  const uint64_t times = settings.number(0, 4);
  wait_for_go(settings);
  for (uint64_t i = 0; i < times; ++i) {
    Leaving leaving{"cudaStreamSynchronize", 0xa000 + i, "exited", 0};
    if (i % 2 == 0) {
      pthread_t thread;
      if (pthread_create(&thread, nullptr, exit_thread, &leaving) != 0) die("pthread_create failed");
      pthread_join(thread, nullptr);
    } else {
      const pid_t child = fork();
      if (child < 0) die(std::string("fork: ") + strerror(errno));
      if (child == 0) {
        enter(leaving, [](void* in) {
          static_cast<Leaving*>(in)->print_line();
          _exit(3);
        });
        die("a process came back from _exit");
      }
      int status = 0;
      if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 3) {
        die("a child did not end as it should");
      }
    }
    print(synchronize(0xaf000 + i));
  }
  return 0;
}

// The process becomes another program inside a call; that one makes ordinary calls under the same pid.
int run_exec_inside(const Settings& settings) {
  wait_for_go(settings);
  static Settings kept;
  kept = settings;
  Leaving leaving{"cudaStreamSynchronize", 0xb000, "execed", 0};
  enter(leaving, [](void* in) {
    static_cast<Leaving*>(in)->print_line();
    const std::string linger = std::to_string(kept.linger_ms);
    execl(kept.self.c_str(), kept.self.c_str(), "threads", "1", "2", "--library", kept.directory.c_str(), "--linger-ms",
          linger.c_str(), static_cast<char*>(nullptr));
    die(std::string("exec: ") + strerror(errno));
  });
  return 1;
}

}  // namespace ingero::fakes
