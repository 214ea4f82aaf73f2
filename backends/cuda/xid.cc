// Reads the line's fields; the numbers' meanings are those of the vendor's Xid catalogue.
#include "backends/cuda/xid.h"

#include <algorithm>
#include <cctype>
#include <iterator>

#include "base/text.h"

namespace ingero::backends::cuda {
namespace {

struct Meaning {
  int64_t code;
  std::string_view sentence;
};
constexpr Meaning kMeanings[] = {
    {13, "Graphics engine exception: often an out-of-bounds access of the program."},
    {31, "GPU memory page fault: the program used an address that is not mapped."},
    {32, "Invalid or corrupted push buffer stream."},
    {38, "Driver firmware error."},
    {43, "GPU stopped processing: the program's work was ended by an error of its own."},
    {45, "Preemptive cleanup: channels were torn down after an earlier error."},
    {48, "Double-bit ECC error."},
    {61, "Internal microcontroller breakpoint or warning."},
    {62, "Internal microcontroller halt."},
    {63, "ECC page retirement or row remapping was recorded."},
    {64, "ECC page retirement or row remapping could not be recorded."},
    {68, "Video processor exception."},
    {69, "Graphics engine class error."},
    {74, "NVLink error."},
    {79, "GPU has fallen off the bus."},
    {92, "High rate of single-bit ECC errors."},
    {94, "Contained ECC error: only the program using that memory is affected."},
    {95, "Uncontained ECC error: the GPU must be reset."},
    {109, "Context switch timeout."},
    {119, "GSP firmware did not answer in time."},
    {120, "GSP firmware error."},
    {121, "Corrected error of the chip-to-chip link."},
    {140, "Unrecovered ECC error."},
};

std::string_view meaning_of(int64_t code) {
  const auto* at =
      std::find_if(std::begin(kMeanings), std::end(kMeanings), [&](const Meaning& m) { return m.code == code; });
  return at == std::end(kMeanings) ? std::string_view{} : at->sentence;
}

// "0000:3b:00" or "0000:3b:00.0", any case; behind it, of a partition, " GPU-I:05" or " GPU-I:01 GPU-CI:02".
std::string pci_address_of(std::string_view text) {
  std::string address = printable(text.substr(0, text.find(' ')), 32);
  std::transform(address.begin(), address.end(), address.begin(), [](unsigned char c) { return std::tolower(c); });
  if (std::count(address.begin(), address.end(), ':') != 2) return {};
  if (address.find('.') == std::string::npos) address += ".0";
  return address;
}

std::string_view take_until(std::string_view& rest, std::string_view end) {
  const size_t at = rest.find(end);
  const std::string_view head = rest.substr(0, at);
  rest = at == std::string_view::npos ? std::string_view{} : rest.substr(at + end.size());
  return head;
}

}  // namespace

std::optional<hal::DeviceError> xid_of(std::string_view line) {
  constexpr std::string_view kStart = "NVRM: Xid (";
  if (!line.starts_with(kStart)) return std::nullopt;
  std::string_view rest = line.substr(kStart.size());
  std::string_view place = take_until(rest, "): ");
  if (place.starts_with("PCI:")) place.remove_prefix(4);
  const auto code = parse_u64(trim(take_until(rest, ",")));
  if (!code || *code > 100'000) return std::nullopt;
  hal::DeviceError error;
  error.vendor = "nvidia";
  error.kind = "Xid";
  error.pci_address = pci_address_of(place);
  error.code = static_cast<int64_t>(*code);
  error.meaning = meaning_of(*error.code);
  rest = trim(rest);
  if (rest.starts_with("pid=")) {
    rest.remove_prefix(4);
    const auto pid = parse_u64(trim(take_until(rest, ",")));
    if (pid && *pid > 0 && *pid <= UINT32_MAX) error.pid = static_cast<uint32_t>(*pid);
    rest = trim(rest);
    if (rest.starts_with("name=")) {
      rest.remove_prefix(5);
      const std::string_view name = trim(take_until(rest, ","));
      if (name != "<unknown>") error.process = printable(name, 64);
    }
  }
  error.message = printable(line, 512);
  return error;
}

}  // namespace ingero::backends::cuda
