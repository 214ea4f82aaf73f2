"""SimCLR pre-training; views are made by the Dataset."""
import json
import random
import statistics
import sys
import time

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 6.0
dev = torch.device("cuda")
torch.backends.cudnn.benchmark = True


class TwoViews(Dataset):
    def __init__(self, n=4096, raw=192, out=128):
        g = torch.Generator().manual_seed(0)
        self.store = torch.randint(0, 256, (512, 3, raw, raw), dtype=torch.uint8, generator=g)
        self.n, self.raw, self.out = n, raw, out
        k = torch.exp(-torch.linspace(-2, 2, 9) ** 2)
        self.kernel = (k / k.sum()).view(1, 1, 1, 9).expand(3, 1, 1, 9).contiguous()

    def __len__(self):
        return self.n

    def view(self, img):
        s = random.randint(self.raw // 2, self.raw)
        top, left = random.randint(0, self.raw - s), random.randint(0, self.raw - s)
        x = img[:, top:top + s, left:left + s].float().div_(255)
        x = F.interpolate(x[None], (self.out, self.out), mode="bilinear", antialias=True)[0]
        if random.random() < 0.5:
            x = x.flip(-1)
        x = x * random.uniform(0.6, 1.4)
        x = (x - x.mean()) * random.uniform(0.6, 1.4) + x.mean()
        grey = x.mean(0, keepdim=True)
        x = torch.lerp(grey.expand_as(x), x, random.uniform(0.2, 1.2)).clamp_(0, 1)
        x = F.conv2d(x[None], self.kernel, padding=(0, 4), groups=3)
        x = F.conv2d(x, self.kernel.transpose(2, 3), padding=(4, 0), groups=3)[0]
        return (x - 0.45) / 0.25

    def __getitem__(self, i):
        img = self.store[i % len(self.store)]
        return self.view(img), self.view(img)


class Res(nn.Module):
    def __init__(self, i, o, s):
        super().__init__()
        self.c1, self.b1 = nn.Conv2d(i, o, 3, s, 1, bias=False), nn.BatchNorm2d(o)
        self.c2, self.b2 = nn.Conv2d(o, o, 3, 1, 1, bias=False), nn.BatchNorm2d(o)
        self.skip = nn.Conv2d(i, o, 1, s, bias=False) if (i != o or s != 1) else nn.Identity()

    def forward(self, x):
        y = self.b2(self.c2(F.relu(self.b1(self.c1(x)))))
        return F.relu(y + self.skip(x))


def encoder():
    return nn.Sequential(nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1),
                         Res(64, 64, 1), Res(64, 64, 1), Res(64, 128, 2), Res(128, 128, 1), Res(128, 256, 2),
                         Res(256, 256, 1), Res(256, 512, 2), Res(512, 512, 1), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                         nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 128))


def nt_xent(a, b, tau=0.2):
    z = F.normalize(torch.cat([a, b]).float(), dim=1)
    sim = z @ z.t() / tau
    sim.fill_diagonal_(float("-inf"))
    n = len(a)
    target = torch.arange(2 * n, device=z.device).roll(n)
    return F.cross_entropy(sim, target)


def main():
    torch.manual_seed(0)
    loader = DataLoader(TwoViews(), batch_size=64, shuffle=True, num_workers=0, pin_memory=True, drop_last=True)
    net = encoder().to(dev, memory_format=torch.channels_last)
    opt = torch.optim.AdamW(net.parameters(), lr=1e-3, fused=True)

    def forever():
        while True:
            yield from loader

    it = forever()
    times, planted, n, start = [], [], -3, None
    last = time.perf_counter()
    while start is None or last - start < SECONDS:
        t0 = time.perf_counter()
        v1, v2 = next(it)
        data_ms = (time.perf_counter() - t0) * 1e3
        v1 = v1.to(dev, non_blocking=True, memory_format=torch.channels_last)
        v2 = v2.to(dev, non_blocking=True, memory_format=torch.channels_last)
        with torch.autocast("cuda", torch.bfloat16):
            loss = nt_xent(net(v1), net(v2))
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        n += 1
        now = time.perf_counter()
        if n > 0:
            times.append((now - last) * 1e3)
            planted.append(data_ms)
        elif n == 0:
            torch.cuda.synchronize()
            start = now = time.perf_counter()
        last = now
    print(f"loss {loss.item():.3f}", file=sys.stderr)
    print(json.dumps({"steps": n, "step_ms": round(statistics.median(times), 3),
                      "planted_ms": round(statistics.median(planted), 3),
                      "note": "time in next(loader): augmentation runs in the training process"}))


if __name__ == "__main__":
    main()
