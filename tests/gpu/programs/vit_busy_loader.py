"""ViT training. Twelve loader workers are busy all the time and keep up."""
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
WORKERS = max(2, min(12, len(os.sched_getaffinity(0)) - 3))
BATCH, PX, PATCH, D, L, H = 48, 160, 10, 1024, 16, 16


class Photos(IterableDataset):
    def __iter__(self):
        info = torch.utils.data.get_worker_info()
        g = torch.Generator().manual_seed((info.id if info else 0) + 11)
        store = torch.randint(0, 256, (64, 3, 256, 256), dtype=torch.uint8, generator=g)
        i = 0
        while True:
            r = torch.rand(5, generator=g).tolist()
            s = 128 + int(r[0] * 128)
            top, left = int(r[1] * (256 - s)), int(r[2] * (256 - s))
            x = store[i % 64, :, top:top + s, left:left + s].float()
            x = F.interpolate(x[None], (PX, PX), mode="bilinear", antialias=True)[0]
            if r[3] < 0.5:
                x = x.flip(-1)
            x = (x * (0.7 + 0.6 * r[4])).clamp_(0, 255)
            yield x.to(torch.uint8), i % 1000
            i += 1


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(D), nn.LayerNorm(D)
        self.qkv, self.o = nn.Linear(D, 3 * D), nn.Linear(D, D)
        self.f1, self.f2 = nn.Linear(D, 4 * D), nn.Linear(4 * D, D)

    def forward(self, x):
        b, t, _ = x.shape
        q, k, v = self.qkv(self.n1(x)).view(b, t, 3, H, D // H).permute(2, 0, 3, 1, 4)
        x = x + self.o(F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(b, t, D))
        return x + self.f2(F.gelu(self.f1(self.n2(x))))


class ViT(nn.Module):
    def __init__(self):
        super().__init__()
        self.patch = nn.Conv2d(3, D, PATCH, PATCH)
        self.pos = nn.Parameter(torch.zeros(1, (PX // PATCH) ** 2, D))
        self.blocks = nn.ModuleList(Block() for _ in range(L))
        self.norm, self.head = nn.LayerNorm(D), nn.Linear(D, 1000)

    def forward(self, x):
        x = self.patch(x).flatten(2).transpose(1, 2) + self.pos
        for b in self.blocks:
            x = b(x)
        return self.head(self.norm(x).mean(1))


def main():
    loader = DataLoader(Photos(), batch_size=BATCH, num_workers=WORKERS, prefetch_factor=1, pin_memory=True,
                        persistent_workers=True, multiprocessing_context="fork")
    it = iter(loader)
    dev = torch.device("cuda")
    torch.manual_seed(0)
    with dev:
        net = ViT()
    opt = torch.optim.AdamW(net.parameters(), lr=3e-4, fused=True)

    def step():
        t0 = time.perf_counter()
        x, y = next(it)
        waited = (time.perf_counter() - t0) * 1e3
        x = x.to(dev, non_blocking=True).float().div_(127.5).sub_(1)
        y = y.to(dev, non_blocking=True)
        with torch.autocast("cuda", torch.bfloat16):
            loss = F.cross_entropy(net(x), y, label_smoothing=0.1)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        return loss, waited

    for _ in range(4):
        step()
    torch.cuda.synchronize()
    times, waits = [], []
    last = time.perf_counter()
    end = last + SECONDS
    while last < end:
        loss, w = step()
        if len(times) % 20 == 19:
            print(f"{len(times)} {loss.item():.3f}", file=sys.stderr)
        now = time.perf_counter()
        times.append((now - last) * 1e3)
        waits.append(w)
        last = now
    torch.cuda.synchronize()
    print(json.dumps({"steps": len(times), "step_ms": round(statistics.median(times), 3), "planted_ms": 0.0,
                      "note": f"healthy; median wait for a batch {statistics.median(waits):.2f} ms, "
                              f"{WORKERS} workers"}))
    sys.stdout.flush()
    del it, loader


if __name__ == "__main__":
    main()
