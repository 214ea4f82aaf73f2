#!/usr/bin/env python3
"""A command by way of fork_server.cc is what it is without: streams, environment, exit status, signals, sanitizers.

  fork_server_test.py FORK_CLIENT FORK_SERVER
"""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import clients

CLIENT, SERVER = sys.argv.pop(1), sys.argv.pop(1)


class ForkServer(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.server = self.enterContext(clients.fork_server(SERVER, folder.name, "version"))

    def run_command(self, *arguments, **options):
        return subprocess.run([CLIENT, *arguments], capture_output=True, timeout=60, check=False, **options)

    def in_it(self, process):
        """The command's process, once it is there."""
        while True:
            with open(f"/proc/{self.server.pid}/task/{self.server.pid}/children", encoding="ascii") as file:
                found = file.read().split()
            if found:
                return int(found[0])
            self.assertIsNone(process.poll())
            time.sleep(0.01)

    def test_its_streams_and_status_are_the_command_s(self):
        done = self.run_command("version")
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertTrue(done.stdout.startswith(b"ingero "), done.stdout)
        done = self.run_command("explain", "--db", os.path.join(self.folder, "none.db"))
        self.assertEqual((done.returncode, done.stdout), (1, b""))
        self.assertIn(b"none.db", done.stderr)
        self.assertEqual(self.run_command("explain", "--no-such-flag").returncode, 2)
        question = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        done = self.run_command("mcp", "--db", "", input=json.dumps(question).encode() + b"\n")
        self.assertIn(b'"id":1', done.stdout.replace(b" ", b""), done.stderr)

    def test_its_environment_is_the_command_s(self):
        done = self.run_command("query", env={**os.environ, "INGERO_DB": os.path.join(self.folder, "elsewhere.db")})
        self.assertIn(b"elsewhere.db", done.stderr)

    def test_what_kills_the_command_is_seen(self):
        process = clients.started([CLIENT, "mcp"], stdin=subprocess.PIPE)
        os.kill(self.in_it(process), signal.SIGABRT)
        self.assertEqual(process.wait(60), -signal.SIGABRT)
        process.stdin.close()
        self.assertEqual(self.run_command("version").returncode, 0)

    def test_with_its_client_the_command_ends(self):
        process = clients.started([CLIENT, "mcp"], stdin=subprocess.PIPE)
        self.in_it(process)
        process.kill()
        process.wait()
        self.assertEqual(self.run_command("version").returncode, 0)  # its turn came, so the other has ended
        process.stdin.close()


if __name__ == "__main__":
    unittest.main()
