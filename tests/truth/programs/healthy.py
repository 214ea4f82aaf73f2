"""Programs with nothing wrong with them, of the sorts that are taken for faults.

  healthy.py KIND SECONDS [ARGUMENT]
"""
import os
import socket
import subprocess
import sys
import threading
import time

import clock
import gpu

MIB = 1 << 20


def run_pipelined(log, seconds):
    """Waits for the step before the last: the queue is never empty."""
    model, marks = gpu.Model(20), [gpu.event(blocking=True) for _ in range(2)]
    going, step = clock.running(seconds), 0
    while going():
        with log.step():
            with log.part("submit"):
                model.step()
                gpu.record(marks[step % 2])
            if step > 0:
                with log.part("sync"):
                    gpu.wait_event(marks[(step - 1) % 2])
        step += 1


def run_bursty(log, seconds):
    """Work comes in bursts; between them nothing was asked for. The pauses are of irregular length."""
    model, going, at = gpu.Model(15), clock.running(seconds), 0
    pauses = (0.31, 0.12, 0.44, 0.23, 0.37)
    while going():
        for _ in range(12):
            with log.step():
                with log.part("submit"):
                    model.step()
                with log.part("sync"):
                    gpu.synchronize()
        time.sleep(pauses[at % len(pauses)])
        at += 1


def run_compile_first(log, seconds):
    """Compiles for two seconds (child processes and Python) before the first launch."""
    for _ in range(4):
        subprocess.run([sys.executable, "-c", "sum(i * i for i in range(2500000))"], check=True)
    clock.burn(400)
    run_steady(log, seconds - 2)


def run_steady(log, seconds):
    model, going = gpu.Model(24), clock.running(seconds)
    while going():
        with log.step():
            with log.part("submit"):
                model.step()
            with log.part("sync"):
                gpu.synchronize()


def run_spinning(log, seconds):
    """The runtime's default: the thread spins until the device is done."""
    gpu.device_flags(gpu.SPIN)
    run_steady(log, seconds)


def run_evaluating(log, seconds):
    """Every 40 steps an evaluation: other kernels, forward only, no optimiser."""
    model, evaluation, going, step = gpu.Model(20), gpu.Model(5, 6), clock.running(seconds), 0
    while going():
        with log.step():
            with log.part("submit"):
                model.step()
            with log.part("sync"):
                gpu.synchronize()
        step += 1
        if step % 40 == 0:
            for _ in range(20):
                with log.step():
                    with log.part("submit"):
                        evaluation.step()
                    with log.part("sync"):
                        gpu.synchronize()


def run_uploads(log, seconds, where):
    """Trains, then sends the result away: the device has nothing to do any more, and that is right."""
    run_steady(log, seconds * 0.55)
    host, port = where.split(":")
    connection, end = socket.create_connection((host, int(port))), time.monotonic() + seconds * 0.45
    while time.monotonic() < end:
        connection.sendall((64 << 10).to_bytes(4, "little"))
        left = 64 << 10
        while left:
            left -= len(connection.recv(left))


def run_accumulating(log, seconds):
    """Four small batches for each optimiser step."""
    small, optimiser, going = gpu.Model(6, 12), gpu.Kernel(gpu.ADAM, 2000), clock.running(seconds)
    while going():
        with log.step():
            with log.part("submit"):
                for _ in range(4):
                    small.step()
                optimiser()
            with log.part("sync"):
                gpu.synchronize()


def run_graphs_of_streams(log, seconds):
    """Copies on one stream, compute on another, joined by events."""
    copies, compute, model = gpu.stream(True), gpu.stream(True), gpu.Model(20)
    size = 32 * MIB
    buffers = [(gpu.pinned(size), gpu.allocate(size), gpu.event()) for _ in range(2)]
    done, going, step = [gpu.event(blocking=True) for _ in range(2)], clock.running(seconds), 0
    while going():
        with log.step():
            source, target, copied = buffers[step % 2]
            with log.part("submit"):
                gpu.copy_in(target, source, size, copies)
                gpu.record(copied, copies)
                gpu.check(gpu.CUDA.cudaStreamWaitEvent(compute, copied, 0))
                model.step(compute)
                gpu.record(done[step % 2], compute)
            if step > 0:
                with log.part("sync"):
                    gpu.wait_event(done[(step - 1) % 2])
        step += 1


def run_saving_beside(log, seconds, folder):
    """A thread of its own writes checkpoints to the disk and waits for that; the loop goes on meanwhile."""
    weights, due = os.urandom(MIB) * 24, threading.Semaphore(0)

    def save():
        while True:
            due.acquire()
            with open(os.path.join(folder, "ckpt.bin"), "wb") as file:
                file.write(weights)
                file.flush()
                os.fsync(file.fileno())
    threading.Thread(target=save, daemon=True).start()
    model, going, step = gpu.Model(24), clock.running(seconds), 0
    while going():
        with log.step():
            with log.part("submit"):
                model.step()
            with log.part("sync"):
                gpu.synchronize()
        step += 1
        if step % 30 == 0:
            due.release()


def main():
    kind, seconds = sys.argv[1], float(sys.argv[2])
    log = clock.Clock()
    gpu.device_flags(gpu.BLOCKING)
    globals()["run_" + kind](log, seconds, *sys.argv[3:])
    log.write()


if __name__ == "__main__":
    main()
