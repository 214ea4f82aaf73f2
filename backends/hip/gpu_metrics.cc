// Offsets by version. A field of all ones is one that the chip does not have.
#include "backends/hip/gpu_metrics.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include <fmt/format.h>

namespace ingero::backends::hip {
namespace {

using hal::ReadingId;

struct Layout {
  uint8_t major, minor;
  uint16_t bytes;  // of the whole table: a driver that changed it without a new number is not believed
  // Offsets; 0: the version has no such field.
  uint16_t hotspot, memory_temperature, vr_soc, hbm;  // degrees Celsius; hbm: four of them
  uint16_t activity, memory_activity;                 // percent
  uint16_t power;                                     // watts
  uint16_t energy;                                    // 2^-16 joules
  uint16_t throttle;                                  // 64 bits, the same for all chips
  uint16_t replays;
  uint16_t links_read, links_written;  // kibibytes, eight links each
};
constexpr Layout kLayouts[] = {
    {1, 1, 96, 6, 8, 12, 88, 16, 18, 22, 0, 0, 0, 0, 0},
    {1, 2, 104, 6, 8, 12, 88, 16, 18, 22, 0, 0, 0, 0, 0},
    {1, 3, 120, 6, 8, 12, 88, 16, 18, 22, 0, 112, 0, 0, 0},
    {1, 4, 288, 4, 6, 8, 0, 12, 14, 10, 24, 0, 88, 104, 168},
    {1, 5, 360, 4, 6, 8, 0, 12, 14, 10, 88, 0, 152, 176, 240},
    {1, 6, 384, 4, 6, 8, 0, 12, 14, 10, 88, 0, 176, 200, 264},
};
constexpr size_t kHbm = 4, kLinks = 8;
// Bits of the throttle status (amdgpu_smu.h): limits of power, then of current, then temperatures, then others.
constexpr uint64_t kPower = 0x00000000ffffffff, kThermal = 0x00ffffff00000000, kOthers = 0xff00000000000000;

template <typename Word>
std::optional<Word> word_at(std::string_view table, size_t offset) {
  if (offset == 0 || offset + sizeof(Word) > table.size()) return std::nullopt;
  Word word;
  std::memcpy(&word, table.data() + offset, sizeof word);
  if (word == static_cast<Word>(~Word{0})) return std::nullopt;
  return word;
}

class Adder {
 public:
  explicit Adder(hal::Device& device) : device_(device) {}
  template <typename Word>
  void add(ReadingId id, std::optional<Word> word, double unit, std::string part = {}) {
    if (!word) return;
    const bool known = std::any_of(device_.readings.begin(), device_.readings.end(), [&](const hal::Reading& reading) {
      return reading.id == id && reading.part == part;
    });
    if (!known) device_.add(id, static_cast<double>(*word) * unit, std::move(part));
  }

 private:
  hal::Device& device_;
};

}  // namespace

std::string add_gpu_metrics(std::string_view table, hal::Device& device) {
  if (table.empty()) return {};
  if (table.size() < 4) return fmt::format("{}: gpu_metrics is truncated", device.pci_address);
  uint16_t bytes = 0;
  std::memcpy(&bytes, table.data(), sizeof bytes);
  const auto major = static_cast<uint8_t>(table[2]), minor = static_cast<uint8_t>(table[3]);
  const auto* layout = std::find_if(std::begin(kLayouts), std::end(kLayouts),
                                    [&](const Layout& one) { return one.major == major && one.minor == minor; });
  if (layout == std::end(kLayouts)) {
    return fmt::format("{}: gpu_metrics has the layout {}.{}, which is not supported", device.pci_address, major,
                       minor);
  }
  if (bytes != layout->bytes || table.size() < bytes) {
    return fmt::format("{}: gpu_metrics {}.{} has {} bytes, of which {} came, instead of {}", device.pci_address, major,
                       minor, bytes, table.size(), layout->bytes);
  }
  Adder adder(device);
  // As the driver's hwmon labels them, where it has them.
  adder.add(ReadingId::temperature_celsius, word_at<uint16_t>(table, layout->hotspot), 1, "junction");
  adder.add(ReadingId::temperature_celsius, word_at<uint16_t>(table, layout->memory_temperature), 1, "mem");
  adder.add(ReadingId::temperature_celsius, word_at<uint16_t>(table, layout->vr_soc), 1, "vrsoc");
  for (size_t i = 0; layout->hbm != 0 && i < kHbm; ++i) {
    adder.add(ReadingId::temperature_celsius, word_at<uint16_t>(table, layout->hbm + 2 * i), 1,
              fmt::format("hbm{}", i));
  }
  adder.add(ReadingId::utilization_ratio, word_at<uint16_t>(table, layout->activity), 0.01);
  adder.add(ReadingId::memory_utilization_ratio, word_at<uint16_t>(table, layout->memory_activity), 0.01);
  adder.add(ReadingId::power_watts, word_at<uint16_t>(table, layout->power), 1);
  adder.add(ReadingId::energy_joules_total, word_at<uint64_t>(table, layout->energy), 1.0 / 65536);
  adder.add(ReadingId::pcie_replays_total, word_at<uint64_t>(table, layout->replays), 1);
  if (const auto throttle = word_at<uint64_t>(table, layout->throttle)) {
    const auto any = [&](uint64_t bits) { return std::optional<int>((*throttle & bits) != 0 ? 1 : 0); };
    adder.add(ReadingId::throttle_power_active, any(kPower), 1);
    adder.add(ReadingId::throttle_thermal_active, any(kThermal), 1);
    adder.add(ReadingId::throttle_hw_active, any(kOthers), 1);
  }
  for (size_t i = 0; layout->links_read != 0 && i < kLinks; ++i) {
    const std::string link = fmt::format("xgmi{}", i);
    adder.add(ReadingId::link_rx_bytes_total, word_at<uint64_t>(table, layout->links_read + 8 * i), 1024, link);
    adder.add(ReadingId::link_tx_bytes_total, word_at<uint64_t>(table, layout->links_written + 8 * i), 1024, link);
  }
  return {};
}

}  // namespace ingero::backends::hip
