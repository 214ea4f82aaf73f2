"""A program's own clock: how long its steps take, and how much of each the planted part."""
import contextlib
import json
import statistics
import sys
import time

SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 5.0


class Clock:
    def __init__(self):
        self.times, self.parts, self.part = [], [], 0.0

    def steps(self, seconds=SECONDS):
        """Numbers of steps, until the time is over."""
        end = time.perf_counter() + seconds
        while (begin := time.perf_counter()) < end:
            self.part = 0.0
            yield len(self.times)
            self.times.append(time.perf_counter() - begin)
            self.parts.append(self.part)

    @contextlib.contextmanager
    def planted(self):
        begin = time.perf_counter()
        yield
        self.part += time.perf_counter() - begin

    def report(self, note, **more):
        share = 100 * sum(self.parts) / max(1e-9, sum(self.times))
        print(json.dumps({"steps": len(self.times), "step_ms": round(1e3 * statistics.median(self.times), 3),
                          "planted_percent": round(share, 1), "note": note, **more}), flush=True)
