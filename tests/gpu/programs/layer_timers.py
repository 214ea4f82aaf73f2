"""A trainer that reports the time of each layer: hooks synchronise the device before and behind every one."""
import collections
import time

import torch
import torch.nn as nn

from own_clock import Clock

WIDTH, LAYERS = 384, 48


class LayerTimes:
    def __init__(self, clock):
        self.clock, self.begin, self.spent = clock, {}, collections.Counter()

    def before(self, layer, _):
        with self.clock.planted():
            torch.cuda.synchronize()
        self.begin[layer] = time.perf_counter()

    def behind(self, layer, _, __):
        with self.clock.planted():
            torch.cuda.synchronize()
        self.spent[layer] += time.perf_counter() - self.begin[layer]

    def watch(self, model):
        for layer in model:
            layer.register_forward_pre_hook(self.before)
            layer.register_forward_hook(self.behind)


def main():
    clock = Clock()
    model = nn.Sequential(*[nn.Sequential(nn.LayerNorm(WIDTH), nn.Linear(WIDTH, WIDTH), nn.GELU(), nn.Linear(WIDTH, WIDTH))
                            for _ in range(LAYERS)]).cuda()
    LayerTimes(clock).watch(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    batch = torch.randn(8192, WIDTH, device="cuda")

    def step():
        loss = model(batch).square().mean()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()

    for _ in range(5):
        step()
    for _ in clock.steps():
        step()
    clock.report("96 synchronisations a step; planted: the waits in them")


if __name__ == "__main__":
    main()
