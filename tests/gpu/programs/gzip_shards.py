"""A text data set of gzipped JSON lines, unpacked and parsed by two workers that cannot keep up."""
import gzip
import json
import os
import random
import tempfile

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, IterableDataset

from own_clock import Clock


class Shards(IterableDataset):
    def __init__(self, paths):
        self.paths = paths

    def __iter__(self):
        while True:
            for path in self.paths:
                yield from self.read(path)

    @staticmethod
    def read(path):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            for line in file:
                yield torch.tensor(json.loads(line)["ids"])


def main():
    random.seed(7)
    folder = tempfile.mkdtemp()
    paths = [os.path.join(folder, f"shard{i}.jsonl.gz") for i in range(3)]
    for path in paths:
        with gzip.open(path, "wt", compresslevel=6, encoding="utf-8") as file:
            for _ in range(400):
                file.write(json.dumps({"ids": random.choices(range(9000), k=512), "meta": "x" * 2000}) + "\n")
    loader = DataLoader(Shards(paths), batch_size=128, num_workers=2, pin_memory=True)
    model = nn.Sequential(nn.Embedding(9000, 512), nn.Linear(512, 1024), nn.GELU(), nn.Linear(1024, 512)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    batches, clock = iter(loader), Clock()

    def step():
        with clock.planted():
            batch = next(batches)
        loss = model(batch.cuda(non_blocking=True)).square().mean()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()

    for _ in range(3):
        step()
    for _ in clock.steps():
        step()
    clock.report("planted: the wait for the workers")


if __name__ == "__main__":
    main()
