"""Masked-LM pre-training; every step's audit record goes to the log shipper's pipe."""
import json
import statistics
import subprocess
import sys
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 6.0
dev = torch.device("cuda")
V, D, L, B, T = 8000, 512, 6, 32, 128

# stands for the cluster's log agent: reads a block, sends it on, is not in a hurry
SHIPPER = r"""
import os, time
while True:
    block = os.read(0, 4096)
    if not block:
        break
    time.sleep(0.045)
"""


class AuditLog:
    def __init__(self):
        self.proc = subprocess.Popen([sys.executable, "-c", SHIPPER], stdin=subprocess.PIPE, text=True)
        self.spent = 0.0

    def record(self, **row):
        t0 = time.perf_counter()
        print(json.dumps(row), file=self.proc.stdin, flush=True)
        self.spent = time.perf_counter() - t0

    def close(self):
        self.proc.kill()
        try:
            self.proc.stdin.close()
        except OSError:
            pass
        self.proc.wait()


def main():
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(D, 8, 4 * D, dropout=0.0, activation="gelu", batch_first=True, norm_first=True)
    net = nn.ModuleDict({"emb": nn.Embedding(V, D), "enc": nn.TransformerEncoder(layer, L, enable_nested_tensor=False),
                         "head": nn.Linear(D, V)}).to(dev)
    opt = torch.optim.AdamW(net.parameters(), lr=1e-4, fused=True)
    corpus = torch.randint(4, V, (8192, T), device=dev)
    cpu_gen = torch.Generator().manual_seed(0)
    log = AuditLog()

    def step(n):
        rows = torch.randint(0, len(corpus), (B,), generator=cpu_gen)
        ids = corpus[rows.to(dev, non_blocking=True)]
        masked = torch.rand(B, T, device=dev) < 0.15
        with torch.autocast("cuda", torch.bfloat16):
            h = net["enc"](net["emb"](ids.masked_fill(masked, 3)))
            logits = net["head"](h)
        target = ids.masked_fill(~masked, -100)
        loss = F.cross_entropy(logits.float().view(-1, V), target.view(-1), ignore_index=-100)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        log.record(step=n, lr=opt.param_groups[0]["lr"], time=time.time(), level="INFO", host="node-17",
                   samples=[f"shard-{r // 128:05d}/doc-{r:08d}.jsonl.zst#sha={r * 2654435761 % 2**64:016x}/part-0/lang=en/src=crawl"
                            for r in rows.tolist()])

    try:
        for i in range(4):
            step(i)
        torch.cuda.synchronize()
        times, planted = [], []
        last = time.perf_counter()
        end = last + SECONDS
        while last < end:
            step(len(times))
            now = time.perf_counter()
            times.append((now - last) * 1e3)
            planted.append(log.spent * 1e3)
            last = now
        torch.cuda.synchronize()
    finally:
        log.close()
    print(json.dumps({"steps": len(times), "step_ms": round(statistics.median(times), 3),
                      "planted_ms": round(statistics.median(planted), 3),
                      "note": "print to a pipe that is full; the first steps fill its 64 KB without waiting"}))


if __name__ == "__main__":
    main()
