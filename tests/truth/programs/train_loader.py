"""A training loop that is fed by worker processes, as a DataLoader feeds one: each worker makes whole batches and puts
them into one queue.

  train_loader.py SOURCE SECONDS    SOURCE: cpu, disk PATH, server HOST:PORT, enough (fast workers), oom (a worker grows),
                                    one (a single worker, fast enough by itself)
"""
import ctypes
import mmap
import multiprocessing
import os
import socket
import sys
import time
import zlib

import clock

WORKERS = 2
BATCH = 32 << 10
TEXT = zlib.compress(os.urandom(1 << 10) * 128)


def decode(ms):
    """Images are unpacked and turned around."""
    until = time.thread_time_ns() + int(ms * 1e6)
    pixels = 0
    while time.thread_time_ns() < until:
        pixels += len(zlib.decompress(TEXT))  # PLANT cpu
    return pixels


def read_shard(file, at):
    os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
    return os.pread(file, 512 << 10, at)  # PLANT disk


def fetch(connection, size):
    connection.sendall(size.to_bytes(4, "little"))
    left = size
    while left:
        left -= len(connection.recv(min(left, 1 << 16)))  # PLANT server


def worker(kind, where, queue, number):
    batch = b"x" * BATCH
    if kind == "disk":
        file, at, size = os.open(where, os.O_RDONLY), number << 20, os.stat(where).st_size
    if kind in ("server", "link"):
        host, port = where.split(":")
        connection = socket.create_connection((host, int(port)))
    hoard = []
    for step in range(1 << 30):
        if kind == "cpu":
            decode(45)
        elif kind == "one":
            decode(4)
        elif kind == "disk":
            read_shard(file, at)
            at = (at + (4 << 20)) % (size - (1 << 20))
        elif kind in ("server", "link"):
            fetch(connection, 64 << 10)
        elif kind == "oom" and number == 0:
            hoard.append(mmap.mmap(-1, 2 << 20))
            ctypes.memset(ctypes.addressof(ctypes.c_char.from_buffer(hoard[-1])), 1, 2 << 20)  # PLANT oom
            clock.deed("oom", line="oom")
        elif kind == "oom":
            time.sleep(3600)
        queue.put(batch)


def main():
    kind, seconds, where = sys.argv[1], float(sys.argv[2]), (sys.argv[3:] or [None])[0]
    queue = multiprocessing.Queue(maxsize=4)
    count = 1 if kind == "one" else WORKERS
    workers = [multiprocessing.Process(target=worker, args=(kind, where, queue, number), daemon=True) for number in range(count)]
    for process in workers:
        process.start()
    import gpu  # after the workers: a forked child must not inherit the device
    log = clock.Clock()
    log.note(workers=[process.pid for process in workers])
    clock.deed("worker", worker=workers[0].pid)
    gpu.device_flags(gpu.BLOCKING)
    model = gpu.Model(24 if kind == "enough" else 8)
    staging, device = gpu.pinned(BATCH), gpu.allocate(BATCH)
    go_on = clock.running(seconds)
    while go_on():
        with log.step():
            with log.part("input"):
                batch = queue.get(timeout=3)  # PLANT get
            ctypes.memmove(staging, batch, len(batch))
            with log.part("submit"):
                gpu.copy_in(device, staging, BATCH)
                model.step()
            with log.part("sync"):
                gpu.synchronize()
    log.write()
    for process in workers:
        process.terminate()


if __name__ == "__main__":
    main()
