// The rows of a legacy recording, as a timeline shows them.
#pragma once

#include <memory>

#include "serve/perfetto/row_source.h"

namespace ingero::serve::perfetto {

std::unique_ptr<RowSource> make_legacy_rows();

}  // namespace ingero::serve::perfetto
