// Looks a code up in the backends' tables; the first match wins.
#include "report/vendor_names.h"

namespace ingero::report {

VendorNames::VendorNames(std::span<const hal::Backend* const> backends)
    : backends_(backends.begin(), backends.end()), calls_(backends) {
  for (const hal::Call& call : calls_.calls()) by_op_.emplace(call.op_name, &call);
}

std::string VendorNames::status(std::string_view op, int64_t code) const {
  const auto found = by_op_.find(op);
  return found == by_op_.end() ? std::string() : std::string(hal::status_name(*found->second, code));
}

hal::AsyncEvent VendorNames::event(std::string_view op, uint64_t code) const {
  for (const hal::Backend* backend : backends_) {
    if (backend->event_of != nullptr && backend->event_call == op) return backend->event_of(code);
  }
  return {};
}

hal::CounterMeaning VendorNames::counter(std::string_view driver, hal::CounterOrigin origin,
                                         std::string_view name) const {
  for (const hal::Backend* backend : backends_) {
    if (backend->counter_of != nullptr) return backend->counter_of(driver, origin, name);
  }
  return {};
}

}  // namespace ingero::report
