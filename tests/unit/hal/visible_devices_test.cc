// What a process's numbers of devices mean, for each way of choosing among them that vendors document.
#include "hal/visible_devices.h"

#include <map>

#include <gtest/gtest.h>

namespace ingero::hal::testing {
namespace {

// As the first vendor has it: the order is its own unless asked for, UUIDs of 12 characters, partitions.
constexpr VisibleList kChosen[] = {{.variable = "LET_IN", .of_container = true}, {.variable = "VISIBLE"}};
constexpr DeviceNaming kOrdered{.lists = kChosen,
                                .order_variable = "ORDER",
                                .order_by_bus = "BUS",
                                .uuid_prefix = "GPU-",
                                .uuid_length = 12,
                                .partition_prefix = "MIG-"};
// As the second has it: two lists, the second read under two names.
constexpr VisibleList kComposed[] = {{.variable = "OUTER"},
                                     {.variable = "DOUBTED", .empty_hides_all = false, .is_doubtful = true},
                                     {.variable = "INNER", .empty_hides_all = false},
                                     {.variable = "OTHER", .only_without = "INNER", .empty_hides_all = false}};
constexpr DeviceNaming kPlain{.lists = kComposed, .uuid_prefix = "GPU-", .uuid_length = 12};

class VisibleDevicesTest : public ::testing::Test {
 protected:
  VisibleDevicesTest() {
    for (uint32_t i = 0; i < 4; ++i) add(i, "model");
  }
  void add(uint32_t position, const std::string& name, const std::string& parent = {}) {
    Device device;
    device.vendor = "v";
    device.position = position;
    device.name = name;
    device.parent_uuid = parent;
    device.uuid = parent.empty() ? "GPU-aaaa000" + std::to_string(position) : "MIG-bbbb0000";
    device.pci_address = "0000:0" + std::to_string(position) + ":00.0";
    machine.push_back(device);
  }
  VisibleDevices see(const DeviceNaming& naming = kOrdered) const {
    return visible_devices(
        naming,
        [this](std::string_view name) {
          const auto found = variables.find(name);
          return found == variables.end() ? std::nullopt : std::optional<std::string_view>(found->second);
        },
        in_container, machine);
  }
  // The machine's numbers of the first devices the process sees: "2 0 - " (a dash: not known).
  std::string numbers(const DeviceNaming& naming = kOrdered, int count = 5) const {
    const VisibleDevices seen = see(naming);
    std::string text;
    for (int32_t i = 0; i < count; ++i) {
      const EventDevice device = seen.at(i);
      text += (device.gpu_id ? std::to_string(*device.gpu_id) : "-") + " ";
    }
    return text;
  }

  std::map<std::string, std::string, std::less<>> variables;
  std::vector<Device> machine;
  bool in_container = false;
};

TEST_F(VisibleDevicesTest, WithoutAnyListAlikeDevicesKeepTheMachinesOrder) {
  EXPECT_EQ(numbers(), "0 1 2 3 - ");
  EXPECT_EQ(see().at(2).uuid, "GPU-aaaa0002");
  EXPECT_EQ(see().at(2).pci_address, "0000:02:00.0");
  EXPECT_FALSE(see().at(-1).is_known());
  EXPECT_EQ(see().only(), nullptr);
}

TEST_F(VisibleDevicesTest, DevicesOfSeveralModelsAreInAnUnknownOrderUnlessTheBusGivesIt) {
  machine[1].name = "faster";
  EXPECT_EQ(numbers(), "- - - - - ");
  variables["ORDER"] = "BUS";
  EXPECT_EQ(numbers(), "0 1 2 3 - ");
  variables["ORDER"] = "FASTEST_FIRST";
  EXPECT_EQ(numbers(), "- - - - - ");
}

TEST_F(VisibleDevicesTest, AListChoosesAndOrders) {
  variables["VISIBLE"] = "2,0";
  EXPECT_EQ(numbers(), "2 0 - - - ");
  variables["VISIBLE"] = "3";
  ASSERT_NE(see().only(), nullptr);
  EXPECT_EQ(see().only()->gpu_id, 3U);
}

TEST_F(VisibleDevicesTest, TheFirstInvalidEntryEndsTheList) {
  for (const char* list : {"1,2,-1,0", "1,2,9", "1,2,,3", "1,2,NoDevFiles", "1,2,GPU-zzz,0"}) {
    variables["VISIBLE"] = list;
    EXPECT_EQ(numbers(), "1 2 - - - ") << list;
  }
  for (const char* list : {"", "-1", "none"}) {
    variables["VISIBLE"] = list;
    EXPECT_EQ(numbers(), "- - - - - ") << list;
    EXPECT_EQ(see().only(), nullptr) << list;
  }
}

TEST_F(VisibleDevicesTest, WhatIsNotDocumentedIsNotKnown) {
  for (const char* list : {"1,1", "1x,2", "0x1", " 1", "1, 2"}) {
    variables["VISIBLE"] = list;
    EXPECT_EQ(numbers(), "- - - - - ") << list;
  }
}

TEST_F(VisibleDevicesTest, UuidsNeedNoOrderAndMayBeShortened) {
  machine[1].name = "faster";
  variables["VISIBLE"] = "GPU-aaaa0003,gpu-AAAA0001";
  EXPECT_EQ(numbers(), "3 1 - - - ");
  machine[2].uuid = "GPU-cccc0002";
  variables["VISIBLE"] = "GPU-c,0";
  EXPECT_EQ(numbers(), "2 - - - - ") << "the number's order is not known, the UUID needs none";
  variables["VISIBLE"] = "GPU-a,GPU-c";
  EXPECT_EQ(numbers(), "- - - - - ") << "the start of several is none";
}

TEST_F(VisibleDevicesTest, APartitionIsItsWholeDevicesNumberAndItsOwnUuid) {
  add(2, "model 1g", "GPU-aaaa0002");
  EXPECT_EQ(numbers(), "- - - - - ") << "how partitions are numbered is not documented";
  variables["VISIBLE"] = "MIG-bbbb0000";
  ASSERT_NE(see().only(), nullptr);
  EXPECT_EQ(see().only()->gpu_id, 2U);
  EXPECT_EQ(see().only()->uuid, "MIG-bbbb0000");
  EXPECT_EQ(see().only()->pci_address, "0000:02:00.0");
  variables["VISIBLE"] = "MIG-GPU-aaaa0001/7/0";
  EXPECT_EQ(see().at(0).gpu_id, 1U);
  EXPECT_EQ(see().at(0).uuid, "MIG-GPU-aaaa0001/7/0");
}

TEST_F(VisibleDevicesTest, WithoutASamplerOnlyBusOrderAndWholeUuidsSaySomething) {
  machine.clear();
  EXPECT_EQ(numbers(), "- - - - - ");
  variables["ORDER"] = "BUS";
  EXPECT_EQ(numbers(), "0 1 2 3 4 ");
  variables["VISIBLE"] = "6,GPU-eeee0000,GPU-e,1";
  EXPECT_EQ(numbers(), "6 - - 1 - ");
  EXPECT_EQ(see().at(1).uuid, "GPU-eeee0000");
  EXPECT_FALSE(see().at(2).is_known());
  in_container = true;
  EXPECT_EQ(numbers(), "- - - - - ") << "which devices are in it is not known";
  EXPECT_EQ(see().at(1).uuid, "GPU-eeee0000");
}

TEST_F(VisibleDevicesTest, AContainerShowsWhatItsMakerLetIn) {
  variables["LET_IN"] = "3,1";
  EXPECT_EQ(numbers(), "0 1 2 3 - ") << "outside of a container the variable means nothing";
  in_container = true;
  EXPECT_EQ(numbers(), "1 3 - - - ") << "in the machine's order";
  variables["VISIBLE"] = "1";
  EXPECT_EQ(numbers(), "3 - - - - ");
  variables["LET_IN"] = "GPU-aaaa0002";
  variables["VISIBLE"] = "0";
  EXPECT_EQ(numbers(), "2 - - - - ");
  variables.erase("VISIBLE");
  variables["LET_IN"] = "all";
  EXPECT_EQ(numbers(), "0 1 2 3 - ");
  for (const char* reported : {"void", "none", "", "9", "MIG-bbbb0000"}) {
    variables["LET_IN"] = reported;
    EXPECT_EQ(numbers(), "- - - - - ") << reported;
  }
  variables.erase("LET_IN");
  EXPECT_EQ(numbers(), "- - - - - ");
  EXPECT_EQ(numbers(kPlain), "- - - - - ") << "a vendor without such a variable";
}

TEST_F(VisibleDevicesTest, TheOnlyDeviceIsItWhateverTheProcessCallsIt) {
  machine.resize(1);
  in_container = true;
  EXPECT_EQ(numbers(), "0 - - - - ");
  variables["VISIBLE"] = "0x0";
  EXPECT_EQ(numbers(), "0 - - - - ");
  variables["VISIBLE"] = "";
  EXPECT_EQ(numbers(), "- - - - - ");
}

TEST_F(VisibleDevicesTest, ListsComposeInTheirOrder) {
  variables["OUTER"] = "3,2,1";
  EXPECT_EQ(numbers(kPlain), "3 2 1 - - ");
  variables["INNER"] = "2,0";
  EXPECT_EQ(numbers(kPlain), "1 3 - - - ");
  variables["OTHER"] = "0";
  EXPECT_EQ(numbers(kPlain), "1 3 - - - ") << "read only where the other is not set";
  variables["INNER"] = "";
  EXPECT_EQ(numbers(kPlain), "3 - - - - ");
  variables["OTHER"] = "GPU-aaaa0002";
  EXPECT_EQ(numbers(kPlain), "2 - - - - ");
  variables["DOUBTED"] = "1";
  variables["OTHER"] = "0";
  EXPECT_EQ(numbers(kPlain), "- - - - - ");
}

TEST_F(VisibleDevicesTest, AllVariablesAreNamedOnce) {
  EXPECT_EQ(variables_of(kPlain), (std::vector<std::string_view>{"DOUBTED", "INNER", "OTHER", "OUTER"}));
  EXPECT_EQ(variables_of(kOrdered), (std::vector<std::string_view>{"LET_IN", "ORDER", "VISIBLE"}));
}

}  // namespace
}  // namespace ingero::hal::testing
