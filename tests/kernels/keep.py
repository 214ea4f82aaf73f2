#!/usr/bin/env python3
"""Makes a text fixture of a recording of soft-RoCE: keep.py RECORDING OUT.sql.

Keeps the sessions, processes, calls of the verbs library and everything sampled of adapters; leaves out what the host did
(switches of threads are most of a recording, and an emulator's are not typical). Nothing is changed: rows are kept or not.
"""
import os
import sqlite3
import sys

KEPT = {"clocks", "processes", "threads", "calls", "sites", "details", "event_rows", "never_returned", "sessions", "store_state",
        "schema_migrations", "schema_info", "sources", "ops", "loss", "blocks", "call_stats", "fabric_links", "fabric_gids", "fabric_counters",
        "fabric_values"}


def main():
    source, out = sys.argv[1:]
    database = sqlite3.connect(":memory:")
    with sqlite3.connect(f"file:{source}?mode=ro", uri=True) as recording:
        recording.backup(database)
    tables = [name for name, in database.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")]
    for table in tables:
        if table not in KEPT:
            database.execute(f"DELETE FROM {table}")
    database.execute("DELETE FROM event_rows WHERE site NOT IN (SELECT id FROM sites WHERE kind = 'fabric')")
    database.execute("DELETE FROM call_stats WHERE call NOT IN (SELECT id FROM calls WHERE kind = 'fabric')")
    database.execute("DELETE FROM threads WHERE id NOT IN (SELECT thread FROM event_rows)")
    version, application = (database.execute(f"PRAGMA {name}").fetchone()[0] for name in ("user_version", "application_id"))
    with open(out, "w", encoding="utf-8") as text:
        text.write(f"-- A recording of soft-RoCE in a guest, as a test fixture ({os.path.basename(out)}): made by tests/kernels/keep.py.\n")
        for line in database.iterdump():
            if "sqlite_sequence" not in line:
                text.write(line + "\n")
        text.write(f"PRAGMA user_version = {version};\nPRAGMA application_id = {application};\n")


if __name__ == "__main__":
    main()
