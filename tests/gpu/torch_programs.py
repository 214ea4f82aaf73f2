#!/usr/bin/env python3
"""PyTorch programs for a real GPU, each with one planted cause or none. They know nothing of the tracer.

  torch_programs.py KIND SECONDS [ARGUMENT]    every function below that begins with "run_" is a kind

TRUTH_DIR gets the program's own clock (tests/truth/programs/clock.py). Needs torch with CUDA; some kinds need more and
say so.
"""
import gc
import json
import os
import socket
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "truth", "programs"))

import clock  # noqa: E402
import torch  # noqa: E402

WARM_UP = 5


class Trainer:
    """Four wide layers in bfloat16: about 10 ms a step on a large GPU, in few kernels, so that the device is the limit."""

    def __init__(self, seconds, width=8192, batch=4096, layers=4):
        self.log = clock.Clock()
        self.model = torch.nn.Sequential(*[layer for _ in range(layers) for layer in (
            torch.nn.Linear(width, width), torch.nn.ReLU())]).to("cuda", torch.bfloat16)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=1e-4)
        self.host = torch.randn(batch, width).to(torch.bfloat16).pin_memory()
        self.seconds, self.loss = seconds, None

    def steps(self):
        """Numbers of steps until the time is over; the first few are warm-up and not on the clock."""
        for _ in range(WARM_UP):
            self.compute(self.host.to("cuda", non_blocking=True))
        torch.cuda.synchronize()
        clock.deed("ready")
        going, step = clock.running(self.seconds), 0
        while going():
            with self.log.step():
                yield step
            step += 1

    def part(self, name):
        return self.log.part(name)

    def copy(self):
        with self.part("submit"):
            return self.host.to("cuda", non_blocking=True)

    def compute(self, batch):
        with self.log.part("submit"):
            self.optimizer.zero_grad(set_to_none=True)
            self.loss = self.model(batch).float().square().mean()
            self.loss.backward()
            self.optimizer.step()

    def wait(self):
        with self.part("sync"):
            return self.loss.item()

    def step(self):
        self.compute(self.copy())
        return self.wait()


def run_steady(seconds, _):
    trainer = Trainer(seconds)
    for _ in trainer.steps():
        trainer.step()
    return trainer


def run_pipelined(seconds, _):
    """The loss is read every tenth step only: the queue never runs dry."""
    trainer = Trainer(seconds)
    for step in trainer.steps():
        trainer.compute(trainer.copy())
        if step % 10 == 9:
            trainer.wait()
    return trainer


def run_gap(seconds, _):
    """Labels are matched in Python between the copy and the kernels."""
    trainer = Trainer(seconds)
    for _ in trainer.steps():
        batch = trainer.copy()
        with trainer.part("host"):
            clock.burn(25)  # PLANT gap
        trainer.compute(batch)
        trainer.wait()
    return trainer


class Decoded(torch.utils.data.Dataset):
    def __init__(self, kind, where, width):
        self.kind, self.where, self.width, self.connection = kind, where, width, None

    def __len__(self):
        return 1 << 20

    def __getitem__(self, index):
        if self.kind == "cpu":
            clock.burn(60)  # PLANT decode
        elif self.kind == "server":
            if self.connection is None:
                host, port = self.where.split(":")
                self.connection = socket.create_connection((host, int(port)))
            self.connection.sendall((65536).to_bytes(4, "little"))
            left = 65536
            while left:
                left -= len(self.connection.recv(min(left, 65536)))  # PLANT fetch
        return torch.ones(1024, self.width, dtype=torch.bfloat16)


def fed(kind, seconds, where, workers):
    """One item is a whole batch."""
    trainer = Trainer(seconds, batch=1024)
    loader = torch.utils.data.DataLoader(Decoded(kind, where, 8192), batch_size=None, num_workers=workers, pin_memory=True,
                                         multiprocessing_context="fork")
    batches = iter(loader)
    for _ in trainer.steps():
        with trainer.part("input"):
            batch = next(batches)
        with trainer.part("submit"):
            batch = batch.to("cuda", non_blocking=True)
        trainer.compute(batch)
        trainer.wait()
    trainer.log.note(workers=[worker.pid for worker in batches._workers])
    return trainer


def run_loader_cpu(seconds, _):
    return fed("cpu", seconds, None, 2)


def run_loader_server(seconds, where):
    return fed("server", seconds, where, 2)


def run_loader_enough(seconds, _):
    return fed("enough", seconds, None, 4)


def run_items(seconds, _):
    """Reads a number back after each small operation."""
    trainer = Trainer(seconds, width=512, batch=64)
    values = torch.randn(2048, device="cuda")
    for _ in trainer.steps():
        total = 0.0
        with trainer.part("sync"):
            for index in range(400):
                total += (values * index).sum().item()  # PLANT item
        trainer.step()
    return trainer


def run_tiny(seconds, _):
    """Thousands of kernels of a few microseconds."""
    trainer = Trainer(seconds, width=512, batch=64)
    values = torch.randn(256, device="cuda")
    for _ in trainer.steps():
        with trainer.part("submit"):
            for _ in range(3000):
                values = values * 1.0001  # PLANT tiny
        trainer.step()
    return trainer


def run_pageable(seconds, _):
    """The batch is not in pinned memory, so that the asynchronous copy is none."""
    trainer = Trainer(seconds, batch=1024)
    pageable = torch.randn(16384, 4096)
    for _ in trainer.steps():
        with trainer.part("copy"):
            moved = pageable.to("cuda", non_blocking=True)  # PLANT pageable
        trainer.compute(trainer.copy())
        trainer.wait()
        del moved
    return trainer


def run_churn(seconds, _):
    """Gives all cached memory back after each step."""
    trainer = Trainer(seconds, batch=256)
    for _ in trainer.steps():
        trainer.step()
        with trainer.part("allocate"):
            torch.cuda.empty_cache()  # PLANT churn
    return trainer


def run_checkpoint(seconds, folder):
    """Every 40 steps the weights are saved and synced to disk."""
    trainer = Trainer(seconds, batch=2048)
    path = os.path.join(folder, "ckpt.bin")
    for step in trainer.steps():
        trainer.step()
        if step % 40 == 39:
            with trainer.part("checkpoint"), open(path, "wb") as file:
                torch.save(trainer.model[0].state_dict(), file)
                file.flush()
                os.fsync(file.fileno())  # PLANT fsync
    return trainer


def run_out_of_memory(seconds, _):
    """Keeps every activation until the device has no more."""
    trainer = Trainer(seconds)
    hoard = []
    for _ in trainer.steps():
        trainer.step()
        hoard.append(torch.empty(4 << 30, dtype=torch.uint8, device="cuda"))  # PLANT out_of_memory
    return trainer


def run_assertion(seconds, _):
    """A label is out of range: the kernel asserts, and a later call returns the error."""
    trainer = Trainer(seconds)
    table = torch.randn(100, 64, device="cuda")
    for step in trainer.steps():
        if step == 60:
            table[torch.tensor([100000], device="cuda")]  # PLANT assertion
        trainer.step()
    return trainer


def run_gil(seconds, _):
    """A thread that logs serialises everything it has, in one call that keeps the interpreter lock."""
    history = [{"step": step, "loss": step * 0.001, "norms": [0.1 * step] * 20} for step in range(2200)]
    trainer = Trainer(seconds, batch=1024)

    def logger():
        clock.deed("gil")
        while True:
            json.dumps(history)  # PLANT gil
            time.sleep(0.05)

    threading.Thread(target=logger, name="logger", daemon=True).start()
    for _ in trainer.steps():
        trainer.step()
    return trainer


def run_gc(seconds, _):
    alive = [{"index": index, "next": [index]} for index in range(400000)]
    trainer = Trainer(seconds, batch=2048)
    for step in trainer.steps():
        trainer.step()
        if step % 10 == 9:
            with trainer.part("host"):
                gc.collect()  # PLANT gc
    trainer.log.note(alive=len(alive))
    return trainer


def run_sleep(seconds, _):
    trainer = Trainer(seconds)
    for _ in trainer.steps():
        trainer.step()
        with trainer.part("sleep"):
            time.sleep(0.02)  # PLANT sleep
    return trainer


def run_data_parallel(seconds, _):
    """DistributedDataParallel over NCCL; a group of one rank, as one GPU allows."""
    from torch.nn.parallel import DistributedDataParallel  # noqa: PLC0415
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29511", RANK="0", WORLD_SIZE="1")
    torch.distributed.init_process_group("nccl")
    trainer = Trainer(seconds)
    trainer.model = DistributedDataParallel(trainer.model, device_ids=[0])
    for _ in trainer.steps():
        trainer.step()
    torch.distributed.destroy_process_group()
    return trainer


def run_compiled(seconds, _):
    """torch.compile with CUDA graphs. Compilation comes first and takes its time."""
    trainer = Trainer(seconds)
    trainer.model = torch.compile(trainer.model, mode="reduce-overhead")
    for _ in trainer.steps():
        trainer.step()
    return trainer


def run_generate(seconds, _):
    """Text generation by transformers, one token after another: the interpreter cannot feed a GPU with so small kernels."""
    import transformers  # noqa: PLC0415
    log = clock.Clock()
    config = transformers.GPT2Config(n_layer=12, n_embd=768, n_head=12, vocab_size=1000, bos_token_id=0, eos_token_id=None)
    model = transformers.GPT2LMHeadModel(config).to("cuda", torch.float16).eval()
    prompt = torch.randint(1, 1000, (1, 32), device="cuda")
    model.generate(prompt, attention_mask=torch.ones_like(prompt), max_new_tokens=8, do_sample=False, pad_token_id=0)
    clock.deed("ready")
    going = clock.running(seconds)
    while going():
        with log.step():
            model.generate(prompt, attention_mask=torch.ones_like(prompt), max_new_tokens=40, do_sample=False, pad_token_id=0)
    return log


def run_jax(seconds, _):
    """A jitted training step of JAX."""
    os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
    import jax  # noqa: PLC0415
    import jax.numpy as jnp  # noqa: PLC0415
    log = clock.Clock()
    weights = [jnp.ones((8192, 8192), jnp.bfloat16) * 0.0001 for _ in range(4)]
    batch = jnp.ones((4096, 8192), jnp.bfloat16)

    def loss(weights, batch):
        for weight in weights:
            batch = jax.nn.relu(batch @ weight)
        return jnp.mean(batch.astype(jnp.float32) ** 2)

    @jax.jit
    def update(weights, batch):
        value, slopes = jax.value_and_grad(loss)(weights, batch)
        return [weight - 1e-4 * slope for weight, slope in zip(weights, slopes)], value
    weights, value = update(weights, batch)
    value.block_until_ready()
    clock.deed("ready")
    going = clock.running(seconds)
    while going():
        with log.step():
            weights, value = update(weights, batch)
            with log.part("sync"):
                value.block_until_ready()
    return log


def main():
    kind, seconds, argument = sys.argv[1], float(sys.argv[2]), (sys.argv[3:] or [None])[0]
    torch.manual_seed(1)
    done = globals()["run_" + kind](seconds, argument)
    log = done.log if isinstance(done, Trainer) else done
    log.note(torch=torch.__version__, gpu=torch.cuda.get_device_name(0), reserved=torch.cuda.max_memory_reserved())
    log.write()


if __name__ == "__main__":
    main()
