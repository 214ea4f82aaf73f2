"""Guests for arm64, made on a machine of another kind: programs from Debian's arm64 packages and from our cross build,
each with the libraries that it asks for.

What is unpacked lies outside of the tree, in $INGERO_ARM64 (default ~/.cache/ingero/arm64): sysroot/, which the cross
build is linked with, and guest/, what else runs in a guest. No package has a CUDA runtime newer than 11.8 for arm64.
"""
import glob
import os
import re
import shutil
import subprocess

import guest
import kernels

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SYSROOT_TOOL = os.path.join(ROOT, "tools", "arm64_sysroot.sh")
GUEST_PACKAGES = ["bash", "busybox-static", "kmod", "coreutils", "python3", "libcudart11.0"]
LIBRARY_FOLDERS = ["usr/lib/aarch64-linux-gnu", "usr/lib"]
PROGRAMS = {"bash": "bin/bash", "kmod": "bin/kmod", "timeout": "usr/bin/timeout"}
RUNTIME = "usr/lib/aarch64-linux-gnu/libcudart.so.11.0"


def folder():
    return os.environ.get("INGERO_ARM64") or os.path.expanduser("~/.cache/ingero/arm64")


def unpacked(name, *packages):
    """The folder where Debian's arm64 packages lie unpacked."""
    path = os.path.join(folder(), name)
    done = subprocess.run([SYSROOT_TOOL, path, *packages], text=True, capture_output=True)
    if done.returncode != 0:
        raise kernels.Missing((done.stderr.strip().splitlines() or ["no arm64 packages"])[-1])
    return path


def real_runtime():
    """NVIDIA's own, which needs no device to refuse every call."""
    return os.path.realpath(os.path.join(unpacked("guest", *GUEST_PACKAGES), RUNTIME))


class Root(guest.Root):
    """Files of unpacked packages and of our build. Programs keep their own place, and so do libraries."""

    def __init__(self):
        super().__init__()
        self.packages = [unpacked("guest", *GUEST_PACKAGES), unpacked("sysroot")]
        # one /usr, as the packages have it
        for name in ("bin", "lib"):
            os.makedirs(os.path.join(self.folder, "usr", name))
            os.symlink("usr/" + name, os.path.join(self.folder, name))
        for name in ("sbin", "usr/sbin"):
            os.symlink("bin", os.path.join(self.folder, name))

    def find(self, path):
        """A file of the packages, links followed within them; None: there is none."""
        for root in self.packages:
            name = path
            for _ in range(8):
                whole = os.path.join(root, name)
                if not os.path.islink(whole):
                    break
                target = os.readlink(whole)
                name = target.lstrip("/") if target.startswith("/") else os.path.normpath(
                    os.path.join(os.path.dirname(name), target))
            if os.path.isfile(whole):
                return whole
        return None

    def add_package_file(self, path, place=None):
        found = self.find(path)
        if found is None:
            raise kernels.Missing(f"no {path} in Debian's arm64 packages")
        self.add(found, place or "/" + path)

    def add(self, source, place=None, strip=True):
        place = place or source
        path = self.folder + place
        if os.path.lexists(path):
            return
        os.makedirs(os.path.dirname(path), exist_ok=True)
        shutil.copyfile(source, path)
        shutil.copymode(source, path)
        with open(source, "rb") as file:
            if file.read(4) != b"\x7fELF":
                return
        if strip:
            subprocess.run(["aarch64-linux-gnu-strip", "--strip-debug", path], stderr=subprocess.DEVNULL)
        self.add_libraries(source)

    def add_libraries(self, source):
        """ldd would run the program: what it asks for is read, and looked for where its loader would."""
        words = subprocess.run(["readelf", "-W", "-d", "-l", source], text=True, capture_output=True, check=True).stdout
        folders = [one.replace("$ORIGIN", os.path.dirname(source))
                   for paths in re.findall(r"\(R(?:UN)?PATH\).*\[(.*)\]", words) for one in paths.split(":")]
        names = re.findall(r"\(NEEDED\).*\[(.*)\]", words)
        interpreter = re.search(r"interpreter: (\S+)\]", words)
        if interpreter:
            names.append(os.path.basename(interpreter[1]))
        for name in names:
            own = next((os.path.join(one, name) for one in folders if os.path.exists(os.path.join(one, name))), None)
            found = next(filter(None, (self.find(os.path.join(one, name)) for one in LIBRARY_FOLDERS)), None)
            if own:
                self.add(own)
            elif found:
                self.add(found, "/usr/lib/" + name)
            else:
                raise kernels.Missing(f"{source} needs {name}, which no arm64 package here has")


def make_base(path, files, with_tests=False):
    """guest.make_base() for arm64. `files`: (file of our build, place in the guest or None). With tests: Python, and the
    end-to-end tests where they are in this tree."""
    root = Root()
    for name in ("dev", "proc", "sys", "tmp", "run", "out", "etc", "root", "var/tmp"):
        os.makedirs(os.path.join(root.folder, name), exist_ok=True)
    for name, source in PROGRAMS.items():
        root.add_package_file(source, "/usr/bin/" + name)
    for name in guest.LINKS:
        os.symlink("kmod", os.path.join(root.folder, "usr/bin", name))
    root.add_package_file("bin/busybox", "/usr/bin/busybox")
    # the same version as this machine's busybox-static, which lists what it can be
    for name in subprocess.run([guest.find_program("busybox"), "--list"], text=True, capture_output=True,
                               check=True).stdout.split():
        place = os.path.join(root.folder, "usr/bin", name)
        if not os.path.lexists(place):
            os.symlink("bash" if name == "sh" else "busybox", place)
    for source, place in files:
        root.add(source, place)
    if with_tests:
        add_tests(root)
    root.write("/etc/passwd", "root:x:0:0:root:/root:/bin/bash\n")
    root.write("/etc/group", "root:x:0:\n")
    root.write("/etc/hosts", "127.0.0.1 localhost guest\n")
    root.write("/init", guest.INIT, 0o755)
    root.archive(path)


def add_tests(root):
    root.add_package_file("usr/bin/python3.11")
    os.symlink("python3.11", os.path.join(root.folder, "usr/bin/python3"))
    for packages in root.packages:
        for source in glob.glob(os.path.join(packages, "usr/lib/python3.11", "**"), recursive=True):
            name = os.path.relpath(source, packages)
            if os.path.isfile(source) and not re.search(r"/(test|lib2to3|idlelib|pydoc_data|ensurepip)/|\.pyc$", name):
                root.add(source, "/" + name)
    for pattern in ("tests/e2e/*.py", "backends/manifests/*.yaml"):
        for source in glob.glob(os.path.join(ROOT, pattern)):
            root.add(source)
