// What the counters of known names mean, driver by driver. A counter with another name is sampled too, but is not
// evidence for any finding.
#pragma once

#include <string_view>

#include "hal/fabric.h"

namespace ingero::backends::rdma {

// `driver`: of the device behind the adapter, or empty. Files of `counters/` mean the same with every driver. Where the
// driver is not known, a name is what all the drivers that have it agree on.
hal::CounterMeaning meaning_of(std::string_view driver, hal::CounterOrigin origin, std::string_view name);

}  // namespace ingero::backends::rdma
