"""Healthy: batches of many lengths, and nothing in the loop waits for the device: launches wait for room in their queue."""
import random

import torch
import torch.nn as nn

from own_clock import Clock

WIDTH = 1024


def main():
    random.seed(1)
    model = nn.Sequential(*[layer for _ in range(6) for layer in (nn.Linear(WIDTH, WIDTH), nn.GELU())]).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)

    def step():
        length = random.randrange(12000, 40000)
        batch = torch.randn(length, WIDTH, device="cuda")
        loss = model(batch).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)

    for _ in range(5):
        step()
    clock = Clock()
    for _ in clock.steps():
        step()
    clock.report("device-bound; the host runs ahead until the launch queue is full")


if __name__ == "__main__":
    main()
