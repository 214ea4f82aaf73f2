"""The project's own files, for the checks in this folder: what git tracks or would track, or a plain walk without git."""
import os
import subprocess

SKIPPED_FOLDERS = {".git", "build", "node_modules"}


def repo_files(root):
    """Paths relative to `root`, sorted, with / between folders; binary files and links included."""
    try:
        top = subprocess.run(["git", "-C", root, "rev-parse", "--show-toplevel"], capture_output=True, text=True, check=True)
        if os.path.realpath(top.stdout.strip()) == os.path.realpath(root):
            listed = subprocess.run(
                ["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                capture_output=True, check=True)
            names = [os.fsdecode(name) for name in listed.stdout.split(b"\0") if name]
            return sorted({name for name in names if os.path.isfile(os.path.join(root, name))})
    except (OSError, subprocess.CalledProcessError):
        pass  # an unpacked archive: walk it
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in SKIPPED_FOLDERS)
        found += [os.path.relpath(os.path.join(folder, name), root) for name in names]
    return sorted(found)


def read_text(root, name):
    """The file's text, or None when it is not UTF-8 text."""
    try:
        with open(os.path.join(root, name), encoding="utf-8") as file:
            return file.read()
    except UnicodeDecodeError:
        return None


def report(tool, checked, problems):
    """Prints the problems, one a line, and gives the exit status."""
    for problem in problems:
        print(problem)
    print(f"{tool}: {checked} files, {len(problems)} problem(s)")
    if checked == 0:
        print(f"{tool}: nothing to check is a problem too: wrong folder?")
    return 1 if problems or checked == 0 else 0
