"""Graphs of many small tensors: the workers keep up, the one thread that pins the batches in the training process not."""
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

from own_clock import Clock


class Molecules(Dataset):
    def __len__(self):
        return 1 << 20

    def __getitem__(self, index):
        atoms = 8 + index % 7
        return {"atoms": torch.ones(atoms, 16), "bonds": torch.ones(2 * atoms, 4), "charge": torch.ones(atoms),
                "mask": torch.ones(atoms), "place": torch.ones(atoms, 3), "label": torch.ones(1)}


def main():
    torch.multiprocessing.set_sharing_strategy("file_system")
    loader = DataLoader(Molecules(), batch_size=96, num_workers=8, pin_memory=True, collate_fn=list, prefetch_factor=4)
    model = nn.Sequential(nn.Linear(16, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 1)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, fused=True)
    batches = iter(loader)
    clock = Clock()

    def step():
        with clock.planted():
            batch = next(batches)
        atoms = torch.cat([molecule["atoms"] for molecule in batch]).cuda(non_blocking=True)
        loss = model(atoms).square().mean()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()

    for _ in range(3):
        step()
    for _ in clock.steps():
        step()
    clock.report("576 small tensors a batch are unpacked and pinned by one thread; planted: the wait for it")


if __name__ == "__main__":
    main()
