// What check says of devices and adapters: found ones with what they give, absent ones with a reason, bad files by
// name.
#include "agent/check/device_checks.h"

#include <fstream>

#include "backends/registry.h"
#include "unit/cli/cli_fixture.h"

namespace ingero::agent {
namespace {

using cli::TemporaryFolder;

class DeviceChecks : public TemporaryFolder {
 protected:
  const DeviceFinding& finding(const std::string& name) {
    hal::SamplerWorld world;
    world.sys_root = folder_;
    world.management_library = path("libnone.so");
    findings_ = device_findings(backends::all_backends(), world);
    for (const DeviceFinding& one : findings_) {
      if (one.name == name) return one;
    }
    ADD_FAILURE() << "no finding " << name;
    static const DeviceFinding kNone;
    return kNone;
  }
  std::vector<DeviceFinding> findings_;
};

TEST_F(DeviceChecks, AbsenceHasAReason) {
  EXPECT_FALSE(finding("cuda: devices").found);
  EXPECT_NE(finding("cuda: devices").detail.find("libnone.so"), std::string::npos);
  EXPECT_EQ(finding("rdma: adapters").value, "none");
}

TEST_F(DeviceChecks, AdaptersAndBadFilesAreNamed) {
  const std::string port = folder_ + "/class/infiniband/fab0/ports/1/hw_counters";
  std::filesystem::create_directories(port);
  std::ofstream(port + "/good") << "1\n";
  std::ofstream(port + "/bad") << "N/A\n";
  EXPECT_TRUE(finding("rdma: fab0").found);
  EXPECT_EQ(finding("rdma: fab0").value, "1 ports, 1 counters");
  EXPECT_NE(finding("rdma: " + port + "/bad").detail.find("N/A"), std::string::npos);
}

}  // namespace
}  // namespace ingero::agent
