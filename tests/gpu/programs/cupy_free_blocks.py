"""Image stacks with CuPy; the memory pool is emptied after each, against "out of memory" on a small card long ago."""
import cupy

from own_clock import Clock


def main():
    pool = cupy.get_default_memory_pool()
    stack = cupy.random.rand(48, 512, 512, dtype=cupy.float32)
    dark = cupy.random.rand(512, 512, dtype=cupy.float32)
    clock, total = Clock(), []

    def step():
        flat = (stack - dark) / (dark + 1)
        for _ in range(6):
            flat = flat - 0.1 * cupy.roll(flat, 1, axis=2)
            flat = cupy.clip(flat, -4, 4)
        total.append(flat.mean())
        del flat
        with clock.planted():
            pool.free_all_blocks()

    for _ in range(3):
        step()
    for _ in clock.steps():
        step()
    clock.report("planted: free_all_blocks alone; the allocations come on top")


if __name__ == "__main__":
    main()
