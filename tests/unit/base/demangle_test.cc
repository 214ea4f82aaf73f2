// Names of C++ functions, of libraries that are right and of libraries that are not.
#include "base/demangle.h"

#include <csignal>
#include <cstdlib>
#include <ctime>
#include <string>
#include <thread>

#include <gtest/gtest.h>

namespace ingero {
namespace {

double cpu_seconds() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

// "cv" and template arguments `depth` deep: the compiler's demangler reads each level twice.
std::string slow_name(int depth) {
  std::string name = "_ZN1Acv";
  for (int i = 0; i < depth; ++i) name += "T_I";
  return name + "i" + std::string(static_cast<size_t>(depth), 'E') + "Ev";
}

// f(P, P<int, int>, P<P<int, int>, P<int, int>>, ...): each argument is twice as long as the one before it.
std::string long_name(int arguments) {
  std::string name = "_Z1f1PIiiE";
  for (int i = 0; i < arguments; ++i) {
    const std::string last = std::string("S") + "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i] + "_";
    name += "S_I" + last + last + "E";
  }
  return name;
}

TEST(Demangle, NamesFunctionsAndLeavesOtherNamesAlone) {
  EXPECT_EQ(demangled("_ZN2ns1fEi"), "ns::f(int)");
  EXPECT_EQ(demangled("_ZNSt6vectorIiSaIiEE9push_backERKi"),
            "std::vector<int, std::allocator<int> >::push_back(int const&)");
  EXPECT_EQ(demangled("_Z1fv.cold"), "f() [clone .cold]");
  EXPECT_EQ(demangled("_Z1f1PIiiE"), "f(P<int, int>)");
  for (const char* other : {"main", "_Znonsense", "_Z", ""}) EXPECT_EQ(demangled(other), other);
}

TEST(Demangle, LongTextsAreCut) {
  const std::string text = demangled(long_name(30));  // a thousand million times "P<int, int>"
  EXPECT_EQ(text.size(), kLongestDemangled);
  EXPECT_TRUE(text.starts_with("f(P<int, int>, P<P<int, int>, P<int, int> >, "));
  EXPECT_LT(demangled(long_name(2)).size(), kLongestDemangled);
}

#if !defined(__SANITIZE_THREAD__)  // its signals wait until the computation ends
// In threads that block signals, as the agent's do, and whose timers are their own.
TEST(Demangle, NamesThatTakeForeverAreLeft) {
  std::thread([] {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
    const double before = cpu_seconds();
    const std::string slow = slow_name(60);
    EXPECT_EQ(demangled(slow), slow);
    EXPECT_LT(cpu_seconds() - before, 0.5);
    EXPECT_EQ(demangled("_ZN2ns1fEi"), "ns::f(int)");
    sigset_t now;
    pthread_sigmask(SIG_BLOCK, nullptr, &now);
    EXPECT_EQ(sigismember(&now, SIGVTALRM), 1);
  }).join();
  EXPECT_EQ(demangled("_ZN2ns1fEi"), "ns::f(int)");
}

// A library with thousands of them does not take the agent's time for ever. In a process of its own: nothing is named
// in it any more.
TEST(Demangle, ManyNamesThatTakeForeverEndIt) {
  const auto ends_well = [] {
    const double before = cpu_seconds();
    for (int i = 0; i < 2000; ++i) {
      const std::string slow = slow_name(60 + i % 100);
      if (demangled(slow) != slow) return 1;
    }
    if (cpu_seconds() - before > 5.0) return 2;
    return demangled("_ZN2ns1fEi") == "_ZN2ns1fEi" ? 0 : 3;
  };
  EXPECT_EXIT(std::exit(ends_well()), testing::ExitedWithCode(0), "");
}
#endif

}  // namespace
}  // namespace ingero
