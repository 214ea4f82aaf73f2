"""Language model, gradient accumulation over 16 micro-batches; the loss is read once per update."""
import json
import statistics
import sys
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 6.0
dev = torch.device("cuda")
V, D, L, H, B, T, ACCUM = 16000, 1024, 10, 16, 8, 1024, 16


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(D), nn.LayerNorm(D)
        self.qkv, self.o = nn.Linear(D, 3 * D), nn.Linear(D, D)
        self.f1, self.f2 = nn.Linear(D, 4 * D), nn.Linear(4 * D, D)

    def forward(self, x):
        b, t, _ = x.shape
        q, k, v = self.qkv(self.n1(x)).view(b, t, 3, H, D // H).permute(2, 0, 3, 1, 4)
        x = x + self.o(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(b, t, D))
        return x + self.f2(F.gelu(self.f1(self.n2(x))))


class LM(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb, self.pos = nn.Embedding(V, D), nn.Embedding(T, D)
        self.blocks = nn.ModuleList(Block() for _ in range(L))
        self.norm, self.head = nn.LayerNorm(D), nn.Linear(D, V, bias=False)

    def forward(self, ids):
        x = self.emb(ids) + self.pos.weight
        for b in self.blocks:
            x = b(x)
        return self.head(self.norm(x))


def main():
    torch.manual_seed(0)
    with dev:
        model = LM()
    opt = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True)
    host = [torch.randint(0, V, (B, T + 1)).pin_memory() for _ in range(64)]
    running = torch.zeros((), device=dev)

    def micro(i):
        ids = host[i % 64].to(dev, non_blocking=True)
        with torch.autocast("cuda", torch.bfloat16):
            logits = model(ids[:, :-1])
            loss = F.cross_entropy(logits.view(-1, V), ids[:, 1:].reshape(-1)) / ACCUM
        loss.backward()
        running.add_(loss.detach())

    def update():
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        opt.zero_grad(set_to_none=True)
        value = running.item()
        running.zero_()
        return value

    for i in range(2):
        micro(i)
    update()
    update_ms, n = [], 0
    t0 = time.perf_counter()
    end = t0 + SECONDS
    while t0 < end:
        for _ in range(ACCUM):
            micro(n)
            n += 1
        loss = update()
        now = time.perf_counter()
        update_ms.append((now - t0) * 1e3)
        t0 = now
        print(f"update {len(update_ms)} loss {loss:.3f}", file=sys.stderr)
    print(json.dumps({"steps": n, "step_ms": round(statistics.median(update_ms) / ACCUM, 3), "planted_ms": 0.0,
                      "note": f"healthy; a step is one micro-batch, one .item() every {ACCUM}"}))


if __name__ == "__main__":
    main()
