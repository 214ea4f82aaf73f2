"""Denoising U-Net training."""
import json
import os
import statistics
import sys
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 6.0
dev = torch.device("cuda")


class Res(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.n1, self.c1 = nn.GroupNorm(8, i), nn.Conv2d(i, o, 3, padding=1)
        self.n2, self.c2 = nn.GroupNorm(8, o), nn.Conv2d(o, o, 3, padding=1)
        self.t = nn.Linear(256, o)
        self.s = nn.Conv2d(i, o, 1) if i != o else nn.Identity()

    def forward(self, x, t):
        h = self.c1(F.silu(self.n1(x))) + self.t(t)[:, :, None, None]
        return self.c2(F.silu(self.n2(h))) + self.s(x)


class UNet(nn.Module):
    def __init__(self, w=(64, 128, 256)):
        super().__init__()
        self.time = nn.Sequential(nn.Linear(1, 256), nn.SiLU(), nn.Linear(256, 256))
        self.inp = nn.Conv2d(3, w[0], 3, padding=1)
        self.down = nn.ModuleList([Res(w[0], w[0]), Res(w[0], w[1]), Res(w[1], w[2])])
        self.mid = Res(w[2], w[2])
        self.up = nn.ModuleList([Res(2 * w[2], w[1]), Res(2 * w[1], w[0]), Res(2 * w[0], w[0])])
        self.out = nn.Conv2d(w[0], 3, 3, padding=1)

    def forward(self, x, t):
        t = self.time(t[:, None])
        x = self.inp(x)
        skips = []
        for d in self.down:
            x = d(x, t)
            skips.append(x)
            x = F.avg_pool2d(x, 2)
        x = self.mid(x, t)
        for u in self.up:
            x = F.interpolate(x, scale_factor=2.0)
            x = u(torch.cat([x, skips.pop()], 1), t)
        return self.out(x)


def main():
    torch.manual_seed(0)
    net = UNet().to(dev)
    opt = torch.optim.AdamW(net.parameters(), lr=2e-4, fused=True)
    images = torch.randn(16, 8, 3, 128, 128, device=dev)

    def step(i):
        x0 = images[i % 16]
        t = torch.rand(len(x0), device=dev)
        noise = torch.randn_like(x0)
        xt = torch.lerp(x0, noise, t[:, None, None, None])
        with torch.autocast("cuda", torch.bfloat16):
            loss = F.mse_loss(net(xt, t).float(), noise - x0)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        return loss

    for i in range(3):
        step(i)
    torch.cuda.synchronize()
    times = []
    last = time.perf_counter()
    end = last + SECONDS
    while last < end:
        loss = step(len(times))
        if len(times) % 50 == 49:
            print(f"{len(times)} {loss.item():.4f}", file=sys.stderr)
        now = time.perf_counter()
        times.append((now - last) * 1e3)
        last = now
    torch.cuda.synchronize()
    env = os.environ.get("PYTORCH_NO_CUDA_MEMORY_CACHING")
    print(json.dumps({"steps": len(times), "step_ms": round(statistics.median(times), 3), "planted_ms": None,
                      "note": f"PYTORCH_NO_CUDA_MEMORY_CACHING={env}; run once without it for the healthy step time"}))


if __name__ == "__main__":
    main()
