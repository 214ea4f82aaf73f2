#!/usr/bin/env python3
"""Runs the PyTorch programs of tests/gpu/programs under "ingero trace", and prints what explain says first next to what
is the matter with them. Their author had not seen the rules, so the cause is for a reader to compare; checked are two
things: a healthy program is accused of nothing, and a line of the program stands in the answer.

  programs.py --ingero FILE --work FOLDER [--seconds 6] [NAME...]

FOLDER keeps of each program the recording, what it printed, and explain's answer. Status 1 when a healthy program was
accused, 77 without root or a GPU. Needs an interpreter with torch; some programs need transformers.
"""
import argparse
import json
import os
import signal
import subprocess
import sys

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs")
NO_ACCUSATION = ("device-bound", "idle", "not known")
STARTS_S = 60  # imports, compilation, and the trace's own end


def run(plan, options):
    """Explain's answer, and the program's own figures (None: it printed none)."""
    folder = os.path.join(options.work, plan["name"])
    os.makedirs(folder, exist_ok=True)
    recording = os.path.join(folder, "run.db")
    command = [options.ingero, "trace", "--db", recording, "--", sys.executable,
               os.path.join(HERE, plan["name"] + ".py"), str(options.seconds)]
    with open(os.path.join(folder, "out"), "w", encoding="utf-8") as out, \
            open(os.path.join(folder, "err"), "w", encoding="utf-8") as err:
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True,
                              env={**os.environ, **plan["env"]}) as traced:
            try:
                traced.wait(options.seconds + STARTS_S)
            except subprocess.TimeoutExpired:
                os.killpg(traced.pid, signal.SIGINT)
                traced.wait(STARTS_S)
    said = subprocess.run([options.ingero, "explain", "--json", recording], capture_output=True, text=True, check=True,
                          timeout=120).stdout
    with open(os.path.join(folder, "explain.json"), "w", encoding="utf-8") as file:
        file.write(said)
    with open(os.path.join(folder, "out"), encoding="utf-8", errors="replace") as file:
        figures = [line for line in file.read().splitlines() if line.startswith('{"steps"')]
    return json.loads(said), json.loads(figures[-1]) if figures else None


def first(answer):
    """What limits the program, and the sentences behind it; of the process that lost most."""
    times = answer["time"]
    if not times:
        return "no budget", [], None
    time = times[0]
    sentences = time["verdict"]["because"] + [path["sentence"] for path in time["blame"]]
    return time["verdict"]["name"], sentences, time["steps"]


def main():
    with open(os.path.join(HERE, "plan.json"), encoding="utf-8") as file:
        plans = {plan["name"]: plan for plan in json.load(file)}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", choices=[[], *plans], metavar="NAME", help="only these programs")
    parser.add_argument("--ingero", required=True)
    parser.add_argument("--work", required=True, help="where the folders of the programs go")
    parser.add_argument("--seconds", type=float, default=6)
    options = parser.parse_args()
    if os.geteuid() != 0 or not os.path.exists("/dev/nvidiactl"):
        print("needs root and an NVIDIA GPU")
        return 77
    accused, named, planted = [], 0, 0
    for name in options.names or plans:
        plan = plans[name]
        answer, figures = run(plan, options)
        limit, sentences, steps = first(answer)
        print(f"\n{name}: {'healthy' if plan['healthy'] else plan['cause']}")
        print(f"  says: {limit}; {steps['count'] if steps else 'no'} steps; the program made {(figures or {}).get('steps')}")
        for sentence in sentences[:3]:
            print(f"        {sentence[:180]}")
        if plan["healthy"] and limit not in NO_ACCUSATION:
            accused.append(name)
        if not plan["healthy"]:
            planted += 1
            named += any(f"{name}.py" in sentence for sentence in sentences)
    print(f"\n{named} of {planted} planted causes: a line of the program is named; healthy programs accused: "
          f"{', '.join(accused) or 'none'}")
    return 1 if accused else 0


if __name__ == "__main__":
    sys.exit(main())
