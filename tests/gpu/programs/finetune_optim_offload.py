"""Fine-tuning with 'low memory' AdamW: moments live in host memory between steps."""
import json
import statistics
import sys
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 6.0
dev = torch.device("cuda")
V, D, L, H, B, T = 16000, 768, 8, 12, 8, 512


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.n1, self.n2 = nn.RMSNorm(D), nn.RMSNorm(D)
        self.qkv, self.o = nn.Linear(D, 3 * D, bias=False), nn.Linear(D, D, bias=False)
        self.up, self.down = nn.Linear(D, 4 * D, bias=False), nn.Linear(4 * D, D, bias=False)

    def forward(self, x):
        b, t, _ = x.shape
        q, k, v = self.qkv(self.n1(x)).view(b, t, 3, H, D // H).permute(2, 0, 3, 1, 4)
        x = x + self.o(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(b, t, D))
        return x + self.down(F.gelu(self.up(self.n2(x))))


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(V, D)
        self.layers = nn.ModuleList(Layer() for _ in range(L))
        self.norm = nn.RMSNorm(D)

    def forward(self, ids):
        x = self.emb(ids)
        for layer in self.layers:
            x = layer(x)
        return F.linear(self.norm(x), self.emb.weight)


class OffloadedAdamW:
    def __init__(self, params, **kw):
        self.inner = torch.optim.AdamW(params, fused=False, foreach=True, **kw)

    def _move(self, where):
        for state in self.inner.state.values():
            for key in ("exp_avg", "exp_avg_sq"):
                if key in state:
                    state[key] = state[key].to(where)

    def step(self):
        self._move(dev)
        self.inner.step()
        self._move("cpu")
        self.inner.zero_grad(set_to_none=True)


def main():
    torch.manual_seed(0)
    with dev:
        model = Decoder()
    opt = OffloadedAdamW(model.parameters(), lr=1e-4, weight_decay=0.1)
    data = torch.randint(0, V, (128, B, T + 1), device=dev)

    def step(i):
        ids = data[i % 128]
        with torch.autocast("cuda", torch.bfloat16):
            logits = model(ids[:, :-1])
            loss = F.cross_entropy(logits.view(-1, V), ids[:, 1:].reshape(-1))
        loss.backward()
        t0 = time.perf_counter()
        opt.step()
        return time.perf_counter() - t0

    for i in range(3):
        step(i)
    torch.cuda.synchronize()
    times, planted = [], []
    stop = time.perf_counter() + SECONDS
    while time.perf_counter() < stop:
        t0 = time.perf_counter()
        planted.append(step(len(times)) * 1e3)
        times.append((time.perf_counter() - t0) * 1e3)
    torch.cuda.synchronize()
    mb = sum(p.numel() for p in model.parameters()) * 8 / 1e6
    print(json.dumps({"steps": len(times), "step_ms": round(statistics.median(times), 3),
                      "planted_ms": round(statistics.median(planted), 3),
                      "note": f"{mb:.0f} MB of Adam moments to the device and back each step (pageable); includes "
                              "the update itself and the wait for the backward pass"}))


if __name__ == "__main__":
    main()
