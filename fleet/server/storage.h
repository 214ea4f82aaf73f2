// Where `ingero fleet serve` keeps what it receives: a file, or ClickHouse; and the rules for reaching that.
//
// Its password is not in the address, and does not cross the network unencrypted unless that was asked for by name.
// Failure: kInvalid names the flag; else the store's. Threads: while starting only.
#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "base/environment.h"
#include "base/result.h"
#include "fleet/store/cluster_store.h"

namespace ingero::fleet::server {

// As they are typed.
struct StorageOptions {
  std::string database, clickhouse;  // one of them
  std::string max_db = "8g";
  std::string user_file, reader_file, authorities, spool_directory, spool = "2g";  // of ClickHouse
  bool is_plain = false;                                                           // to other machines, too
};

// `clock` outlives the store.
Result<std::unique_ptr<store::ClusterStore>> open_storage(const StorageOptions& options, const Environment& environment,
                                                          const Clock& clock);

}  // namespace ingero::fleet::server
