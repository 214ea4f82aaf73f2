"""Completion server: requests come from a client thread through a queue."""
import json
import queue
import random
import statistics
import sys
import threading
import time

import torch
from transformers import LlamaConfig, LlamaForCausalLM

SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 6.0
dev = torch.device("cuda")
VOCAB, NEW_TOKENS, RATE = 32000, 32, 25.0


class Request:
    def __init__(self, rid, rng):
        self.rid = rid
        self.prompt = [rng.randrange(3, VOCAB) for _ in range(rng.choice((32, 48, 64, 96)))]
        self.arrived = time.perf_counter()
        self.answer = None
        self.finished = threading.Event()


class Client(threading.Thread):
    def __init__(self, inbox):
        super().__init__(daemon=True)
        self.inbox, self.rng, self.stop, self.sent = inbox, random.Random(3), threading.Event(), 0

    def run(self):
        while not self.stop.wait(self.rng.expovariate(RATE)):
            self.inbox.put(Request(self.sent, self.rng))
            self.sent += 1


class Server:
    def __init__(self, model, inbox):
        self.model, self.inbox = model, inbox

    @torch.inference_mode()
    def generate(self, prompt):
        ids = torch.tensor([prompt], device=dev)
        out = self.model(input_ids=ids, use_cache=True)
        got = [out.logits[:, -1].argmax(-1, keepdim=True)]
        for _ in range(NEW_TOKENS - 1):
            out = self.model(input_ids=got[-1], past_key_values=out.past_key_values, use_cache=True)
            got.append(out.logits[:, -1].argmax(-1, keepdim=True))
        return torch.cat(got, 1)[0].tolist()

    def serve_next(self):
        req = self.inbox.get()
        waited = time.perf_counter() - req.arrived
        req.answer = self.generate(req.prompt)
        req.finished.set()
        return waited


def main():
    torch.manual_seed(0)
    cfg = LlamaConfig(vocab_size=VOCAB, hidden_size=1024, intermediate_size=2816, num_hidden_layers=12,
                      num_attention_heads=16, num_key_value_heads=8, max_position_embeddings=1024)
    with dev:
        model = LlamaForCausalLM(cfg)
    model = model.to(dev, torch.bfloat16).eval()
    inbox = queue.Queue()
    server = Server(model, inbox)
    server.generate(list(range(3, 67)))
    client = Client(inbox)
    client.start()
    times, waits = [], []
    end = time.perf_counter() + SECONDS
    while time.perf_counter() < end:
        t0 = time.perf_counter()
        waits.append(server.serve_next() * 1e3)
        times.append((time.perf_counter() - t0) * 1e3)
    client.stop.set()
    client.join()
    print(json.dumps({"steps": len(times), "step_ms": round(statistics.median(times), 3),
                      "planted_ms": round(statistics.median(waits), 3),
                      "note": f"a step is one request; planted_ms is its time in the queue (not part of step_ms); "
                              f"{client.sent} requests came, {inbox.qsize()} left waiting; batch size always 1"}))


if __name__ == "__main__":
    main()
