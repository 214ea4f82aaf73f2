"""Fine-tuning of a small language model, with autograd's anomaly detection left on after a hunt for NaNs."""
import time

import torch
import torch.nn as nn

from own_clock import Clock

torch.autograd.set_detect_anomaly(True)
WIDTH, LAYERS, BATCH, LENGTH, WORDS = 512, 12, 16, 128, 8000


def main():
    layer = nn.TransformerEncoderLayer(WIDTH, 8, 4 * WIDTH, batch_first=True, dropout=0.0)
    model = nn.Sequential(nn.Embedding(WORDS, WIDTH), nn.TransformerEncoder(layer, LAYERS), nn.Linear(WIDTH, WORDS)).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    text = torch.randint(0, WORDS, (400, BATCH, LENGTH), device="cuda")

    def step(number):
        batch = text[number % len(text)]
        loss = nn.functional.cross_entropy(model(batch).transpose(1, 2), batch.roll(-1, 1))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()

    for number in range(4):
        step(number)
    torch.autograd.set_detect_anomaly(False)
    step(0)
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for number in range(10):
        step(number)
    torch.cuda.synchronize()
    without_ms = 100 * (time.perf_counter() - begin)
    torch.autograd.set_detect_anomaly(True)
    clock = Clock()
    for number in clock.steps():
        step(number)
    clock.report("every operation keeps its traceback, every gradient is searched for NaN", without_ms=round(without_ms, 2))


if __name__ == "__main__":
    main()
