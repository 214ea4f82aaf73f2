"""Set-up installs only what is missing, and without root says in one sentence what needs it and goes on."""
import os
import subprocess
import tempfile
import unittest

BOOTSTRAP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "bootstrap.sh")


class Bootstrap(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.log = os.path.join(self.folder.name, "log")

    def command(self, name, body):
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n" + body + "\n")
        os.chmod(path, 0o755)

    def run_bootstrap(self, uid, installed, apt_status=0):
        """Runs with stand-ins for the system's tools: `installed` is a pattern of shell case."""
        self.command("id", f"echo {uid}")
        self.command("sudo", "exit 1")
        self.command("dpkg-query", f'case "$4" in {installed}) echo -n installed;; *) exit 1;; esac')
        self.command("apt-get", f'echo "$@" >> {self.log}; echo "E: no network" >&2; exit {apt_status}')
        environment = dict(os.environ, PATH=self.folder.name + ":/usr/bin:/bin")
        done = subprocess.run(["/bin/sh", BOOTSTRAP, "build"], capture_output=True, text=True, env=environment, check=False)
        calls = ""
        if os.path.exists(self.log):
            with open(self.log, encoding="utf-8") as file:
                calls = file.read()
        return done, calls

    def test_does_nothing_when_everything_is_there(self):
        done, calls = self.run_bootstrap(0, "*")
        self.assertEqual((done.returncode, done.stdout, done.stderr, calls), (0, "", "", ""))

    def test_installs_only_the_missing_packages(self):
        done, calls = self.run_bootstrap(0, "[!n]*")
        self.assertEqual(done.returncode, 0)
        self.assertIn("install -y --no-install-recommends ninja-build nlohmann-json3-dev\n", calls)

    def test_says_in_one_sentence_what_needs_root_and_goes_on(self):
        done, calls = self.run_bootstrap(1000, "[!n]*")
        self.assertEqual((done.returncode, calls), (0, ""))
        self.assertEqual(done.stderr.count("\n"), 1)
        self.assertIn("installing ninja-build nlohmann-json3-dev needs root, because", done.stderr)

    def test_says_when_installing_failed_and_goes_on(self):
        done, _ = self.run_bootstrap(0, "[!n]*", apt_status=100)
        self.assertEqual(done.returncode, 0)
        self.assertIn("E: no network", done.stderr)
        self.assertIn("could not install ninja-build", done.stderr)


if __name__ == "__main__":
    unittest.main()
