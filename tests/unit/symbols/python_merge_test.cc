// Python frames among native ones: each run where its C function stands, and no guess where the two do not fit.
#include "symbols/python_merge.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

namespace ingero::symbols {
namespace {

// "p" a Python frame, "P" one that is the outermost of its run.
std::vector<wire_python_frame> python(const std::string& text) {
  std::vector<wire_python_frame> frames;
  for (const char c : text) {
    frames.push_back({0, 0, c == 'P' ? static_cast<uint32_t>(WIRE_PYTHON_ENTRY) : 0U});
  }
  return frames;
}

struct Options {
  bool native_whole = true;
  wire_python_outcome outcome = WIRE_PYTHON_WHOLE;
};

// Native frames: "E" the interpreter's function, "n" any other. The result: native as given, Python as "0".."9"; "?"
// behind it when not placed.
std::string merged(const std::string& native, const std::string& python_frames, Options options = {}) {
  const auto is_eval = std::make_unique<bool[]>(native.size());
  for (size_t i = 0; i < native.size(); ++i) is_eval[i] = native[i] == 'E';
  const auto frames = python(python_frames);
  const MergedStack stack = merge_python({is_eval.get(), native.size()}, frames, options.native_whole, options.outcome);
  std::string text;
  for (const StackSlot& slot : stack.frames) {
    text += slot.is_python ? static_cast<char>('0' + slot.index) : native[slot.index];
  }
  return text + (stack.placed ? "" : "?");
}

TEST(PythonMerge, PutsOneRunBeforeItsFunction) { EXPECT_EQ(merged("nnEnn", "ppP"), "nn012Enn"); }

TEST(PythonMerge, PutsEachRunBeforeItsOwn) {
  EXPECT_EQ(merged("nEnnEEn", "pPPpP"), "n01Enn2E34En");
  EXPECT_EQ(merged("nEnEn", "PP"), "n0En1En");
}

TEST(PythonMerge, LeavesNativeStacksAlone) {
  EXPECT_EQ(merged("nnn", ""), "nnn");
  EXPECT_EQ(merged("", ""), "");
  // a thread whose frames could not be found, though it runs Python
  EXPECT_EQ(merged("nEn", "", {.outcome = WIRE_PYTHON_NONE}), "nEn");
  EXPECT_EQ(merged("nEn", "", {.outcome = WIRE_PYTHON_UNREADABLE}), "nEn");
}

TEST(PythonMerge, PutsTheRestLastWhereTheNativeStackWasCut) {
  EXPECT_EQ(merged("nEn", "pPpP", {.native_whole = false}), "n01En23");
  EXPECT_EQ(merged("nn", "pP", {.native_whole = false}), "nn01");
}

TEST(PythonMerge, LeavesOuterFunctionsEmptyWherePythonWasCut) {
  EXPECT_EQ(merged("nEnEnEn", "pPpp", {.outcome = WIRE_PYTHON_CUT}), "n01En23EnEn");
  EXPECT_EQ(merged("nEnEn", "pP", {.outcome = WIRE_PYTHON_UNREADABLE}), "n01EnEn");
}

TEST(PythonMerge, DoesNotGuessWhenTheCountsDisagree) {
  EXPECT_EQ(merged("nEnEn", "pP"), "01nEnEn?");  // a function without a run
  EXPECT_EQ(merged("nEn", "PP"), "01nEn?");      // a run without a function
  EXPECT_EQ(merged("nn", "pP"), "01nn?");        // no function at all
  EXPECT_EQ(merged("nEn", "pp"), "01nEn?");      // a run without an end
}

TEST(PythonMerge, NoFrameIsLostOrDoubled) {
  for (const std::string native : {"", "n", "E", "nEnE", "EE", "EnnE"}) {
    for (const std::string frames : {"", "p", "P", "pP", "PP", "pPpPp"}) {
      for (const bool whole : {false, true}) {
        for (const auto outcome : {WIRE_PYTHON_WHOLE, WIRE_PYTHON_CUT, WIRE_PYTHON_UNREADABLE}) {
          std::string text = merged(native, frames, {whole, outcome});
          if (text.ends_with('?')) text.pop_back();
          std::string natives;
          std::string numbers;
          for (const char c : text) (c >= '0' && c <= '9' ? numbers : natives) += c;
          EXPECT_EQ(natives, native);
          EXPECT_EQ(numbers, std::string("0123456789").substr(0, frames.size()));
        }
      }
    }
  }
}

}  // namespace
}  // namespace ingero::symbols
