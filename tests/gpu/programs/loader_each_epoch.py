"""Short epochs, and for each a new DataLoader: its workers start again, and each reads the index again."""
import json
import os
import tempfile

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

from own_clock import Clock


class Indexed(Dataset):
    def __init__(self, path):
        self.path, self.index = path, None

    def __len__(self):
        return 16 * 128

    def __getitem__(self, number):
        if self.index is None:
            with open(self.path, encoding="utf-8") as file:
                self.index = json.load(file)
        return torch.full((512,), float(self.index[number]["offset"] % 97))


def main():
    path = os.path.join(tempfile.mkdtemp(), "index.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump([{"name": f"sample_{i}.bin", "offset": i * 4096, "bytes": 4096} for i in range(250000)], file)
    model = nn.Sequential(*[nn.Linear(512, 4096), nn.ReLU(), nn.Linear(4096, 512)] * 4).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    clock, epochs = Clock(), 0

    def batches():
        while True:
            yield from DataLoader(Indexed(path), batch_size=128, num_workers=6, pin_memory=True)

    source = batches()
    for _ in clock.steps():
        with clock.planted():
            batch = next(source)
        epochs += len(clock.times) % 16 == 0
        loss = model(batch.cuda(non_blocking=True)).square().mean()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        loss.item()
    clock.report("planted: the waits for batches, nearly all at the start of an epoch", epochs=epochs)


if __name__ == "__main__":
    main()
