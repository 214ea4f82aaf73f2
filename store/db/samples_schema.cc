// Tables of what is sampled, not traced: fabric links and counters, devices and their readings.
#include "store/db/schema.h"

namespace ingero::store {

std::string samples_tables() {
  return R"sql(
CREATE TABLE fabric_links (id INTEGER PRIMARY KEY, session INTEGER NOT NULL, timestamp INTEGER NOT NULL,
  device TEXT NOT NULL, port INTEGER NOT NULL, link_layer TEXT, state INTEGER, physical_state INTEGER,
  rate_bits_per_second INTEGER, driver TEXT, firmware TEXT, board TEXT, node_guid TEXT, netdev TEXT, pci_address TEXT,
  numa_node INTEGER);
CREATE TABLE fabric_gids (session INTEGER NOT NULL, timestamp INTEGER NOT NULL, device TEXT NOT NULL,
  port INTEGER NOT NULL, position INTEGER NOT NULL, gid TEXT NOT NULL, type TEXT, netdev TEXT);
CREATE TABLE fabric_counters (id INTEGER PRIMARY KEY, session INTEGER NOT NULL, device TEXT NOT NULL, port INTEGER,
  name TEXT NOT NULL, origin TEXT NOT NULL, unit TEXT NOT NULL);
CREATE TABLE fabric_values (counter INTEGER NOT NULL, timestamp INTEGER NOT NULL, value INTEGER NOT NULL,
  delta INTEGER, change INTEGER NOT NULL, PRIMARY KEY (timestamp, counter)) WITHOUT ROWID;
CREATE TABLE devices (id INTEGER PRIMARY KEY, session INTEGER NOT NULL, vendor TEXT NOT NULL, uuid TEXT,
  pci_address TEXT, name TEXT, driver TEXT, position INTEGER, parent_uuid TEXT);
CREATE TABLE device_values (device INTEGER NOT NULL, timestamp INTEGER NOT NULL, name TEXT NOT NULL,
  part TEXT NOT NULL, value REAL NOT NULL, PRIMARY KEY (timestamp, device, name, part)) WITHOUT ROWID;
CREATE TABLE device_processes (device INTEGER NOT NULL, timestamp INTEGER NOT NULL, pid INTEGER NOT NULL,
  memory_bytes INTEGER, PRIMARY KEY (timestamp, device, pid)) WITHOUT ROWID;
CREATE TABLE device_errors (timestamp INTEGER NOT NULL, session INTEGER NOT NULL, vendor TEXT NOT NULL,
  pci_address TEXT, kind TEXT NOT NULL, code INTEGER, meaning TEXT, pid INTEGER, process TEXT,
  message TEXT NOT NULL);
CREATE VIEW fabric_samples AS SELECT v.timestamp AS timestamp, c.device AS device, c.port AS port, c.name AS name,
  v.value AS value, v.delta AS delta, c.unit AS unit, c.origin AS origin,
  CASE v.change WHEN 0 THEN 'first' WHEN 1 THEN 'same' WHEN 2 THEN 'grew' WHEN 3 THEN 'wrapped' WHEN 4 THEN 'reset'
    WHEN 5 THEN 'stuck' END AS change, c.session AS session
  FROM fabric_values v JOIN fabric_counters c ON c.id = v.counter;
CREATE VIEW device_samples AS SELECT v.timestamp AS timestamp, d.vendor AS vendor, d.uuid AS uuid,
  d.pci_address AS pci_address, d.name AS device, v.name AS name, v.part AS part, v.value AS value, d.session AS session
  FROM device_values v JOIN devices d ON d.id = v.device;
)sql";
}

}  // namespace ingero::store
