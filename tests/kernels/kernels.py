"""Stock kernels of Debian and Ubuntu by package name, unpacked into a cache outside of the tree.

A cached kernel is a folder: vmlinuz, release, modules/ (of that release; only what a job may load is taken from it).
The package lists of other suites live in an apt root of the cache, so that the machine's own are left alone. Debian's
mirror is the one that the machine already uses; Ubuntu's, and its keys, are those that Debian's packages debootstrap and
ubuntu-keyring name, so that what is booted is signed all the way.
"""
import dataclasses
import glob
import os
import re
import shutil
import subprocess

# A name with a number of its own is one series; `sid` is what is newest of Debian's.
SUITES = {"5.10": "bullseye", "5.15": "jammy-updates", "6.1": "bookworm", "6.8": "noble-updates", "6.12": "trixie",
          "6.17": "questing-updates", "7.0": "resolute-updates", "sid": "sid"}
UBUNTU = {"5.15", "6.8", "6.17", "7.0"}
PACKAGES = {"": "linux-image-{arch}", "-rt": "linux-image-rt-{arch}"}
UBUNTU_PACKAGE = "linux-image-virtual"
KEYS_OF_UBUNTU = ("trixie", ["ubuntu-keyring", "debootstrap"])  # where Debian has them


class Missing(Exception):
    """No such kernel, or no way to get it: a reason to skip."""


def cache_folder():
    return os.environ.get("INGERO_KERNELS") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "ingero", "kernels")


def mirror():
    """The Debian mirror of this machine's apt."""
    for path in sorted(glob.glob("/etc/apt/sources.list.d/*.sources")):
        with open(path, encoding="utf-8") as file:
            for uri in re.findall(r"^URIs: *(\S+)", file.read(), re.M):
                if uri.rstrip("/").endswith("/debian"):
                    return uri
    for path in ["/etc/apt/sources.list", *sorted(glob.glob("/etc/apt/sources.list.d/*.list"))]:
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                found = re.search(r"^deb +(?:\[[^]]*\] +)?(\S+/debian)/? ", file.read(), re.M)
            if found:
                return found[1]
    raise Missing("apt names no Debian mirror on this machine")


@dataclasses.dataclass
class Origin:
    """Where a suite's packages come from, and the keys that sign them."""
    mirror: str
    keys: str


def debian():
    return Origin(mirror(), "/usr/share/keyrings/debian-archive-keyring.gpg")


def ubuntu(arch):
    if arch != "amd64":
        raise Missing("Ubuntu's kernels are booted on x86-64 only: those of other processors are on another mirror")
    suite, packages = KEYS_OF_UBUNTU
    folder = os.path.join(cache_folder(), "ubuntu")
    keys = os.path.join(folder, "usr/share/keyrings/ubuntu-archive-keyring.gpg")
    if not os.path.exists(keys):
        apt = Apt(suite, arch, debian())
        apt.update()
        apt.unpack(packages, folder)
    script = os.path.join(folder, "usr/share/debootstrap/scripts/gutsy")  # what newer releases' are links to
    with open(script, encoding="utf-8") as file:
        found = re.search(r"amd64\|i386\).*?default_mirror (http\S+/ubuntu)$", file.read(), re.M | re.S)
    if not found or not os.path.exists(keys):
        raise Missing(f"{folder}: no mirror or no keys of Ubuntu in {', '.join(packages)}")
    return Origin(found[1], keys)


class Apt:
    """apt-get and apt-cache against one suite and architecture."""

    def __init__(self, suite, arch, origin=None):
        origin = origin or debian()
        self.root = os.path.join(cache_folder(), f"apt-{suite}-{arch}")
        for folder in ("lists/partial", "cache/archives/partial"):
            os.makedirs(os.path.join(self.root, folder), exist_ok=True)
        open(os.path.join(self.root, "status"), "a", encoding="utf-8").close()
        with open(os.path.join(self.root, "sources.list"), "w", encoding="utf-8") as file:
            file.write(f"deb [arch={arch} signed-by={origin.keys}] {origin.mirror} {suite} main\n")
        self.options = []
        for name, value in {"Dir::Etc::SourceList": "sources.list", "Dir::State::Lists": "lists", "Dir::Cache": "cache",
                            "Dir::State::status": "status"}.items():
            self.options += ["-o", f"{name}={self.root}/{value}"]
        self.options += ["-o", "Dir::Etc::SourceParts=/dev/null", "-o", f"APT::Architecture={arch}",
                         "-o", f"APT::Architectures={arch}", "-o", "Acquire::Check-Valid-Until=false",
                         "-o", "APT::Sandbox::User=root"]

    def run(self, command, *arguments, folder=None):
        done = subprocess.run([command, *self.options, *arguments], cwd=folder, text=True, capture_output=True,
                              stdin=subprocess.DEVNULL)
        if done.returncode != 0:
            last = (done.stderr.strip().splitlines() or ["no word of why"])[-1]
            raise Missing(f"{command} {' '.join(arguments)}: {last}")
        return done.stdout

    def update(self):
        if not glob.glob(os.path.join(self.root, "lists", "*Packages*")):
            self.run("apt-get", "-q", "update")

    def unpack(self, packages, folder):
        """The packages' files, without installing them."""
        os.makedirs(folder, exist_ok=True)
        for package in packages:
            self.run("apt-get", "-q", "download", package, folder=folder)
        for package_file in glob.glob(os.path.join(folder, "*.deb")):
            subprocess.run(["dpkg", "-x", package_file, folder], check=True)
            os.remove(package_file)

    def depends(self, package, pattern):
        return re.findall(rf"^ *Depends: ({pattern})$", self.run("apt-cache", "depends", package), re.M)


def split_name(name):
    """'6.12-rt' -> ('6.12', '-rt'). A series that no suite is named for is looked for in sid."""
    series, flavour = (name[:-3], "-rt") if name.endswith("-rt") else (name, "")
    if series in UBUNTU and flavour:
        raise Missing(f"{name}: Ubuntu's kernels with -rt are not in its archive")
    if series not in SUITES and not re.fullmatch(r"\d+\.\d+", series):
        raise Missing(f"{name}: not a kernel of {', '.join(SUITES)}, or a series such as 7.2 (each also with -rt)")
    return series, flavour


def fetch(name, arch="amd64", say=print):
    """The folder of a kernel, fetched where it is not there yet."""
    series, flavour = split_name(name)
    suite = SUITES.get(series, "sid")
    key = f"{series if series in SUITES else 'sid'}{flavour}-{arch}"
    folder = os.path.join(cache_folder(), key)
    if not os.path.exists(os.path.join(folder, "release")):
        say(f"fetching the kernel of {suite}{flavour} for {arch}")
        if series in UBUNTU:
            unpack(Apt(suite, arch, ubuntu(arch)), UBUNTU_PACKAGE, folder)
        else:
            unpack(Apt(suite, arch), PACKAGES[flavour].format(arch=arch), folder)
    if series not in SUITES and not release_of(folder).startswith(series + "."):
        raise Missing(f"{name}: the newest kernel is {release_of(folder)}")
    return folder


def release_of(folder):
    with open(os.path.join(folder, "release"), encoding="utf-8") as file:
        return file.read().strip()


def unpack(apt, package, folder):
    apt.update()
    # The name without a version is a meta package: the image is what it depends on, and newer suites keep the modules
    # in packages of their own.
    image = (apt.depends(package, r"linux-image-\S+") or [package])[0]
    parts = apt.depends(image, r"linux-(?:modules|binary|base)-\S*\d\S*")
    fresh = folder + ".new"
    shutil.rmtree(fresh, ignore_errors=True)
    apt.unpack([image, *parts], os.path.join(fresh, "x"))
    images = glob.glob(os.path.join(fresh, "x", "**", "vmlinu[xz]*"), recursive=True)
    modules = glob.glob(os.path.join(fresh, "x", "**", "lib", "modules", "*"), recursive=True)
    images = [path for path in images if os.path.isfile(path)]
    if not images or not modules:
        raise Missing(f"{image}: no kernel or no modules in it")
    release = os.path.basename(modules[0])
    shutil.move(images[0], os.path.join(fresh, "vmlinuz"))
    os.makedirs(os.path.join(fresh, "lib", "modules"))
    shutil.move(modules[0], os.path.join(fresh, "lib", "modules", release))
    shutil.rmtree(os.path.join(fresh, "x"))
    subprocess.run(["depmod", "-b", fresh, release], check=True,
                   env={**os.environ, "PATH": os.environ.get("PATH", "") + ":/usr/sbin:/sbin"})
    with open(os.path.join(fresh, "release"), "w", encoding="utf-8") as file:
        file.write(release + "\n")
    shutil.rmtree(folder, ignore_errors=True)
    os.rename(fresh, folder)


def module_files(folder, names):
    """The files of modules and of what they need, in the order in which they are loaded; built-in ones have none."""
    release = release_of(folder)
    files = []
    for name in names:
        done = subprocess.run(["modprobe", "-a", "-d", folder, "-S", release, "--show-depends", name], text=True,
                              capture_output=True,
                              env={**os.environ, "PATH": os.environ.get("PATH", "") + ":/usr/sbin:/sbin"})
        if done.returncode != 0:
            raise Missing(f"{os.path.basename(folder)}: no module {name}")
        for path in re.findall(r"^insmod (\S+)", done.stdout, re.M):
            if path not in files:
                files.append(path)
    return files
