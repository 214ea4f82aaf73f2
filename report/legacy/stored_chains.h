// What is said of the legacy agent's recordings alone: the chains that it stored, evaluated against the recording's own
// rows, and what it did not measure.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "report/report.h"

namespace ingero::report {

// Fills `diagnosis.evaluated`: whether each stored chain's cause is among `diagnosis.chains`, and whether its call was
// slow at all. `time_ns`: of each statement. Nothing for our own recordings.
Status evaluate_stored(const store::Reader& reader, const store::Selection& selection, uint64_t time_ns,
                       Diagnosis& diagnosis);

std::string evaluated_text(const Diagnosis& diagnosis, bool colour);  // empty: there are none
// Null for our own recordings.
Json evaluated_json(const Report& report);

FormatNotes notes_of(const store::Reader& reader);

}  // namespace ingero::report
