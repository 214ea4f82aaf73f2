// The chains that the legacy agent stored with a recording, evaluated against the recording's own rows.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "report/chains.h"

namespace ingero::report {

// Fills `diagnosis.evaluated`: whether each stored chain's cause is among `diagnosis.chains`, and whether its call was
// slow at all. `time_ns`: of each statement.
Status evaluate_legacy(const store::Reader& reader, const store::Selection& selection, uint64_t time_ns,
                       Diagnosis& diagnosis);

}  // namespace ingero::report
