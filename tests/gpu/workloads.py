#!/usr/bin/env python3
"""The three PyTorch programs that are traced on a real GPU. Needs torch with CUDA.

  workloads.py NAME --profile PROFILE.json --window WINDOW.json [--steps N]
      runs N steps under torch.profiler (CUPTI) and says which part of the run counts
  workloads.py NAME --serve
      a long-lived process for measuring throughput: reads "N" lines, runs N steps, answers one JSON line each

NAME: training (a training loop), graph (torch.compile with CUDA graphs), loader (a DataLoader with worker processes).
"""
import argparse
import json
import os
import sys
import time

ANNOTATION = "ingero_window"
QUIET_S = 0.05  # nothing runs this long around the window, so no call lies across its ends


class Training:
    """A small network: short kernels, so that the cost per call shows."""

    def __init__(self, torch):
        self.torch = torch
        self.model = torch.nn.Sequential(*[layer for _ in range(4) for layer in (
            torch.nn.Linear(1024, 1024), torch.nn.LayerNorm(1024), torch.nn.GELU())]).cuda()
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-4)
        self.host = torch.randn(256, 1024).pin_memory()

    def run(self, steps):
        for _ in range(steps):
            batch = self.host.to("cuda", non_blocking=True)
            loss = self.model(batch).square().mean()
            self.optimizer.zero_grad(set_to_none=True)
            loss.backward()
            self.optimizer.step()
            loss.item()  # waits for the device, as training loops that log do
        self.torch.cuda.synchronize()


class Graph:
    """torch.compile in the mode that captures and replays CUDA graphs."""

    def __init__(self, torch):
        self.torch = torch
        model = torch.nn.Sequential(*[layer for _ in range(4) for layer in (
            torch.nn.Linear(512, 512), torch.nn.GELU())]).cuda()
        self.model = torch.compile(model, mode="reduce-overhead")
        self.batch = torch.randn(64, 512, device="cuda")

    def run(self, steps):
        with self.torch.no_grad():
            for _ in range(steps):
                self.torch.compiler.cudagraph_mark_step_begin()
                self.model(self.batch).sum().item()
        self.torch.cuda.synchronize()


class Loader:
    """Worker processes prepare batches; the main process copies them to the device."""

    WORKERS = 4

    def __init__(self, torch):
        self.torch = torch
        self.model = torch.nn.Linear(4096, 256).cuda()

    def run(self, steps):
        data = self.torch.utils.data.TensorDataset(self.torch.randn(steps * 32, 4096))
        loader = self.torch.utils.data.DataLoader(data, batch_size=32, num_workers=self.WORKERS, pin_memory=True)
        with self.torch.no_grad():
            for (batch,) in loader:
                self.model(batch.to("cuda", non_blocking=True)).sum().item()
        del loader
        self.torch.cuda.synchronize()


WORKLOADS = {"training": Training, "graph": Graph, "loader": Loader}


def profile(torch, workload, steps, profile_path, window_path):
    activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
    with torch.profiler.profile(activities=activities) as profiler:
        workload.run(2)  # the profiler's own start-up calls lie before the window
        time.sleep(QUIET_S)
        with torch.profiler.record_function(ANNOTATION):
            begin = time.monotonic_ns()
            workload.run(steps)
            time.sleep(QUIET_S)
            end = time.monotonic_ns()
        time.sleep(QUIET_S)
    profiler.export_chrome_trace(profile_path)
    with open(window_path, "w", encoding="utf-8") as file:
        json.dump({"pid": os.getpid(), "annotation": ANNOTATION, "begin_mono_ns": begin, "end_mono_ns": end,
                   "steps": steps, "torch": torch.__version__, "cuda": torch.version.cuda,
                   "gpu": torch.cuda.get_device_name(0)}, file)


def serve(workload):
    print(json.dumps({"ready": True, "pid": os.getpid()}), flush=True)
    for line in sys.stdin:
        steps = int(line)
        begin = time.monotonic_ns()
        workload.run(steps)
        elapsed = time.monotonic_ns() - begin
        print(json.dumps({"steps": steps, "seconds": elapsed / 1e9}), flush=True)


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", choices=sorted(WORKLOADS))
    parser.add_argument("--profile")
    parser.add_argument("--window")
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--serve", action="store_true")
    options = parser.parse_args(arguments)
    if not options.serve and not (options.profile and options.window):
        parser.error("--profile and --window, or --serve")
    import torch  # noqa: PLC0415  (a usage error needs no torch)
    if not torch.cuda.is_available():
        print("workloads: torch sees no CUDA device", file=sys.stderr)
        return 2
    torch.manual_seed(1)
    workload = WORKLOADS[options.name](torch)
    workload.run(20)  # compilation, graph capture, first allocations
    if options.serve:
        serve(workload)
    else:
        profile(torch, workload, options.steps, options.profile, options.window)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
