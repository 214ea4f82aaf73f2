"""Data parallel over gloo, three ranks on one card; rank 1 has the long documents and cleans them in pure Python."""
import os
import re

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel

from own_clock import SECONDS, Clock

RANKS = 3


def clean(documents):
    words = 0
    for document in documents:
        words += len(re.sub(r"<[^>]*>|&\w+;", " ", document).lower().split())
    return words


def rank_main(rank, address):
    dist.init_process_group("gloo", init_method=address, rank=rank, world_size=RANKS)
    model = DistributedDataParallel(nn.Sequential(*[nn.Linear(1024, 1024), nn.ReLU()] * 4).cuda())
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    documents = ["<p>the &amp; quick <b>fox</b></p> " * 60] * (400 if rank == 1 else 8)
    batch = torch.randn(512, 1024, device="cuda")
    clock = Clock()

    def step():
        with clock.planted():
            clean(documents)
        loss = model(batch).square().mean()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()

    for _ in range(3):
        step()
    for _ in clock.steps(1e9):
        more = torch.tensor([int(sum(clock.times) < SECONDS)])
        dist.broadcast(more, 0)
        if not more:
            break
        step()
    clock.report(f"rank {rank}; planted: clean", pid=os.getpid())
    dist.destroy_process_group()


def main():
    address = f"tcp://127.0.0.1:{20000 + os.getpid() % 20000}"
    mp.spawn(rank_main, (address,), RANKS)


if __name__ == "__main__":
    main()
