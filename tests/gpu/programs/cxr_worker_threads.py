"""Chest X-ray classifier. Loader workers denoise and resize with torch on the CPU."""
import json
import os
import statistics
import sys
import time

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, IterableDataset

SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 6.0
NCPU = max(4, min(16, len(os.sched_getaffinity(0))))


class Films(IterableDataset):
    def __init__(self, side=512, out=224):
        self.side, self.out = side, out

    def __iter__(self):
        info = torch.utils.data.get_worker_info()
        g = torch.Generator().manual_seed(info.seed % 2**31 if info else 0)
        pool = torch.rand(6, 1, self.side, self.side, generator=g)
        k = torch.ones(1, 1, 5, 5) / 25
        i = 0
        while True:
            x = pool[i % 6][None]
            x = x + 0.02 * torch.randn(1, 1, 1, 1, generator=g)
            low = F.conv2d(x, k, padding=2)
            x = (x - low).mul(1.5).add_(low).clamp_(0, 1)
            x = x.pow(0.8)
            x = F.interpolate(x, (self.out, self.out), mode="bilinear", antialias=True)
            yield x[0].mul(255).to(torch.uint8), i % 14
            i += 1


def init_worker(_):
    # "use all cores": copied from the single-process preprocessing script
    torch.set_num_threads(NCPU)


def net():
    def blk(i, o):
        return [nn.Conv2d(i, o, 3, 2, 1, bias=False), nn.BatchNorm2d(o), nn.ReLU(inplace=True),
                nn.Conv2d(o, o, 3, 1, 1, bias=False), nn.BatchNorm2d(o), nn.ReLU(inplace=True),
                nn.Conv2d(o, o, 3, 1, 1, bias=False), nn.BatchNorm2d(o), nn.ReLU(inplace=True)]
    return nn.Sequential(*blk(1, 128), *blk(128, 256), *blk(256, 512), *blk(512, 1024),
                         nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(1024, 14))


def main():
    loader = DataLoader(Films(), batch_size=24, num_workers=NCPU - 2, worker_init_fn=init_worker,
                        prefetch_factor=2, persistent_workers=True, pin_memory=False,
                        multiprocessing_context="fork")
    it = iter(loader)              # workers are forked before CUDA starts
    dev = torch.device("cuda")
    torch.backends.cudnn.benchmark = True
    model = net().to(dev, memory_format=torch.channels_last)
    opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)

    def train(batch):
        x, y = batch
        x = x.to(dev).float().div_(255).to(memory_format=torch.channels_last)
        y = y.to(dev)
        with torch.autocast("cuda", torch.bfloat16):
            loss = F.cross_entropy(model(x), y)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        return loss

    for _ in range(2):
        train(next(it))
    torch.cuda.synchronize()
    times, wait = [], []
    last = time.perf_counter()
    end = last + SECONDS
    while last < end:
        t0 = time.perf_counter()
        batch = next(it)
        wait.append((time.perf_counter() - t0) * 1e3)
        loss = train(batch)
        now = time.perf_counter()
        times.append((now - last) * 1e3)
        last = now
    torch.cuda.synchronize()
    print(json.dumps({"steps": len(times), "step_ms": round(statistics.median(times), 3),
                      "planted_ms": round(statistics.median(wait), 3),
                      "mean_step_ms": round(sum(times) / len(times), 3),
                      "mean_planted_ms": round(sum(wait) / len(wait), 3),
                      "note": f"wait for the loader: {NCPU - 2} workers with {NCPU} threads each"}))
    sys.stdout.flush()
    del it, loader


if __name__ == "__main__":
    main()
