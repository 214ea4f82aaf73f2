#!/usr/bin/env python3
"""Every function that a vendor's library exports is described by a row, or excluded with a reason.

  coverage_test.py INGERO found [LIBRARY...]   real libraries: those named, or those that this machine has
  coverage_test.py INGERO recorded             those whose exported names exports/ holds, as stand-ins with these names
  coverage_test.py INGERO table                the table of docs/supported_functions.md, of the recorded ones
  coverage_test.py record LIBRARY              what exports/ holds of one: function names, those of one address by "="

What is described is asked of the program (`check --library FILE --rows --json`); what is excluded stands in
backends/excluded/, by library: a shell pattern and a reason that docs/supported_functions.md explains. A function that
is neither, or both, or excluded by two lines, and a line that excludes nothing, are faults.
C++ names of functions in a namespace are a library's own, and internal without a line; others are compared by their name
without parameters. Exit status 77: no library here.
"""
import collections
import fnmatch
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
EXCLUDED = os.path.join(SOURCE, "backends", "excluded")
PAGE = os.path.join(SOURCE, "docs", "supported_functions.md")
MANIFESTS = {"libOpenCL": "opencl", "libze_loader": "level_zero"}
FILES = ["libcudart.so.[0-9]*", "libnccl.so.2", "libamdhip64.so.[0-9]", "librccl.so.1", "libOpenCL.so.1",
         "libze_loader.so.1", "libibverbs.so.1"]
FOLDERS = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/local/cuda*/lib64", "/opt/rocm/lib"]
# Not the machine's own driver, which may be newer than the tables.
STUBS = ["/usr/local/cuda*/lib64/stubs/libcuda.so"]
SKIPPED = 77


def library_of(path):
    """"/x/libcudart.so.13" -> "libcudart" """
    return os.path.basename(path).split(".so")[0]


def found_libraries():
    patterns = [os.path.join(folder, name) for folder in FOLDERS for name in FILES] + STUBS
    paths = [path for pattern in patterns for path in sorted(glob.glob(pattern))]
    paths += [path for path in os.environ.get("INGERO_VENDOR_LIBRARIES", "").split(":") if os.path.exists(path)]
    seen = {}
    for path in paths:
        if os.path.exists(os.path.join(EXCLUDED, library_of(path) + ".txt")):
            seen.setdefault(os.path.realpath(path), path)
    return list(seen.values())


def exported(path):
    """function -> its addresses"""
    functions = collections.defaultdict(set)
    text = subprocess.run(["nm", "-D", "--defined-only", path], text=True, capture_output=True, check=True).stdout
    for words in map(str.split, text.splitlines()):
        if len(words) == 3 and words[1] in "TWi":
            functions[words[2].split("@")[0]].add(words[0])
    return functions


def described(program, path):
    """The symbols that rows resolve to in a file."""
    command = [program, "check", "--library", path, "--rows", "--json", "--backends-dir", "/nonexistent"]
    if library_of(path) in MANIFESTS:
        command += ["--backend", os.path.join(SOURCE, "backends", "manifests", MANIFESTS[library_of(path)] + ".yaml")]
    done = subprocess.run(command, text=True, capture_output=True)
    if not done.stdout.startswith("{"):
        raise RuntimeError(done.stderr.strip())
    symbols = set()
    for library in json.loads(done.stdout)["libraries"]:
        if os.path.realpath(library["path"]) == os.path.realpath(path):
            symbols |= {row["symbol"].split("@")[0] for row in library["rows"]
                        if row["symbol"] and row["state"] != "absent"}
    return symbols


def read_rules(library, folder=EXCLUDED):
    """[(pattern, reason)]"""
    rules = []
    with open(os.path.join(folder, library + ".txt"), encoding="utf-8") as lines:
        for line in lines:
            words = line.split("#")[0].split()
            if words:
                rules.append((words[0], words[1] if len(words) == 2 else ""))
    return rules


def plain(name):
    """A C++ function's name without its parameters; None: it is in a namespace or a template."""
    found = re.match(r"_Z(\d+)", name)
    if found:
        return name[found.end():][:int(found[1])]
    return None if name.startswith("_Z") else name


def compare(functions, symbols, rules):
    """(Counter by "described" and by reason, faults, the patterns that excluded something)"""
    counts, faults, used = collections.Counter(), [], set()
    probed = set().union(*(functions.get(symbol, set()) for symbol in symbols)) if symbols else set()
    for name, addresses in sorted(functions.items()):
        is_described = addresses <= probed
        base = plain(name)
        matching = [] if base is None else [rule for rule in rules if fnmatch.fnmatchcase(base, rule[0])]
        used |= {pattern for pattern, _ in matching}
        if is_described:
            counts["described"] += 1
            faults += [f"{name} is described, and excluded by {pattern}" for pattern, _ in matching]
        elif base is None:
            counts["internal"] += 1
        elif not matching:
            faults.append(f"{name} is neither described nor excluded")
        else:
            counts[matching[0][1]] += 1
            if len(matching) > 1:
                faults.append(f"{name} is excluded by several lines: {', '.join(pattern for pattern, _ in matching)}")
    return counts, faults, used


def reasons():
    """reason -> meaning, as the page explains them"""
    with open(PAGE, encoding="utf-8") as page:
        return dict(re.findall(r"^\| `(\w+)` \| (.+?) \|$", page.read(), re.MULTILINE))


def faults_of_lists(used_by_library, folder=EXCLUDED):
    """Lines that exclude nothing anywhere, and reasons that the page does not explain or no line has."""
    faults, said = [], set()
    explained = reasons()
    for name in sorted(os.listdir(folder)):
        library = name.removesuffix(".txt")
        for pattern, reason in read_rules(library, folder):
            said.add(reason)
            if reason not in explained:
                faults.append(f"{name}: {pattern}: the reason '{reason}' is not one of {', '.join(sorted(explained))}")
            if library in used_by_library and pattern not in used_by_library[library]:
                faults.append(f"{name}: {pattern} excludes nothing that any version exports")
        if library not in used_by_library:
            faults.append(f"{name}: no exported names of {library} are recorded in tests/coverage/exports/")
    return faults + [f"{PAGE}: no function is excluded as '{reason}'" for reason in sorted(set(explained) - said)]


def record(path):
    functions = collections.defaultdict(list)
    for name, addresses in sorted(exported(path).items()):
        if plain(name) is not None:
            functions[min(addresses)].append(name)
    lines, line = [], ""
    for word in sorted("=".join(names) for names in functions.values()):
        if len(line) + len(word) > 118:
            lines.append(line)
            line = ""
        line += (" " if line else "") + word
    return "\n".join(lines + [line]) + "\n"


def by_version(path):
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", path)]


def recorded():
    """file name of a library -> [[names of one address]]"""
    found = {}
    for path in sorted(glob.glob(os.path.join(HERE, "exports", "*.txt")), key=by_version):
        with open(path, encoding="utf-8") as lines:
            words = [word for line in lines if not line.startswith("#") for word in line.split()]
        found[os.path.basename(path).removesuffix(".txt")] = [word.split("=") for word in words]
    return found


def stand_in(folder, name, groups):
    """A library of that name that exports these functions, which do nothing."""
    source = os.path.join(folder, name + ".c")
    with open(source, "w", encoding="utf-8") as out:
        for i, (first, *others) in enumerate(groups):
            out.write(f'void f{i}(void) __asm__("{first}");\nvoid f{i}(void) {{}}\n')
            for j, other in enumerate(others):
                out.write(f'void f{i}_{j}(void) __asm__("{other}") __attribute__((alias("{first}")));\n')
    library = os.path.join(folder, name)
    subprocess.run([os.environ.get("CC", "cc"), "-O1", "-w", "-shared", "-nostdlib", "-fPIC", f"-Wl,-soname,{name}", "-o",
                    library, source], check=True)
    return library


def of_recorded(program):
    """(file name, counts, faults) of each, and the patterns that were used by library"""
    results, used = [], collections.defaultdict(set)
    with tempfile.TemporaryDirectory() as folder:
        for name, groups in recorded().items():
            path = stand_in(folder, name, groups)
            counts, faults, patterns = compare(exported(path), described(program, path), read_rules(library_of(name)))
            results.append((name, counts, faults))
            used[library_of(name)] |= patterns
    return results, used


def table(results, names):
    lines = ["| library | exported | described | " + " | ".join(names) + " |", "|---" * (len(names) + 3) + "|"]
    for name, counts, _ in results:
        columns = [str(sum(counts.values())), str(counts["described"])] + [str(counts[reason] or "") for reason in names]
        lines.append(f"| `{name}` | " + " | ".join(columns).replace("  ", " ") + " |")
    return "\n".join(lines) + "\n"


def report(results, more=()):
    faults = [f"{name}: {fault}" for name, _, of_one in results for fault in of_one] + list(more)
    print(table(results, list(reasons())), end="")
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"{len(faults)} faults")
    return 1 if faults else 0


def main(arguments):
    if arguments[0] == "record":
        print(record(arguments[1]), end="")
        return 0
    program, mode, *libraries = arguments
    if mode == "table":
        print(table(of_recorded(program)[0], list(reasons())), end="")
        return 0
    if mode == "recorded":
        results, used = of_recorded(program)
        faults = faults_of_lists(used)
        with open(PAGE, encoding="utf-8") as page:
            if table(results, list(reasons())) not in page.read():
                faults.append(f"{PAGE}: the table by library is not what `coverage_test.py INGERO table` prints")
        return report(results, faults)
    libraries = libraries or found_libraries()
    if not libraries:
        print("SKIP: none of the vendors' libraries is installed here")
        return SKIPPED
    results = []
    for path in libraries:
        counts, faults, _ = compare(exported(path), described(program, path), read_rules(library_of(path)))
        results.append((os.path.basename(os.path.realpath(path)), counts, faults))
    return report(results)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
