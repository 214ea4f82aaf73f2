"""Training with torch.profiler left on: each 20 steps their trace, with stacks, is written in the training thread."""
import os
import tempfile

import torch
import torch.nn as nn
from torch.profiler import ProfilerActivity, profile, schedule

from own_clock import Clock


def main():
    folder = tempfile.mkdtemp()
    model = nn.Sequential(*[layer for _ in range(16) for layer in (nn.Linear(1024, 1024), nn.LayerNorm(1024), nn.ReLU())]).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    batch = torch.randn(2048, 1024, device="cuda")
    clock = Clock()

    def step():
        loss = model(batch).square().mean()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()

    def write_trace(profiler):
        profiler.export_chrome_trace(os.path.join(folder, "trace.json"))

    for _ in range(5):
        step()
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], record_shapes=True, with_stack=True,
                 schedule=schedule(wait=1, warmup=1, active=20), on_trace_ready=write_trace) as profiler:
        for _ in clock.steps():
            step()
            with clock.planted():
                profiler.step()
    clock.report("planted: profiler.step(), which collects and writes")


if __name__ == "__main__":
    main()
