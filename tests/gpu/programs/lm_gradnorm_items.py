"""GPT trainer with per-layer statistics for the dashboard."""
import json
import statistics
import sys
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 6.0
dev = "cuda"
V, D, L, H, B, T = 8192, 512, 20, 8, 8, 256


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(D), nn.LayerNorm(D)
        self.qkv, self.proj = nn.Linear(D, 3 * D), nn.Linear(D, D)
        self.fc, self.out = nn.Linear(D, 4 * D), nn.Linear(4 * D, D)

    def forward(self, x):
        b, t, _ = x.shape
        q, k, v = self.qkv(self.ln1(x)).view(b, t, 3, H, D // H).permute(2, 0, 3, 1, 4)
        a = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.proj(a.transpose(1, 2).reshape(b, t, D))
        return x + self.out(F.gelu(self.fc(self.ln2(x))))


class GPT(nn.Module):
    def __init__(self):
        super().__init__()
        self.tok, self.pos = nn.Embedding(V, D), nn.Embedding(T, D)
        self.blocks = nn.ModuleList(Block() for _ in range(L))
        self.ln, self.head = nn.LayerNorm(D), nn.Linear(D, V, bias=False)

    def forward(self, ids):
        x = self.tok(ids) + self.pos.weight[: ids.shape[1]]
        for b in self.blocks:
            x = b(x)
        return self.head(self.ln(x))


class Dashboard:
    """Keeps the newest statistics of every parameter, as the W&B panel wants them."""

    def __init__(self):
        self.rows = {}

    def update(self, model, step):
        for name, p in model.named_parameters():
            if p.grad is None:
                continue
            self.rows[f"grad/{name}"] = p.grad.norm().item()
            self.rows[f"gmax/{name}"] = p.grad.abs().max().item()
            self.rows[f"weight/{name}"] = p.detach().norm().item()
        self.rows["step"] = step


def main():
    torch.manual_seed(1)
    model = GPT().to(dev)
    opt = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True)
    board = Dashboard()
    corpus = torch.randint(0, V, (2_000_000,), device=dev)
    offs = torch.arange(T + 1, device=dev)

    def step(n):
        start = torch.randint(0, len(corpus) - T - 1, (B, 1), device=dev)
        ids = corpus[start + offs]
        with torch.autocast("cuda", torch.bfloat16):
            logits = model(ids[:, :-1])
        loss = F.cross_entropy(logits.float().view(-1, V), ids[:, 1:].reshape(-1))
        loss.backward()
        t0 = time.perf_counter()
        board.update(model, n)
        spent = time.perf_counter() - t0
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        opt.zero_grad(set_to_none=True)
        return spent

    for i in range(5):
        step(i)
    torch.cuda.synchronize()
    times, planted = [], []
    t_end = time.perf_counter() + SECONDS
    while time.perf_counter() < t_end:
        t0 = time.perf_counter()
        planted.append(step(len(times)) * 1e3)
        times.append((time.perf_counter() - t0) * 1e3)
    torch.cuda.synchronize()
    print(json.dumps({"steps": len(times), "step_ms": round(statistics.median(times), 3),
                      "planted_ms": round(statistics.median(planted), 3),
                      "note": "about 730 .item() a step; the first also waits for the backward pass"}))


if __name__ == "__main__":
    main()
