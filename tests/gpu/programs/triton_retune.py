"""A Triton kernel whose tuner has the number of rows as its key: with another number in each batch it tunes each time."""
import torch
import triton
import triton.language as tl

from own_clock import Clock


@triton.autotune([triton.Config({"BLOCK": block}, num_warps=warps) for block, warps in ((512, 4), (1024, 4), (1024, 8))],
                 key=["rows"], warmup=5, rep=15)
@triton.jit
def scale_rows(out, x, rows, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for begin in range(0, width, BLOCK):
        offsets = begin + tl.arange(0, BLOCK)
        inside = offsets < width
        value = tl.load(x + row * width + offsets, inside)
        tl.store(out + row * width + offsets, value * tl.sigmoid(value), inside)


def main():
    width = 2048
    x = torch.randn(6000, width, device="cuda")
    weight = torch.randn(width, width, device="cuda")
    clock = Clock()

    def step(rows):
        part = x[:rows] @ weight
        out = torch.empty_like(part)
        with clock.planted():
            scale_rows[(rows,)](out, part, rows, width)
        return out.sum().item()

    step(100)
    for number in clock.steps():
        step(1000 + number)
    clock.report("planted: the kernel's call, nearly all of it the tuner's trials")


if __name__ == "__main__":
    main()
