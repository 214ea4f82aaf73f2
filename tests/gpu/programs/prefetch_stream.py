"""Healthy: four workers, pinned batches, copied on a stream of their own one step ahead; the device never waits."""
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

from own_clock import Clock


class Crops(Dataset):
    def __len__(self):
        return 1 << 20

    def __getitem__(self, index):
        return torch.randint(0, 255, (3, 160, 160), dtype=torch.uint8)


class Ahead:
    """Yields batches on the device; the copy of the next one runs meanwhile."""

    def __init__(self, loader):
        self.batches, self.stream, self.batch = iter(loader), torch.cuda.Stream(), None
        self.fetch()

    def fetch(self):
        host = next(self.batches)
        with torch.cuda.stream(self.stream):
            self.batch = host.cuda(non_blocking=True)

    def next(self):
        torch.cuda.current_stream().wait_stream(self.stream)
        batch = self.batch
        batch.record_stream(torch.cuda.current_stream())
        self.fetch()
        return batch


def main():
    loader = DataLoader(Crops(), batch_size=96, num_workers=4, pin_memory=True, prefetch_factor=4)
    blocks, channels = [], 3
    for width in (64, 128, 256, 256, 512):
        blocks += [nn.Conv2d(channels, width, 3, padding=1), nn.BatchNorm2d(width), nn.ReLU(), nn.Conv2d(width, width, 3, padding=1),
                   nn.ReLU()] + ([nn.MaxPool2d(2)] if width > 64 else [])
        channels = width
    model = nn.Sequential(*blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 100)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9)
    source, clock = Ahead(loader), Clock()

    def step(number):
        with clock.planted():
            batch = source.next()
        loss = model(batch.float() / 255).square().mean()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        if number % 10 == 9:
            loss.item()

    for number in range(5):
        step(number)
    for number in clock.steps():
        step(number)
    clock.report("device-bound; planted: the wait for a batch, which ought to be next to nothing")


if __name__ == "__main__":
    main()
