// Which file systems answer by themselves, from the kernel's own list.
#include "hal/mounts.h"

#include <sys/sysmacros.h>

#include <gtest/gtest.h>

namespace ingero::hal {
namespace {

constexpr std::string_view kText =
    "27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw,discard\n"
    "30 27 0:27 / /dev/shm rw - tmpfs tmpfs rw,size=24684096k\n"
    "41 27 0:40 / /home rw shared:7 master:2 - nfs4 server:/home rw,vers=4.2,addr=10.0.0.1\n"
    "42 27 0:39 / /mnt/with\\040blank rw - fuse.sshfs me@there: rw,user_id=1000,group_id=1000,allow_other\n"
    "43 27 0:38 / /cvmfs rw - fuse cvmfs2 ro,user_id=0,group_id=0,allow_other\n"
    "44 27 0:41 / /box rw - overlay overlay rw,lowerdir=/var/lib/a:/var/lib/b,upperdir=/var/up,workdir=/var/work\n"
    "45 27 0:42 / /netbox rw - overlay overlay rw,lowerdir=/home/base:/var/lib/b,upperdir=/var/up,workdir=/w\n"
    "46 27 0:43 / /hidden rw - overlay overlay rw,lowerdir=l/AAAA:l/BBBB,upperdir=/var/up,workdir=/w\n"
    "47 27 0:44 / /userbox rw - overlay overlay rw,lowerdir=/mnt/with\\040blank/x\n"
    "48 27 8:17 / /usb rw - fuseblk /dev/sdb1 rw,user_id=0,group_id=0\n"
    "49 27 0:45 / /lustre rw - lustre there@tcp:/fs rw\n"
    "not a line\n"
    "50 27 nonsense / /x rw - ext4 none rw\n";

TEST(Mounts, ReadsTheKernelsLinesAndNoOthers) {
  const Mounts mounts(kText);
  EXPECT_EQ(mounts.size(), 11U);
  ASSERT_NE(mounts.by_id(41), nullptr);
  EXPECT_EQ(mounts.by_id(41)->type, "nfs4");
  EXPECT_EQ(mounts.by_id(41)->device, makedev(0, 40));
  EXPECT_EQ(mounts.by_id(42)->untrusted_point, "/mnt/with blank");
  EXPECT_EQ(mounts.by_device(makedev(254, 0))->id, 27U);
  EXPECT_EQ(mounts.by_id(99), nullptr);
  EXPECT_EQ(mounts.by_device(makedev(0, 99)), nullptr);
  EXPECT_EQ(Mounts("").holding("/"), nullptr);
}

TEST(Mounts, APathLiesOnTheInnermostMount) {
  const Mounts mounts(kText);
  EXPECT_EQ(mounts.holding("/home/me/lib.so")->id, 41U);
  EXPECT_EQ(mounts.holding("/homework")->id, 27U) << "a name that only begins alike";
  EXPECT_EQ(mounts.holding("/home")->id, 41U);
  EXPECT_EQ(mounts.holding("/usr/lib")->id, 27U);
}

Reach reach(uint64_t id, bool is_ours = true) {
  const Mounts mounts(kText);
  return reach_of(*mounts.by_id(id), mounts, is_ours);
}

TEST(Mounts, OnlyKnownDisksAndMemoryAreLocal) {
  EXPECT_EQ(reach(27), Reach::kLocal);
  EXPECT_EQ(reach(30), Reach::kLocal);
  for (const uint64_t remote : {41, 43, 48, 49}) EXPECT_EQ(reach(remote), Reach::kRemote) << remote;
  EXPECT_EQ(reach(42), Reach::kUser);
  EXPECT_TRUE(is_local_type("tmpfs"));
  EXPECT_FALSE(is_disk_type("tmpfs")) << "others may be asked to fill it in";
  EXPECT_FALSE(is_local_type("made-up"));
  EXPECT_FALSE(is_local_type("hugetlbfs")) << "mapping it takes huge pages, and a cut one cannot be mended";
}

TEST(Mounts, AnOverlayIsWhatLiesBelowIt) {
  EXPECT_EQ(reach(44), Reach::kLocal);
  EXPECT_EQ(reach(45), Reach::kRemote) << "a layer on NFS";
  EXPECT_EQ(reach(46), Reach::kRemote) << "layers that cannot be found by name";
  EXPECT_EQ(reach(47), Reach::kUser) << "a layer that a user serves";
}

TEST(Mounts, InAUsersNamespaceWhatUsersMayMountIsTheirs) {
  EXPECT_EQ(reach(43, false), Reach::kUser);
  EXPECT_EQ(reach(44, false), Reach::kUser);
  EXPECT_EQ(reach(27, false), Reach::kLocal);
  EXPECT_EQ(reach(41, false), Reach::kRemote) << "no user can mount NFS";
}

}  // namespace
}  // namespace ingero::hal
