// Who may read a recording: its owner alone (0600), and the members of one group where one is named (0640), whatever
// the umask; and the directories above it. For what writes recordings and clusters' files.
//
// SQLite gives the write-ahead log and the shared memory the mode and owner of the database. Failure: kPermission and
// kInvalid, with a sentence that names the file. Threads: any.
#pragma once

#include <optional>
#include <string>

#include "base/fd.h"
#include "base/result.h"
#include "store/db/location.h"

namespace ingero::store {

// Makes the directories of the path that are missing, and gives those to the owner.
Status make_directories(const std::string& directory, const std::optional<Owner>& owner);

// Makes a file that must not be there yet. An invalid descriptor: it is there.
Result<Fd> create_recording_file(const std::string& path, const std::optional<Owner>& owner,
                                 std::optional<uint32_t> group);

// Refuses what base/trusted_path.h refuses, of the database and of the files that SQLite keeps next to it.
Status check_recording_place(const std::string& path, const std::optional<Owner>& owner);

// The same permissions for files that are there: an earlier version let everyone read them. Those of another owner stay
// as they are.
Status keep_recording_private(const std::string& path, std::optional<uint32_t> group);

}  // namespace ingero::store
