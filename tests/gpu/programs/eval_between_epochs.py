"""Image classifier with an evaluation after each (short) epoch; data set lives on the device."""
import json
import statistics
import sys
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 6.0
dev = torch.device("cuda")
torch.backends.cudnn.benchmark = True
BATCH, PX, TRAIN_STEPS, EVAL_STEPS = 384, 128, 24, 12


class Res(nn.Module):
    def __init__(self, i, o, s):
        super().__init__()
        self.c1, self.b1 = nn.Conv2d(i, o, 3, s, 1, bias=False), nn.BatchNorm2d(o)
        self.c2, self.b2 = nn.Conv2d(o, o, 3, 1, 1, bias=False), nn.BatchNorm2d(o)
        self.skip = nn.Conv2d(i, o, 1, s, bias=False) if (i != o or s != 1) else nn.Identity()

    def forward(self, x):
        y = self.b2(self.c2(F.relu(self.b1(self.c1(x)))))
        return F.relu(y + self.skip(x))


def build():
    return nn.Sequential(nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(),
                         Res(64, 64, 1), Res(64, 64, 1), Res(64, 128, 2), Res(128, 128, 1), Res(128, 256, 2),
                         Res(256, 256, 1), Res(256, 512, 2), Res(512, 512, 1), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                         nn.Linear(512, 100))


def main():
    torch.manual_seed(0)
    net = build().to(dev, memory_format=torch.channels_last)
    opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9, fused=True)
    images = torch.randint(0, 256, (4096, 3, PX, PX), dtype=torch.uint8, device=dev)
    labels = torch.randint(0, 100, (4096,), device=dev)

    def batch(i):
        lo = (i * BATCH) % (4096 - BATCH)
        x = images[lo:lo + BATCH].to(torch.bfloat16, memory_format=torch.channels_last).sub_(127).div_(64)
        return x, labels[lo:lo + BATCH]

    def train_step(i):
        x, y = batch(i)
        with torch.autocast("cuda", torch.bfloat16):
            loss = F.cross_entropy(net(x), y)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()

    @torch.no_grad()
    def evaluate():
        net.eval()
        right = torch.zeros((), device=dev, dtype=torch.long)
        for i in range(EVAL_STEPS):
            x, y = batch(i)
            with torch.autocast("cuda", torch.bfloat16):
                right += (net(x).argmax(1) == y).sum()
        net.train()
        return right.item() / (EVAL_STEPS * BATCH)

    for i in range(3):
        train_step(i)
    evaluate()
    epoch_ms, eval_ms, n = [], [], 0
    end = time.perf_counter() + SECONDS
    while time.perf_counter() < end:
        t0 = time.perf_counter()
        for _ in range(TRAIN_STEPS):
            train_step(n)
            n += 1
        torch.cuda.synchronize()
        t1 = time.perf_counter()
        acc = evaluate()
        t2 = time.perf_counter()
        epoch_ms.append((t1 - t0) * 1e3 / TRAIN_STEPS)
        eval_ms.append((t2 - t1) * 1e3)
        print(f"epoch {len(epoch_ms)} accuracy {acc:.4f}", file=sys.stderr)
    print(json.dumps({"steps": n, "step_ms": round(statistics.median(epoch_ms), 3), "planted_ms": 0.0,
                      "note": f"healthy; evaluation {statistics.median(eval_ms):.1f} ms after every {TRAIN_STEPS} steps"}))


if __name__ == "__main__":
    main()
