#!/usr/bin/env python3
"""What the verifier does for each BPF program, by kernel, held against the table in the tree (verifier_cost.txt).

  cost.py check KERNEL_RELEASE FILE    FILE: what verifier_cost printed there; exit status 1 when a program costs more
                                       than 10 % over the table's, or is refused where the table has a number
  cost.py update KERNEL_RELEASE FILE   writes what FILE says into the table
  cost.py here PROGRAM                 runs verifier_cost on this kernel and checks; 77: the table has not this kernel

A program that grows costs every start of the agent, and at a million instructions it no longer loads.
"""
import os
import re
import subprocess
import sys

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "verifier_cost.txt")
HEAD = "# Instructions that the verifier processes, by kernel series and program. cost.py compares and writes it.\n" \
       "# 0: before Linux 5.16 a kernel does not say how many.\n" \
       "# '-': this kernel refuses the program, and the agent does without it.\n"
GROWTH = 1.10
SKIPPED = 77


def series_of(release):
    """6.1.0-50-arm64 -> 6.1-arm64: the instruction sets cost differently."""
    found = re.match(r"(\d+\.\d+)", release)
    if not found:
        return release
    return found[1] + ("-arm64" if "arm64" in release or os.uname().machine == "aarch64" else "")


def read_table():
    costs = {}
    if os.path.exists(TABLE):
        with open(TABLE, encoding="utf-8") as file:
            for line in file:
                if line.strip() and not line.startswith("#"):
                    series, program, cost = line.split()
                    costs[series, program] = None if cost == "-" else int(cost)
    return costs


def write_table(costs):
    def order(item):
        series, program = item[0]
        number, _, arch = series.partition("-")
        return [int(part) for part in number.split(".")], arch, program

    with open(TABLE, "w", encoding="utf-8") as file:
        file.write(HEAD)
        for (series, program), cost in sorted(costs.items(), key=order):
            file.write(f"{series} {program} {'-' if cost is None else cost}\n")


def parse(text):
    """{program: (cost or None, why)}"""
    found = {}
    for line in text.splitlines():
        match = re.fullmatch(r"(\w+\.\w+) (?:(\d+)|(loaded)|refused: (.*))", line.strip())
        if match:
            found[match[1]] = (0 if match[3] else int(match[2]) if match[2] else None, match[4] or "")
    return found


def compare(release, text):
    """Sentences about what costs too much; None: the table has not this kernel."""
    series, costs, found = series_of(release), read_table(), parse(text)
    known = {program: cost for (of, program), cost in costs.items() if of == series}
    if not known:
        return None
    wrong = [] if found else [f"verifier_cost printed nothing on {release}"]
    for program, (cost, why) in sorted(found.items()):
        if program not in known:
            wrong.append(f"{program} is not in tests/kernels/verifier_cost.txt for {series}: cost.py update adds it")
        elif known[program] is None:
            continue
        elif cost is None:
            wrong.append(f"{program} is refused by {release}: {why}")
        elif cost > GROWTH * known[program]:
            wrong.append(f"{program} costs the verifier of {release} {cost} instructions, {known[program]} in the table: "
                         f"over {GROWTH - 1:.0%} more. Make it smaller, or say why in the commit and run cost.py update")
    return wrong


def main(arguments):
    if len(arguments) == 2 and arguments[0] == "here":
        if os.geteuid() != 0:
            print("skipped: loading BPF programs needs root")
            return SKIPPED
        release = os.uname().release
        text = subprocess.run([arguments[1]], text=True, capture_output=True).stdout
    elif len(arguments) == 3 and arguments[0] in ("check", "update"):
        release = arguments[1]
        with open(arguments[2], encoding="utf-8") as file:
            text = file.read()
    else:
        print(__doc__)
        return 2
    if arguments[0] == "update":
        costs = {key: cost for key, cost in read_table().items() if key[0] != series_of(release)}
        costs.update({(series_of(release), program): cost for program, (cost, _) in parse(text).items()})
        write_table(costs)
        return 0
    wrong = compare(release, text)
    if wrong is None:
        print(f"skipped: tests/kernels/verifier_cost.txt has no row of {series_of(release)}")
        return SKIPPED
    print("\n".join(wrong) if wrong else f"{release}: {len(parse(text))} programs cost what the table says")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
