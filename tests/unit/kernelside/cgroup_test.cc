// Container, pod, job and rank out of the spellings that runtimes, schedulers and launchers really use.
#include "kernelside/cgroup.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "hal/slow_settings.h"

namespace ingero::kernelside {
namespace {

using namespace std::string_literals;

const std::string kId = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
const std::string kId2 = "fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210";
const std::string kPod = "12345678-90ab-cdef-1234-567890abcdef";

TEST(Cgroup, EveryContainerSpellingGivesTheId) {
  const std::string under = "12345678_90ab_cdef_1234_567890abcdef";
  for (const std::string& path : {
           "/docker/" + kId,
           "/system.slice/docker-" + kId + ".scope",
           "/system.slice/containerd.service/kubepods-burstable-pod" + under + ".slice:cri-containerd:" + kId,
           "/kubepods/burstable/pod" + kPod + "/" + kId,
           "/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod" + under + ".slice/cri-containerd-" +
               kId + ".scope",
           "/kubepods.slice/kubepods-pod" + under + ".slice/crio-" + kId + ".scope",
           "/machine.slice/libpod-" + kId + ".scope/container",
           "/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" + kId + ".scope",
           "/ecs/0a1b/" + kId,
           "/../../docker/" + kId,
       }) {
    const auto names = parse_cgroup("0::" + path + "\n");
    EXPECT_EQ(names.container_id, kId) << path;
    EXPECT_EQ(names.path, path);
    const bool in_pod = path.find("pod1234") != std::string::npos;
    EXPECT_EQ(names.pod_uid, in_pod ? kPod : "") << path;
  }
}

TEST(Cgroup, WhatOnlyLooksLikeAnIdIsNone) {
  std::string upper = kId;
  upper[10] = 'A';
  for (const std::string& path : {
           "/docker/" + kId.substr(1),
           "/docker/" + kId + "0",
           "/docker/" + upper,
           "/docker/x" + kId,
           "/machine.slice/libpod-conmon-" + kId + ".scope",
           "/kubepods.slice/crio-conmon-" + kId + ".scope",
           "/session-12.scope"s,
       }) {
    EXPECT_EQ(parse_cgroup("0::" + path + "\n").container_id, "") << path;
  }
  for (const std::string& path : {"/podium/x"s, "/pod12345678-90ab-cdef-1234-567890abcdeg"s, "/tripod" + kPod,
                                  "/pod" + kPod + "f", "/pod12345678-90ab-cdef-1234567890abcdef0"s}) {
    EXPECT_EQ(parse_cgroup("0::" + path + "\n").pod_uid, "") << path;
  }
}

TEST(Cgroup, StaticPodsHaveAHashForAnUid) {
  const auto names = parse_cgroup("0::/kubepods.slice/kubepods-pod0123456789abcdef0123456789abcdef.slice/x\n");
  EXPECT_EQ(names.pod_uid, "0123456789abcdef0123456789abcdef");
}

TEST(Cgroup, TheInnermostOfNestedContainersWins) {
  const auto names = parse_cgroup("0::/docker/" + kId + "/kubepods/pod" + kPod + "/" + kId2 + "\n");
  EXPECT_EQ(names.container_id, kId2);
}

TEST(Cgroup, HybridHostsNameTheProcessInV1) {
  // As Slurm 22.05 leaves it: nothing in v2.
  const auto names = parse_cgroup(
      "9:name=systemd:/\n6:freezer:/slurm_vm/uid_0/job_27/step_0\n4:memory:/slurm_vm/uid_0/job_27/step_0/task_0\n"
      "1:cpu,cpuacct:/\n0::/\n");
  EXPECT_EQ(names.path, "/slurm_vm/uid_0/job_27/step_0/task_0");
  EXPECT_EQ(names.v2_path, "/");
  EXPECT_EQ(names.slurm_job, "27");
}

TEST(Cgroup, TheV2PathIsPreferredWhereItSaysSomething) {
  const auto names = parse_cgroup("4:memory:/a/very/long/path/of/version/one\n0::/short\n");
  EXPECT_EQ(names.path, "/short");
}

TEST(Cgroup, SlurmJobsUnderV2AndNoOthers) {
  EXPECT_EQ(parse_cgroup("0::/system.slice/slurmstepd.scope/job_4711/step_0/user/task_0\n").slurm_job, "4711");
  EXPECT_EQ(parse_cgroup("0::/system.slice/n1_slurmstepd.scope/job_8/step_batch\n").slurm_job, "8");
  EXPECT_EQ(parse_cgroup("0::/ci/job_4711/step_0\n").slurm_job, "");
  EXPECT_EQ(parse_cgroup("0::/slurm/job_47x/step_0\n").slurm_job, "");
}

TEST(Cgroup, GarbageGivesNothing) {
  for (const std::string& text : {""s, "\n\n"s, "0"s, "0:"s, "0::"s, "::::\n"s, "0::no/slash\n"s,
                                  std::string(1 << 16, ':'), std::string(1 << 16, '\0')}) {
    const auto names = parse_cgroup(text);
    EXPECT_EQ(names.path, "");
    EXPECT_EQ(names.container_id, "");
  }
  EXPECT_LE(parse_cgroup("0::/" + std::string(1 << 20, 'a')).path.size(), 4096U);
}

TEST(Environ, TheTrainingScriptsOwnRankComesFirst) {
  // torchrun under srun: one Slurm task per node, eight ranks in it.
  const auto names = parse_environ(
      "SLURM_PROCID=1\0SLURM_NTASKS=2\0SLURM_LOCALID=0\0SLURM_JOB_ID=99\0RANK=13\0LOCAL_RANK=5\0WORLD_SIZE=16\0"s);
  EXPECT_EQ(names.rank, 13);
  EXPECT_EQ(names.local_rank, 5);
  EXPECT_EQ(names.world_size, 16);
  EXPECT_EQ(names.slurm_job, "99");
}

TEST(Environ, EveryLauncherIsKnown) {
  for (const std::string& text : {
           "SLURM_PROCID=3\0SLURM_LOCALID=1\0SLURM_NTASKS=4\0"s,
           "OMPI_COMM_WORLD_RANK=3\0OMPI_COMM_WORLD_LOCAL_RANK=1\0OMPI_COMM_WORLD_SIZE=4\0"s,
           "MV2_COMM_WORLD_RANK=3\0MV2_COMM_WORLD_LOCAL_RANK=1\0MV2_COMM_WORLD_SIZE=4\0"s,
           "PMI_RANK=3\0MPI_LOCALRANKID=1\0PMI_SIZE=4\0"s,
       }) {
    const auto names = parse_environ(text);
    EXPECT_EQ(names.rank, 3) << text;
    EXPECT_EQ(names.local_rank, 1) << text;
    EXPECT_EQ(names.world_size, 4) << text;
  }
}

// The backends' tables are published by their registry, which this room does not see.
constexpr hal::SlowSetting kSettings[] = {
    {"CUDA_LAUNCH_BLOCKING", hal::TimeClass::kSubmit, ""},
    {"HIP_LAUNCH_BLOCKING", hal::TimeClass::kSubmit, ""},
    {"AMD_SERIALIZE_KERNEL", hal::TimeClass::kSubmit, ""},
    {"AMD_SERIALIZE_COPY", hal::TimeClass::kSubmit, ""},
    {"PYTORCH_NO_CUDA_MEMORY_CACHING", hal::TimeClass::kAllocate, ""},
    {"NCCL_P2P_DISABLE", hal::TimeClass::kCommunication, ""},
    {"NCCL_SHM_DISABLE", hal::TimeClass::kCommunication, ""},
    {"NCCL_IB_DISABLE", hal::TimeClass::kCommunication, ""},
};
constexpr std::span<const hal::SlowSetting> kTables[] = {kSettings};
const bool kIsPublished = [] {
  hal::publish_slow_settings(kTables);
  return true;
}();

TEST(Environ, TheVariablesThatAreReadAreReported) {
  ASSERT_TRUE(kIsPublished);
  const auto& reported = job_variables();
  for (const char* name : {"RANK",
                           "LOCAL_RANK",
                           "WORLD_SIZE",
                           "SLURM_PROCID",
                           "SLURM_LOCALID",
                           "SLURM_NTASKS",
                           "SLURM_JOB_ID",
                           "SLURM_JOBID",
                           "OMPI_COMM_WORLD_RANK",
                           "OMPI_COMM_WORLD_LOCAL_RANK",
                           "OMPI_COMM_WORLD_SIZE",
                           "MV2_COMM_WORLD_RANK",
                           "MV2_COMM_WORLD_LOCAL_RANK",
                           "MV2_COMM_WORLD_SIZE",
                           "PMI_RANK",
                           "MPI_LOCALRANKID",
                           "PMI_SIZE",
                           "TORCHELASTIC_RUN_ID",
                           "PMIX_NAMESPACE",
                           "OMPI_MCA_ess_base_jobid",
                           "MASTER_ADDR",
                           "MASTER_PORT"}) {
    EXPECT_EQ(std::count(reported.begin(), reported.end(), name), 1) << name;
  }
  EXPECT_EQ(reported.size(), 34U);
}

TEST(Environ, SettingsThatSlowAreKeptAndNothingElseIs) {
  const auto names = parse_environ("HOME=/root\0CUDA_LAUNCH_BLOCKING=1\0NCCL_IB_DISABLE=1\0API_KEY=secret\0"s);
  EXPECT_EQ(names.settings, "CUDA_LAUNCH_BLOCKING=1 NCCL_IB_DISABLE=1");
  // A value that is not one: too long, or with characters that no setting has.
  EXPECT_EQ(parse_environ("NCCL_IB_DISABLE=" + std::string(33, 'A') + '\0').settings, "");
  EXPECT_EQ(parse_environ("NCCL_IB_DISABLE=$(id) x\0"s).settings, "");
}

TEST(Environ, LaunchersAreNeverMixed) {
  const auto names = parse_environ("RANK=3\0SLURM_PROCID=0\0SLURM_LOCALID=0\0SLURM_NTASKS=1\0"s);
  EXPECT_EQ(names.rank, 3);
  EXPECT_EQ(names.local_rank, -1);
  EXPECT_EQ(names.world_size, -1);
}

TEST(Environ, AnImpossibleRankIsNone) {
  const auto names = parse_environ("RANK=8\0WORLD_SIZE=8\0PMI_RANK=1\0PMI_SIZE=2\0"s);
  EXPECT_EQ(names.rank, 1);
  EXPECT_EQ(names.world_size, 2);
  for (const std::string& text :
       {"RANK=-1\0"s, "RANK=\0"s, "RANK=1x\0"s, "RANK= 1\0"s, "RANK=99999999999\0"s, "XRANK=1\0"s, "rank=1\0"s}) {
    EXPECT_EQ(parse_environ(text).rank, -1) << text;
  }
}

TEST(Environ, AnEntryThatMayBeCutIsNotBelieved) {
  EXPECT_EQ(parse_environ("A=b\0RANK=1"s).rank, -1);
  EXPECT_EQ(parse_environ("A=b\0RANK=1\0"s).rank, 1);
  EXPECT_EQ(parse_environ("RANK=1").rank, -1);
}

TEST(Environ, TheLauncherNamesTheJob) {
  const auto job = [](const std::string& text) { return parse_environ(text).launcher_job; };
  EXPECT_EQ(job("TORCHELASTIC_RUN_ID=train-7\0MASTER_ADDR=gpu-01\0MASTER_PORT=29500\0"s), "train-7");
  EXPECT_EQ(job("TORCHELASTIC_RUN_ID=none\0MASTER_ADDR=gpu-01\0MASTER_PORT=29500\0"s), "gpu-01:29500");
  EXPECT_EQ(job("PMIX_NAMESPACE=prterun-gpu-01-4711@1\0OMPI_MCA_ess_base_jobid=9\0"s), "prterun-gpu-01-4711@1");
  EXPECT_EQ(job("OMPI_MCA_ess_base_jobid=1094647809\0"s), "1094647809");
  // Of this machine alone: another machine's jobs have the same.
  EXPECT_EQ(job("MASTER_ADDR=127.0.0.1\0MASTER_PORT=29500\0"s), "localhost:29500");
  // What no name is: nothing of an environment is kept by mistake.
  EXPECT_EQ(job("TORCHELASTIC_RUN_ID=a b\0MASTER_ADDR=$(id)\0MASTER_PORT=1\0"s), "");
  EXPECT_EQ(job("TORCHELASTIC_RUN_ID=" + std::string(65, 'a') + '\0'), "");
  EXPECT_EQ(job("MASTER_ADDR=gpu-01\0"s), "");
}

TEST(Environ, AJobIdIsANumber) {
  EXPECT_EQ(parse_environ("SLURM_JOB_ID=1; DROP TABLE events\0"s).slurm_job, "");
  EXPECT_EQ(parse_environ("SLURM_JOBID=5\0"s).slurm_job, "5");
  EXPECT_EQ(parse_environ("SLURM_JOB_ID=6\0SLURM_JOBID=5\0"s).slurm_job, "6");
}

}  // namespace
}  // namespace ingero::kernelside
