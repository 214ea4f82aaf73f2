// The kernel's account of a program: a run skipped because the program was running already is counted.
#include "kernelside/program_account.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <linux/bpf.h>
#include <unistd.h>

#include <array>

#include <gtest/gtest.h>

#include "base/fd.h"

namespace ingero::kernelside {
namespace {

constexpr bpf_insn kPrint[] = {
    {BPF_ST | BPF_MEM | BPF_DW, BPF_REG_10, 0, -8, 'x'},  // "x"
    {BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_1, BPF_REG_10, 0, 0}, {BPF_ALU64 | BPF_ADD | BPF_K, BPF_REG_1, 0, 0, -8},
    {BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_2, 0, 0, 2},          {BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_trace_printk},
    {BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, 0},          {BPF_JMP | BPF_EXIT, 0, 0, 0, 0},
};

Fd load(bpf_prog_type type, bpf_prog_load_opts options) {
  options.sz = sizeof(options);
  return Fd(bpf_prog_load(type, "ingero_test", "GPL", kPrint, std::size(kPrint), &options));
}

// A program on the tracepoint that printing hits, which prints: it interrupts itself.
TEST(ProgramAccountTest, ARunThatInterruptsItselfIsSkippedAndCounted) {
  if (geteuid() != 0) GTEST_SKIP() << "BPF programs need root";
  btf* types = btf__load_vmlinux_btf();
  const int point =
      types != nullptr ? btf__find_by_name_kind(types, "btf_trace_bpf_trace_printk", BTF_KIND_TYPEDEF) : -1;
  btf__free(types);
  if (point < 0) GTEST_SKIP() << "this kernel has no tracepoint bpf_trace_printk";
  bpf_prog_load_opts on_print{};
  on_print.expected_attach_type = BPF_TRACE_RAW_TP;
  on_print.attach_btf_id = static_cast<uint32_t>(point);
  const Fd nested = load(BPF_PROG_TYPE_TRACING, on_print);
  const Fd outer = load(BPF_PROG_TYPE_RAW_TRACEPOINT, {});
  if (!nested.valid() || !outer.valid()) GTEST_SKIP() << "this machine refuses BPF: " << strerror(errno);
  const Fd link(bpf_raw_tracepoint_open(nullptr, nested.get()));
  ASSERT_TRUE(link.valid()) << strerror(errno);
  ASSERT_TRUE(account_of(nested.get()));
  EXPECT_EQ(account_of(nested.get())->skipped, 0U);
  // Prints once: the program runs, prints itself, and that second run is skipped. Others may print at the same time.
  bpf_test_run_opts once{};
  once.sz = sizeof(once);
  ASSERT_EQ(bpf_prog_test_run_opts(outer.get(), &once), 0) << strerror(errno);
  EXPECT_GE(account_of(nested.get())->skipped, 1U);
  EXPECT_EQ(account_of(outer.get())->skipped, 0U);
}

TEST(ProgramAccountTest, NothingIsKnownOfAProgramThatIsNotLoaded) { EXPECT_FALSE(account_of(-1)); }

}  // namespace
}  // namespace ingero::kernelside
