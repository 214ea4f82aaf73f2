"""Segmentation of images of many sizes with cudnn.benchmark: the fastest algorithm is searched for anew for each size."""
import random
import time

import torch
import torch.nn as nn

from own_clock import Clock

torch.backends.cudnn.benchmark = True


def main():
    random.seed(4)
    blocks, channels = [], 3
    for width in (32, 64, 64, 96, 96, 128):
        blocks += [nn.Conv2d(channels, width, 3, padding=1), nn.BatchNorm2d(width), nn.ReLU()]
        channels = width
    model = nn.Sequential(*blocks, nn.Conv2d(channels, 8, 1)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)

    def step(height, width):
        images = torch.randn(4, 3, height, width, device="cuda")
        loss = model(images).logsumexp(1).mean()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()

    torch.backends.cudnn.benchmark = False
    for _ in range(3):
        step(288, 288)
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for number in range(10):
        step(200 + 4 * number, 240)
    torch.cuda.synchronize()
    without_ms = 100 * (time.perf_counter() - begin)
    torch.backends.cudnn.benchmark = True
    sizes = [(height, width) for height in range(160, 420, 2) for width in range(160, 420, 2)]
    random.shuffle(sizes)
    clock = Clock()
    for number in clock.steps():
        step(*sizes[number])
    clock.report("no size comes twice", without_ms=round(without_ms, 2))


if __name__ == "__main__":
    main()
