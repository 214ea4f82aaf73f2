"""One small forecaster per sensor, all trained together: batched forward, separate parameters per sensor."""
import json
import statistics
import sys
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 6.0
dev = torch.device("cuda")
SENSORS, WIN, HID, OUT, BATCH = 700, 48, 64, 12, 256


class SensorBank(nn.Module):
    """Parameters stay separate so that each sensor's model can be exported on its own."""

    def __init__(self):
        super().__init__()
        mk = lambda *s: nn.ParameterList([nn.Parameter(torch.randn(*s, device=dev) * 0.1) for _ in range(SENSORS)])
        self.w1, self.b1, self.w2, self.b2 = mk(WIN, HID), mk(1, HID), mk(HID, OUT), mk(1, OUT)

    def forward(self, x):                                   # x: sensors, batch, window
        h = torch.baddbmm(torch.stack(tuple(self.b1)), x, torch.stack(tuple(self.w1)))
        return torch.baddbmm(torch.stack(tuple(self.b2)), F.gelu(h), torch.stack(tuple(self.w2)))


def build_optimizer(model):
    decay = [p for p in model.parameters() if p.shape[0] > 1]
    plain = [p for p in model.parameters() if p.shape[0] == 1]
    return torch.optim.AdamW([{"params": decay, "weight_decay": 0.01}, {"params": plain, "weight_decay": 0.0}],
                             lr=1e-3, foreach=False)


def main():
    torch.manual_seed(0)
    model = SensorBank()
    opt = build_optimizer(model)
    series = torch.randn(SENSORS, 20000, device=dev).cumsum(1) * 0.01
    windows = series.unfold(1, WIN + OUT, 1)

    def step():
        at = torch.randint(0, windows.shape[1], (BATCH,), device=dev)
        w = windows[:, at]
        loss = F.smooth_l1_loss(model(w[..., :WIN]), w[..., WIN:])
        opt.zero_grad(set_to_none=True)
        loss.backward()
        t0 = time.perf_counter()
        opt.step()
        return loss, time.perf_counter() - t0

    for _ in range(3):
        step()
    torch.cuda.synchronize()
    times, planted = [], []
    last = time.perf_counter()
    end = last + SECONDS
    while last < end:
        loss, s = step()
        if len(times) % 25 == 24:
            print(f"loss {loss.item():.4f}", file=sys.stderr)
        now = time.perf_counter()
        times.append((now - last) * 1e3)
        planted.append(s * 1e3)
        last = now
    torch.cuda.synchronize()
    print(json.dumps({"steps": len(times), "step_ms": round(statistics.median(times), 3),
                      "planted_ms": round(statistics.median(planted), 3),
                      "note": f"optimizer.step(): {4 * SENSORS} tensors one by one"}))


if __name__ == "__main__":
    main()
