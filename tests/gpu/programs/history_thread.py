"""Training next to a thread that saves the run's history: JSON with indentation is made in pure Python, with its lock."""
import io
import json
import threading
import time

import torch
import torch.nn as nn

from own_clock import SECONDS, Clock


def save_history(history, ends, spent):
    while time.perf_counter() < ends:
        begin = time.perf_counter()
        json.dump(history, io.StringIO(), indent=1)
        spent.append(time.perf_counter() - begin)
        time.sleep(0.1)


def main():
    model = nn.Sequential(*[layer for _ in range(24) for layer in (nn.Linear(512, 512), nn.LayerNorm(512), nn.ReLU())]).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    batch = torch.randn(1024, 512, device="cuda")
    history = {f"metric{i}": [{"step": j, "value": j / 7} for j in range(1500)] for i in range(60)}

    def step():
        loss = model(batch).square().mean()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        return loss.item()

    for _ in range(20):
        step()
    alone = Clock()
    for _ in alone.steps(0.5):
        step()
    spent, clock = [], Clock()
    saver = threading.Thread(target=save_history, args=(history, time.perf_counter() + SECONDS, spent), name="history")
    saver.start()
    for _ in clock.steps():
        step()
    saver.join()
    clock.report("the saver holds the interpreter's lock for 5 ms at a time", saves=len(spent),
                 saver_percent=round(100 * sum(spent) / SECONDS), alone_ms=round(1e3 * sum(alone.times) / len(alone.times), 2),
                 mean_ms=round(1e3 * sum(clock.times) / len(clock.times), 2))


if __name__ == "__main__":
    main()
