// The log file of set_log_file() (log.h) may be renamed while it is written: logrotate does so, and expects a new one.
// Thread-safe.
//
// The log owns the file.
#pragma once

#include "base/result.h"

namespace ingero {

// Where the path leads to another file by now, or to none, opens (creates) that. An error leaves the previous file in
// use. Without a log file nothing is done.
Status reopen_log_file();

}  // namespace ingero
