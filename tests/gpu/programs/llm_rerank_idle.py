"""Passage reranker on a Llama body. Little traffic: the server mostly waits for requests."""
import json
import queue
import random
import statistics
import sys
import threading
import time

import torch
import torch.nn as nn
from transformers import LlamaConfig, LlamaModel

SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 6.0
dev = torch.device("cuda")
VOCAB, DOCS, TOKENS, RATE = 32000, 16, 512, 2.5


class Ranker(nn.Module):
    def __init__(self):
        super().__init__()
        cfg = LlamaConfig(vocab_size=VOCAB, hidden_size=2048, intermediate_size=5632, num_hidden_layers=16,
                          num_attention_heads=16, num_key_value_heads=8, max_position_embeddings=2048)
        self.body = LlamaModel(cfg)
        self.score = nn.Linear(2048, 1)

    def forward(self, ids):
        h = self.body(input_ids=ids, use_cache=False).last_hidden_state
        return self.score(h[:, -1]).squeeze(-1)


def client(inbox, stop):
    rng = random.Random(5)
    g = torch.Generator().manual_seed(5)
    rid = 0
    while not stop.wait(rng.expovariate(RATE)):
        inbox.put((rid, time.perf_counter(), torch.randint(3, VOCAB, (DOCS, TOKENS), generator=g)))
        rid += 1


@torch.inference_mode()
def main():
    torch.manual_seed(0)
    with dev:
        model = Ranker()
    model = model.to(dev, torch.bfloat16).eval()
    for _ in range(3):
        model(torch.randint(3, VOCAB, (DOCS, TOKENS)).to(dev)).tolist()
    inbox, stop = queue.Queue(), threading.Event()
    threading.Thread(target=client, args=(inbox, stop), daemon=True).start()
    service, latency = [], []
    end = time.perf_counter() + SECONDS
    while (left := end - time.perf_counter()) > 0:
        try:
            rid, arrived, ids = inbox.get(timeout=left)
        except queue.Empty:
            break
        t0 = time.perf_counter()
        order = sorted(enumerate(model(ids.to(dev)).tolist()), key=lambda p: -p[1])
        now = time.perf_counter()
        service.append((now - t0) * 1e3)
        latency.append((now - arrived) * 1e3)
    stop.set()
    print(json.dumps({"steps": len(service), "step_ms": round(statistics.median(service), 3) if service else None,
                      "planted_ms": 0.0,
                      "note": f"healthy; a step is one request; busy {sum(service) / 10 / SECONDS:.0f} % of the time, "
                              f"median latency {statistics.median(latency) if latency else 0:.1f} ms, "
                              f"waiting at the end {inbox.qsize()}"}))


if __name__ == "__main__":
    main()
