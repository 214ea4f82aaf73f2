// The log file of set_log_file() (log.h) may be renamed while it is written: logrotate does so, and expects a new one.
// Thread-safe.
//
// The log owns the file.
#pragma once

#include "base/result.h"

namespace ingero {

// Where another file has the name by now, or none, opens (creates) that: in the folder that the log's path led to at
// first, whatever is in that folder's place by now. An error leaves the previous file in use. Without a log file
// nothing is done.
Status reopen_log_file();

}  // namespace ingero
