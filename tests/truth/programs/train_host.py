"""Training loops of one process in which something between or inside the device's calls takes the time.

  train_host.py KIND SECONDS [ARGUMENT]    every function below that begins with "train_" is a kind
"""
import asyncio
import ctypes
import fcntl
import gc
import json
import mmap
import os
import queue
import socket
import subprocess
import sys
import threading
import time

import clock
import gpu

MIB = 1 << 20


class Trainer:
    """What all loops share: a model of MS milliseconds, a pinned batch, a clock."""

    def __init__(self, ms, seconds, batch=MIB, launches=20):
        gpu.device_flags(gpu.BLOCKING)
        self.log = clock.Clock()
        self.model = gpu.Model(ms, launches)
        self.batch = batch
        self.staging, self.device = gpu.pinned(batch), gpu.allocate(batch)
        self.going = clock.running(seconds)

    def part(self, name):
        return self.log.part(name)

    def forward(self):
        with self.part("submit"):
            gpu.copy_in(self.device, self.staging, self.batch)
            self.model.step()

    def wait(self):
        with self.part("sync"):
            gpu.synchronize()

    def step(self):
        self.forward()
        self.wait()


def train_gap(seconds, _):
    """Python between the copy and the launches: labels are matched one by one."""
    trainer = Trainer(8, seconds)
    while trainer.going():
        with trainer.log.step():
            with trainer.part("submit"):
                gpu.copy_in(trainer.device, trainer.staging, trainer.batch)
            with trainer.part("host"):
                clock.burn(16)  # PLANT gap
            with trainer.part("submit"):
                trainer.model.step()
            trainer.wait()
    return trainer


def train_gil(seconds, _):
    """A thread that logs serialises everything it has, in one call that keeps the interpreter lock."""
    history = [{"step": step, "loss": step * 0.001, "norms": [0.1 * step] * 20} for step in range(2200)]
    trainer = Trainer(8, seconds)

    def logger():
        clock.deed("gil", line="gil")
        while True:
            json.dumps(history)  # PLANT gil
            time.sleep(0.12)

    threading.Thread(target=logger, daemon=True).start()
    while trainer.going():
        with trainer.log.step():
            with trainer.part("host"):
                clock.burn(3)
            trainer.step()
    return trainer


def train_gc(seconds, _):
    """Collects garbage every fifth step, with a million objects alive."""
    alive = [{"index": index, "next": [index]} for index in range(90000)]
    trainer = Trainer(10, seconds)
    step = 0
    while trainer.going():
        with trainer.log.step():
            trainer.step()
            step += 1
            if step % 5 == 0:
                with trainer.part("host"):
                    gc.collect()  # PLANT gc
    trainer.log.note(alive=len(alive))
    return trainer


def train_stdout(seconds, _):
    """Prints all weights in each step; the reader is slow."""
    trainer = Trainer(8, seconds)
    line = "w" * 6000 + "\n"
    while trainer.going():
        with trainer.log.step():
            trainer.step()
            with trainer.part("output"):
                sys.stdout.write(line)
                sys.stdout.flush()  # PLANT stdout
    return trainer


def train_checkpoint(seconds, folder):
    """Every 30 steps the model is saved and synced to disk."""
    trainer = Trainer(12, seconds)
    weights = os.urandom(MIB) * 96
    step = 0
    while trainer.going():
        with trainer.log.step():
            trainer.step()
            step += 1
            if step % 30 == 0:
                with trainer.part("checkpoint"):
                    with open(os.path.join(folder, "ckpt.bin"), "wb") as file:
                        file.write(weights)  # PLANT save
                        file.flush()
                        os.fsync(file.fileno())  # PLANT checkpoint
    return trainer


def train_first_touch(seconds, _):
    """A new batch buffer in each step: the kernel has to give and clear every page."""
    trainer = Trainer(8, seconds)
    size = 6 * MIB
    while trainer.going():
        with trainer.log.step():
            with trainer.part("host"):
                fresh = mmap.mmap(-1, size)
                ctypes.memset(ctypes.addressof(ctypes.c_char.from_buffer(fresh)), 1, size)  # PLANT touch
            trainer.step()
            with trainer.part("host"):
                del fresh
    return trainer


def train_reclaim(seconds, path):
    """Reads shards through the page cache in a container whose memory limit is smaller than they are."""
    trainer = Trainer(8, seconds)
    shard = bytearray(24 * MIB)
    with open(path, "rb", buffering=0) as file:
        while trainer.going():
            with trainer.log.step():
                with trainer.part("input"):
                    if file.readinto(shard) < len(shard):  # PLANT reclaim
                        file.seek(0)
                trainer.step()
    return trainer


def train_sleep(seconds, _):
    """Waits a fixed time for "the GPU to cool down"."""
    trainer = Trainer(8, seconds)
    while trainer.going():
        with trainer.log.step():
            trainer.step()
            with trainer.part("sleep"):
                time.sleep(0.014)  # PLANT sleep
    return trainer


def train_timer(seconds, _):
    """An asynchronous loop that keeps to a rate: only its timer ends its waits."""
    trainer = Trainer(8, seconds)

    async def loop():
        while trainer.going():
            with trainer.log.step():
                with trainer.part("sleep"):
                    await asyncio.sleep(0.018)  # PLANT timer
                trainer.step()

    asyncio.run(loop())
    return trainer


def train_connections(seconds, where):
    """Each batch is asked for over a new connection; the server starts a thread for each."""
    trainer = Trainer(8, seconds)
    host, port = where.split(":")

    async def fetch():
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write((4096).to_bytes(4, "little"))
        await reader.readexactly(4096)
        writer.close()

    async def loop():
        while trainer.going():
            with trainer.log.step():
                with trainer.part("input"):
                    await fetch()  # PLANT connections
                trainer.step()

    asyncio.run(loop())
    return trainer


def train_dead_loader(seconds, _):
    """The thread that loads ends for good after a while; no other fills the queue. A watchdog ends the program."""
    trainer = Trainer(8, seconds)
    batches = queue.Queue(maxsize=2)

    def load():
        until = time.monotonic() + 1.5
        while time.monotonic() < until:
            batches.put(b"x" * 4096)

    threading.Thread(target=load, name="loader", daemon=True).start()
    watchdog = threading.Timer(seconds, lambda: os._exit(9))
    watchdog.daemon = True
    watchdog.start()
    while True:
        with trainer.log.step():
            with trainer.part("input"):
                batches.get()  # PLANT dead_loader
            trainer.step()


def train_pinning(seconds, _):
    """Pins the memory of each batch, and gives it back."""
    trainer = Trainer(8, seconds)
    size = 192 * MIB
    batch = (ctypes.c_char * size)()
    ctypes.memset(batch, 1, size)
    while trainer.going():
        with trainer.log.step():
            with trainer.part("allocate"):
                gpu.pin(batch, size)  # PLANT pinning
            trainer.step()
            with trainer.part("allocate"):
                gpu.unpin(batch)
    return trainer


def train_tracking(seconds, where):
    """Reports the loss to an experiment server in each step and waits for its answer."""
    trainer = Trainer(8, seconds)
    host, port = where.split(":")
    connection = socket.create_connection((host, int(port)))
    while trainer.going():
        with trainer.log.step():
            trainer.step()
            with trainer.part("output"):
                connection.sendall((16).to_bytes(4, "little"))
                connection.recv(16)  # PLANT tracking
    return trainer


def train_mapped(seconds, path):
    """Each batch is in a file that is mapped, and no longer in memory."""
    trainer = Trainer(8, seconds)
    size, at = 4 * MIB, 0
    with open(path, "rb") as file:
        while trainer.going():
            with trainer.log.step():
                with trainer.part("input"):
                    os.posix_fadvise(file.fileno(), at, size, os.POSIX_FADV_DONTNEED)
                    with mmap.mmap(file.fileno(), size, prot=mmap.PROT_READ, offset=at) as batch:
                        batch.madvise(mmap.MADV_RANDOM)
                        for page in range(0, size, 16384):
                            _ = batch[page]  # PLANT mapped
                trainer.step()
            at = (at + size) % os.path.getsize(path)
    return trainer


def train_mapped_again(seconds, path):
    """Each batch is in a mapped file, of which less fits into memory than it reads before it begins anew."""
    trainer = Trainer(8, seconds)
    size, at = 8 * MIB, 0
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as data:
        while trainer.going():
            with trainer.log.step():
                with trainer.part("input"):
                    for page in range(at, at + size, 4096):
                        _ = data[page]  # PLANT again
                trainer.step()
            at = (at + size) % len(data)
    return trainer


def train_resolve(seconds, where):
    """Looks up a name before each batch, as a client that keeps no connection does."""
    trainer = Trainer(8, seconds)
    host, port = where.split(":")
    while trainer.going():
        with trainer.log.step():
            with trainer.part("input"), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asker:
                asker.sendto(b"where is shard 7?", (host, int(port)))
                asker.recv(512)  # PLANT resolve
            trainer.step()
    return trainer


def train_file_lock(seconds, path):
    """Appends to a file that another job keeps locked most of the time."""
    trainer = Trainer(8, seconds)
    with open(path, "a", encoding="ascii") as file:
        while trainer.going():
            with trainer.log.step():
                trainer.step()
                with trainer.part("lock"):
                    fcntl.flock(file, fcntl.LOCK_EX)  # PLANT flock
                file.write("step\n")
                file.flush()
                fcntl.flock(file, fcntl.LOCK_UN)
    return trainer


def train_child(seconds, program):
    """Asks a command-line tool for the temperature in each step."""
    trainer = Trainer(8, seconds)
    while trainer.going():
        with trainer.log.step():
            trainer.step()
            with trainer.part("child"):
                subprocess.run([program], check=True)  # PLANT child
    return trainer


def train_pageable(seconds, _):
    """Copies "asynchronously" from memory that is not pinned."""
    trainer = Trainer(8, seconds)
    size = 48 * MIB
    batch, device = ctypes.create_string_buffer(size), gpu.allocate(size)
    ctypes.memset(batch, 1, size)
    while trainer.going():
        with trainer.log.step():
            with trainer.part("copy"):
                gpu.copy_in(device, batch, size)  # PLANT pageable
            with trainer.part("submit"):
                trainer.model.step()
            trainer.wait()
    return trainer


def train_copies(seconds, _):
    """Copies each batch and waits for the copy before it starts the model."""
    trainer = Trainer(6, seconds)
    size = 192 * MIB
    batch, device = gpu.pinned(size), gpu.allocate(size)
    while trainer.going():
        with trainer.log.step():
            with trainer.part("copy"):
                gpu.copy_in_now(device, batch, size)  # PLANT copies
            with trainer.part("submit"):
                trainer.model.step()
            trainer.wait()
    return trainer


def train_item(seconds, _):
    """Reads the loss after each small operation."""
    trainer = Trainer(8, seconds)
    small, loss = gpu.Kernel(gpu.SOFTMAX, 30), ctypes.create_string_buffer(4)
    while trainer.going():
        with trainer.log.step():
            for _ in range(150):
                with trainer.part("submit"):
                    small()
                with trainer.part("sync"):
                    gpu.copy_out_now(loss, trainer.device, 4)  # PLANT item
    return trainer


def train_layers(seconds, _):
    """Waits for the device after each layer, "to see where it fails"."""
    trainer = Trainer(8, seconds)
    layer = gpu.Kernel(gpu.GEMM, 40)
    while trainer.going():
        with trainer.log.step():
            for _ in range(120):
                with trainer.part("submit"):
                    layer()
                with trainer.part("sync"):
                    gpu.synchronize()  # PLANT layers
    return trainer


def train_tiny(seconds, _):
    """Thousands of launches that each take a microsecond."""
    trainer = Trainer(2, seconds)
    tiny = gpu.Kernel(gpu.ADAM, 1)
    while trainer.going():
        with trainer.log.step():
            with trainer.part("submit"):
                for _ in range(2000):
                    tiny()  # PLANT tiny
            trainer.wait()
    return trainer


def train_churn(seconds, _):
    """Takes and gives back device memory for each layer."""
    trainer = Trainer(6, seconds)
    while trainer.going():
        with trainer.log.step():
            for kernel in trainer.model.kernels * 2:
                with trainer.part("allocate"):
                    memory = gpu.allocate(4 * MIB)  # PLANT churn
                with trainer.part("submit"):
                    kernel()
                with trainer.part("allocate"):
                    gpu.free(memory)
    return trainer


def train_device_oom(seconds, _):
    """Keeps the history of every step on the device until it is full."""
    trainer = Trainer(10, seconds)
    history = []
    while trainer.going():
        with trainer.log.step():
            history.append(gpu.allocate(16 * MIB))  # PLANT device_oom
            trainer.step()
    return trainer


def train_fault(seconds, _):
    """A kernel reads past the end of an index table."""
    trainer = Trainer(10, seconds)
    bad = gpu.Kernel(gpu.EMBEDDING, 200, faulty=True)
    step = 0
    while trainer.going():
        with trainer.log.step():
            step += 1
            if step == 150:
                clock.deed("fault", line="fault")
                bad()  # PLANT fault
            trainer.step()
    return trainer


def train_segv(seconds, _):
    """An extension module follows a null pointer."""
    trainer = Trainer(10, seconds)
    step = 0
    while trainer.going():
        with trainer.log.step():
            trainer.step()
            step += 1
            if step == 200:
                clock.deed("segv", line="segv")
                ctypes.string_at(0)  # PLANT segv
    return trainer


def train_plain(seconds, _):
    """Nothing wrong: small host work, the device is busy nearly all the time."""
    trainer = Trainer(24, seconds)
    while trainer.going():
        with trainer.log.step():
            trainer.step()
    return trainer


def train_quota(seconds, _):
    """Some host work in each step, for a container with a CPU limit."""
    trainer = Trainer(8, seconds)
    while trainer.going():
        with trainer.log.step():
            with trainer.part("host"):
                clock.burn(10)  # PLANT quota
            trainer.step()
    return trainer


def train_pinned_cpu(seconds, _):
    """Host work in turn with the device's, one step ahead: needs its CPU (a neighbour takes it)."""
    trainer = Trainer(10, seconds)
    while trainer.going():
        with trainer.log.step():
            with trainer.part("host"):
                clock.burn(8)  # PLANT neighbour
            trainer.step()
    return trainer


def main():
    kind, seconds, argument = sys.argv[1], float(sys.argv[2]), (sys.argv[3:] or [None])[0]
    trainer = globals()["train_" + kind](seconds, argument)
    trainer.log.write()


if __name__ == "__main__":
    main()
