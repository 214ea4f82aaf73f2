// Which frame of a stack is named as the place a call was made from.
#include "symbols/frame.h"

#include <gtest/gtest.h>

namespace ingero::symbols {
namespace {

StackFrame native(std::string symbol, std::string file, uint32_t line = 0) {
  StackFrame frame;
  frame.symbol = std::move(symbol);
  frame.file = std::move(file);
  if (frame.symbol.empty()) frame.ip = 0x4a31;
  if (line != 0) {
    frame.source = "/src/a.c";
    frame.line = line;
  }
  return frame;
}

StackFrame python(std::string file, std::string function) {
  StackFrame frame;
  frame.python_file = std::move(file);
  frame.python_function = std::move(function);
  frame.python_line = 3;
  return frame;
}

const StackFrame kCall = native("clFinish", "/usr/lib/libOpenCL.so.1.0.0");
// As Debian's C library has them where its debug information is installed.
const StackFrame kStart = native("__libc_start_call_main+0x7a", "/usr/lib/libc.so.6", 58);
const StackFrame kThread = native("start_thread+0x304", "/usr/lib/libc.so.6", 442);
const StackFrame kEntry = native("_start+0x21", "/usr/bin/clpeak");

TEST(LineOf, AStrippedProgramsOwnFrameIsNamedAndNotWhereItStarted) {
  const std::vector<StackFrame> frames = {kCall, native("", "/usr/bin/clpeak"), native("", "/usr/bin/clpeak"), kStart,
                                          kEntry};
  EXPECT_EQ(line_of(frames), &frames[1]);
}

TEST(LineOf, AFrameWithALineComesFirstAndAProgramsBeforeALibrarys) {
  const std::vector<StackFrame> with_line = {kCall, native("", "/usr/bin/a"), native("main+0x1", "/usr/bin/a", 7),
                                             kStart};
  EXPECT_EQ(line_of(with_line), &with_line[2]);
  const std::vector<StackFrame> of_library = {kCall, native("av_run+0x9", "/usr/lib/libavutil.so.57"),
                                              native("", "/usr/bin/ffmpeg"), kStart};
  EXPECT_EQ(line_of(of_library), &of_library[2]);
  const std::vector<StackFrame> on_a_thread_of_the_library = {kCall, native("av_run+0x9", "/usr/lib/libavutil.so.57"),
                                                              kThread, native("clone3+0x2c", "/usr/lib/libc.so.6", 81)};
  EXPECT_EQ(line_of(on_a_thread_of_the_library), &on_a_thread_of_the_library[1]);
  const std::vector<StackFrame> without_a_name = {kCall, native("", "/usr/lib/libffi.so.8"), kThread};
  EXPECT_EQ(line_of(without_a_name), nullptr);
  const std::vector<StackFrame> inside_the_called_one = {kCall, native("inner+0x9", kCall.file), kThread};
  EXPECT_EQ(line_of(inside_the_called_one), nullptr);
  const std::vector<StackFrame> linked_statically = {native("cudaMalloc", "/usr/bin/a"), native("", "/usr/bin/a"),
                                                     kEntry};
  EXPECT_EQ(line_of(linked_statically), &linked_statically[1]);
}

TEST(LineOf, PythonComesBeforeNativeFrames) {
  const std::vector<StackFrame> frames = {kCall, native("main+0x1", "/usr/bin/a", 7),
                                          python("/usr/lib/python3/site.py", "f"), python("/home/u/train.py", "step"),
                                          kStart};
  EXPECT_EQ(line_of(frames), &frames[3]);
}

StackFrame in_source(std::string symbol, std::string source, bool is_inlined) {
  StackFrame frame = native(std::move(symbol), "/home/u/train", 7);
  frame.source = std::move(source);
  frame.is_inlined = is_inlined;
  return frame;
}

TEST(LibraryOf, IsWhatTheLineCalledAndNotTheSystem) {
  const auto native = [](std::string symbol, std::string file) {
    StackFrame frame;
    frame.symbol = std::move(symbol);
    frame.file = std::move(file);
    return frame;
  };
  const auto python = [](std::string file, std::string function) {
    StackFrame frame;
    frame.python_file = std::move(file);
    frame.python_function = std::move(function);
    return frame;
  };
  std::vector<StackFrame> frames = {native("clock_nanosleep+0x23", "/usr/lib/libc.so.6"),
                                    native("sqliteDefaultBusyCallback", "/usr/lib/libsqlite3.so.0.8.6"),
                                    native("sqlite3_step+0x1", "/usr/lib/libsqlite3.so.0.8.6"),
                                    native("execute", "/usr/lib/python3.11/lib-dynload/_sqlite3.so"),
                                    native("eval", "/usr/lib/libpython3.11.so.1.0"),
                                    python("/srv/train.py", "record")};
  EXPECT_EQ(library_of(frames, frames.back(), true), &frames[2]);
  EXPECT_EQ(library_of(frames, frames.front(), true), nullptr);
  frames.erase(frames.begin() + 1, frames.begin() + 3);
  EXPECT_EQ(library_of(frames, frames.back(), true), nullptr) << "the interpreter's own module sleeps for the program";
  frames.insert(frames.begin() + 1, python("/usr/lib/python3.11/logging/handlers.py", "rotate"));
  frames.insert(frames.begin() + 2, python("/usr/lib/python3.11/logging/__init__.py", "info"));
  EXPECT_EQ(library_of(frames, frames.back(), true), &frames[1]);
  EXPECT_EQ(library_of(frames, frames.back(), false), &frames[2]) << "what the line waits in is what it called";
}

TEST(LineOf, OfTheProgramsOwnTheFunctionIsNamedAndNotWhatItInlines) {
  const StackFrame wait = in_source("wait<run()::<lambda()> >", "/usr/include/c++/12/condition_variable", true);
  const std::vector<StackFrame> helpers = {
      native("futex_wait+0x9", "/usr/lib/libc.so.6", 8), wait, in_source("now()", "/home/u/clock.h", true),
      in_source("decode()+0x5", "/home/u/train.cc", false), in_source("main+0x5", "/home/u/train.cc", false)};
  EXPECT_EQ(line_of(helpers), &helpers[3]);
  EXPECT_EQ(line_of_thread(helpers), &helpers[3]);
  // What is called once, main has inlined; what a library runs, it may have.
  const std::vector<StackFrame> in_main = {wait, in_source("decode()", "/home/u/train.cc", true),
                                           in_source("main+0x5", "/home/u/train.cc", false)};
  EXPECT_EQ(line_of_thread(in_main), &in_main[1]);
  const std::vector<StackFrame> on_a_thread = {
      in_source("operator()", "/home/u/train.cc", true),
      in_source("std::thread::_State_impl<run()::{lambda()#1}>::_M_run()+0xc", "/usr/include/c++/12/thread", false),
      in_source("outer()+0x5", "/home/u/train.cc", false)};
  EXPECT_EQ(line_of_thread(on_a_thread), &on_a_thread[0]);
}

// What a library calls back says little by itself.
TEST(CallerOf, NativeCodeIsTheNextFunctionOfTheProgram) {
  const std::vector<StackFrame> frames = {in_source("compare()+0x2", "/home/u/load.cc", false),
                                          native("msort_with_tmp.part.0+0x29", "/usr/lib/libc.so.6", 64),
                                          native("qsort_r+0xb6", "/usr/lib/libc.so.6", 296),
                                          in_source("compare()+0x9", "/home/u/load.cc", false),
                                          in_source("inlined()", "/home/u/load.cc", true),
                                          in_source("sort_tokens()+0x26", "/home/u/load.cc", false),
                                          in_source("main+0x1", "/home/u/load.cc", false)};
  EXPECT_EQ(line_of_thread(frames), &frames[0]);
  EXPECT_EQ(caller_of(frames, frames[0]), &frames[5]);
  EXPECT_EQ(caller_of(frames, frames[6]), nullptr);
}

TEST(WaitsForOwnLock, IsWhatNothingButTheInterpreterStandsInFrontOf) {
  const StackFrame wait = native("sem_clockwait+0x9", "/usr/lib/libc.so.6", 8),
                   eval = native("", "/usr/bin/python3.11");
  const StackFrame own = python("/srv/train.py", "step");
  std::vector<StackFrame> frames = {wait, eval, own};
  EXPECT_TRUE(waits_for_own_lock(frames, frames.back()));
  frames.insert(frames.begin() + 2, native("", "/usr/lib/python3.11/lib-dynload/_multiprocessing.cpython-311.so"));
  EXPECT_TRUE(waits_for_own_lock(frames, frames.back())) << "one that processes share";
  frames[2] = python("/usr/lib/python3.11/threading.py", "wait");
  EXPECT_FALSE(waits_for_own_lock(frames, frames.back())) << "a condition, or a queue";
  frames[2] = native("", "/usr/lib/python3.11/lib-dynload/_queue.cpython-311.so");
  EXPECT_FALSE(waits_for_own_lock(frames, frames.back())) << "a queue";
  frames[2] = native("c10::ivalue::Future::wait()", "/opt/torch/lib/libtorch_cpu.so");
  EXPECT_FALSE(waits_for_own_lock(frames, frames.back())) << "a library that has its reasons";
  EXPECT_FALSE(waits_for_own_lock({own}, own)) << "it is not known what it waited in";
  const std::vector<StackFrame> of_no_program = {wait, eval,
                                                 python("/usr/lib/python3.11/threading.py", "Condition.wait")};
  EXPECT_FALSE(waits_for_own_lock(of_no_program, of_no_program.back())) << "a thread that the library runs";
  const std::vector<StackFrame> mutex = {native("pthread_mutex_lock+0x9", "/usr/lib/libc.so.6", 8),
                                         native("step()+0x5", "/srv/train", 7)};
  EXPECT_TRUE(waits_for_own_lock(mutex, mutex.back()));
  const std::vector<StackFrame> condition = {native("pthread_cond_wait+0x9", "/usr/lib/libc.so.6", 8), mutex.back()};
  EXPECT_FALSE(waits_for_own_lock(condition, condition.back()));
}

TEST(LineOf, OfTheSystemAndTheInterpreterNothingIsNamed) {
  const std::vector<StackFrame> frames = {native("clock_nanosleep+0x2", "/usr/lib/libc.so.6"),
                                          native("pysleep", "/usr/lib/libpython3.11.so.1.0", 2159),
                                          native("std::__condvar::wait(std::mutex&)", "/home/u/train"), kThread};
  EXPECT_EQ(line_of_thread(frames), nullptr);
}

TEST(LineOf, WhereNothingElseIsKnownNothingIsNamed) {
  for (const StackFrame& start : {kStart, kThread, kEntry, native("start_thread", "/usr/bin/static-program", 12),
                                  native("[unknown]", ""), native("[more]", "")}) {
    EXPECT_EQ(line_of({kCall, start}), nullptr) << start.symbol;
  }
}

}  // namespace
}  // namespace ingero::symbols
