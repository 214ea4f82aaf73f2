"""What runs next to the agent in a soak: each generator makes calls until a file is there, and logs how many.

Programs that come and go, children without a program of their own, programs that run another, libraries opened and
closed, threads that call all the time, a program that computes, Python interpreters, and programs in mount namespaces of
their own.
"""
import glob
import os
import shutil
import subprocess
import sys
import threading

COPIES = 6  # of the library: each is a file of its own to the agent, and has its own probes

# As caller.c logs it.
PYTHON = """
import ctypes, os, sys, time
log, library, calls = sys.argv[1], sys.argv[2], int(sys.argv[3])
first = time.monotonic_ns()
library = ctypes.CDLL(library)
names = ["cudaFree", "cudaStreamQuery", "cudaDeviceSynchronize"]
scratch = ctypes.create_string_buffer(64)
made = dict.fromkeys(names, 0)
def call(name):
    library[name](scratch)
    made[name] += 1
for i in range(calls):
    call(names[i % len(names)])
# With a file that ends it: it goes on, and computes between its calls for a tenth of each second.
while len(sys.argv) > 4 and not os.path.exists(sys.argv[4]):
    call(names[0])
    end = time.monotonic() + 0.1
    while time.monotonic() < end:
        pass
    time.sleep(0.9)
with open(log, "a") as file:
    file.write("%d %d %d %s\\n" % (os.getpid(), first, time.monotonic_ns(), " ".join("%s=%d" % one for one in made.items())))
"""


def interpreters():
    """One of each version: this one, and those of pyenv."""
    found = {sys.executable: None}
    for path in sorted(glob.glob(os.path.expanduser("~/.pyenv/versions/3.*/bin/python3"))):
        minor = int(path.split("/versions/3.")[1].split(".")[0])
        if minor >= 9:
            found[path] = None
    return list(found)


class Generators:
    """Started together, ended by stop(). `libraries`: the runtime, then its copies."""

    def __init__(self, caller, work, library):
        self.caller, self.work = caller, work
        self.stop_file = os.path.join(work, "stop")
        self.libraries = [library] + [self.copy(library, number) for number in range(COPIES)]
        self.logs, self.processes, self.threads, self.failures = [], [], [], []

    def copy(self, library, number):
        folder = os.path.join(self.work, f"copy{number}")
        os.makedirs(folder, exist_ok=True)
        return shutil.copy(library, os.path.join(folder, os.path.basename(library)))

    def log(self, name):
        self.logs.append(os.path.join(self.work, name + ".lives"))
        return self.logs[-1]

    def start_caller(self, mode, *options, libraries=None):
        command = [self.caller, mode, self.log(mode), *(libraries or self.libraries[:1]), "--stop", self.stop_file]
        self.processes.append((mode, subprocess.Popen(command + list(options))))

    def repeat(self, name, commands, pause):
        """Runs the commands in turn, one at a time."""
        stopped = threading.Event()

        def work():
            for turn in range(10 ** 9):
                if os.path.exists(self.stop_file):
                    return
                done = subprocess.run(commands[turn % len(commands)], capture_output=True, text=True)
                if done.returncode != 0:
                    self.failures.append(f"{name}: {done.stderr.strip()[-300:]}")
                    return
                stopped.wait(pause)

        self.threads.append(threading.Thread(target=work, name=name))
        self.threads[-1].start()

    def namespace(self, log):
        """A program that sees the machine's files below a root of its own, as in a container."""
        root = os.path.join(self.work, "root")
        os.makedirs(root, exist_ok=True)
        script = f'mount --make-rprivate / && mount --bind / "{root}" && mount -t proc proc "{root}/proc" && ' \
                 f'exec chroot "{root}" "{self.caller}" one "{log}" "{self.libraries[0]}" --calls 20'
        return ["unshare", "-m", "sh", "-c", script]

    def start(self):
        self.start_caller("short", "--calls", "20", "--pause-ms", "40")
        self.start_caller("forks", "--calls", "20", "--pause-ms", "200")
        self.start_caller("again", "--calls", "20", "--pause-ms", "200")
        self.start_caller("reopen", "--calls", "20", "--pause-ms", "100", libraries=self.libraries)
        self.start_caller("steady", "--rate", "200", "--threads", "3")
        # What threads compute is sampled from the start: the first that does would be a step in what the agent holds.
        command = [sys.executable, "-c", PYTHON, self.log("computes"), self.libraries[0], "1", self.stop_file]
        self.processes.append(("computes", subprocess.Popen(command)))
        python = self.log("python")
        self.repeat("python", [[one, "-c", PYTHON, python, self.libraries[0], "20"] for one in interpreters()], 1.0)
        self.repeat("namespace", [self.namespace(self.log("namespace"))], 1.0)
        return self

    def stop(self):
        """Ends them; what went wrong, as sentences."""
        with open(self.stop_file, "wb"):
            pass
        for thread in self.threads:
            thread.join()
        for mode, process in self.processes:
            if process.wait(timeout=60) != 0:
                self.failures.append(f"{mode}: status {process.returncode}")
        return self.failures
