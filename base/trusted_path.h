// Files that root writes under names that others may know: recordings, logs of requests, bundles.
//
// A name in a folder that another user can write to may become a link to any file, or lead to a file of that user's,
// between one moment and the next. So root writes only where no other user can change what the name stands for: every
// folder on the way belongs to a trusted owner (base/private_file.h, and the user that is named) and others cannot
// write to it, or can but not exchange what is not theirs (the sticky bit, as in /tmp); and what is there already is a
// regular file of a trusted owner that no other user can write to and that has no second name. Of users other than root
// only links are refused: they can write nothing that is not theirs. Thread-safe; no state.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/fd.h"
#include "base/result.h"

namespace ingero {

// kPermission or kInvalid, with a sentence that names the folder or the file, unless `path` may be written. A file, or
// the folders above it, need not be there yet. `also`: a user whose files and folders are trusted too.
Status check_trusted_path(const std::string& path, std::optional<uint32_t> also = {});

// Whether the folder of `path` is another user's, which root itself may not change without CAP_DAC_OVERRIDE.
bool is_in_anothers_folder(const std::string& path);

// Opens for appending what check_trusted_path() accepts, and creates it (0600) where it is not there.
Result<Fd> open_trusted_log(const std::string& path);

}  // namespace ingero
