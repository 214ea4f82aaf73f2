"""A data-parallel job: a launcher and its ranks, each with its own device, that add their gradients up in each step.

  ranks.py KIND SECONDS RANKS
"""
import multiprocessing
import os
import subprocess
import sys
import time

import clock

ODD = 1  # the rank that is different
COUNT = 1 << 18


def loader(queue):
    clock.deed("loader", line="loader")
    while True:
        clock.burn(34)  # PLANT loader
        queue.put(b"x" * 4096)


def work(kind, seconds, rank, ranks):
    odd = rank == ODD
    queue = feeder = None
    if kind == "late_loader" and odd:
        queue = multiprocessing.Queue(maxsize=2)
        feeder = multiprocessing.Process(target=loader, args=(queue,), daemon=True)
        feeder.start()
    if kind == "late_neighbour" and odd:
        os.sched_setaffinity(0, {1})
        clock.deed("neighbour", cpu=1)
    if kind == "slow_device" and odd:
        os.environ["TRUTH_SLOWDOWN"] = "2"
    import gpu
    gpu.device_flags(gpu.BLOCKING)
    log = clock.Clock(f"rank {rank}")
    log.note(rank=rank)
    stream, model = gpu.stream(True), gpu.Model(18, 8)
    optimiser = gpu.Kernel(gpu.ADAM, 500)
    group = gpu.Group(rank, ranks, os.path.join(os.environ["TRUTH_DIR"], "store"))
    other = gpu.Group(rank, ranks, os.path.join(os.environ["TRUTH_DIR"], "store2")) if kind.startswith("crossed") else None
    if rank == 0:
        clock.write_facts("started", {"at": time.monotonic_ns()})
    going, step = clock.running(seconds), 0
    while not ended(rank, step, going):
        with log.step():
            if queue is not None:
                with log.part("input"):
                    queue.get()  # PLANT late_loader
            if kind == "late_python" and odd:
                with log.part("host"):
                    clock.burn(16)  # PLANT late_python
            if kind == "late_neighbour" and odd:
                with log.part("host"):
                    clock.burn(9)  # PLANT late_neighbour
            if kind == "late_saving" and odd:
                with log.part("checkpoint"):
                    save(step)
            with log.part("submit"):
                model.step(stream)
                if other is not None:
                    both(gpu, kind, odd and step == 80, (group, other), stream)
                else:
                    collective(kind, odd, step, group, stream)
                optimiser(stream)
            with log.part("sync"):
                gpu.synchronize(stream)
            if kind == "evaluating" and odd and step % 25 == 24:
                with log.part("sync"):
                    evaluate(gpu, model, stream)
        step += 1
    log.write()
    if feeder is not None:
        feeder.kill()
    os._exit(0)


def evaluate(gpu, model, stream):
    """This rank measures the model for all of them, now and then; the others come to the next step and wait."""
    for _ in range(10):
        model.step(stream)
        gpu.synchronize(stream)  # PLANT evaluating


def save(step):
    """This rank logs each step's gradients, and makes sure that they are on the disk."""
    with open(os.path.join(os.environ["TRUTH_DIR"], "gradients.log"), "ab") as file:
        file.write(bytes([step % 256]) * (12 << 20))
        file.flush()
        os.fsync(file.fileno())  # PLANT late_saving


def ended(rank, step, going):
    """Rank 0 decides two steps ahead which step is the last: no rank can be further ahead of it than that."""
    path = os.path.join(os.environ["TRUTH_DIR"], "last_step")
    if rank == 0 and not going() and not os.path.exists(path):
        with open(path + ".new", "w", encoding="ascii") as file:
            file.write(str(step + 2))
        os.rename(path + ".new", path)
    if not os.path.exists(path):
        return False
    with open(path, encoding="ascii") as file:
        return step >= int(file.read())


def collective(kind, odd, step, group, stream):
    if odd and step == 80 and kind == "skip":
        clock.deed("skip", rank=ODD, number=step)
        return  # PLANT skip
    if odd and step == 80 and kind == "mismatch":
        clock.deed("mismatch", rank=ODD, number=step)
        group.all_reduce(COUNT // 2, stream)  # PLANT mismatch
        return
    if odd and step == 80 and kind == "other":
        clock.deed("other", rank=ODD, number=step)
        group.all_gather(COUNT, stream)  # PLANT other
        return
    if odd and step == 80 and kind == "abort":
        clock.deed("abort", rank=ODD, number=step)
        group.abort()  # PLANT abort
        os._exit(17)
    group.all_reduce(COUNT, stream)


def both(gpu, kind, turned, groups, stream):
    """Collectives of two communicators, one after the other; once this rank turns them around."""
    if turned:
        clock.deed("crossed", rank=ODD)
    for group in reversed(groups) if turned else groups:
        group.all_reduce(COUNT, stream)  # PLANT crossed
        if kind == "crossed":
            gpu.synchronize(stream)


def launch(kind, seconds, ranks):
    """Starts the ranks; those that still wait for a lost one are ended after a while, as a watchdog does."""
    children = []
    for rank in range(ranks):
        environment = dict(os.environ, RANK=str(rank), WORLD_SIZE=str(ranks), LOCAL_RANK=str(rank))
        children.append(subprocess.Popen([sys.executable, __file__, kind, str(seconds), str(ranks)], env=environment))
    clock.write_facts("launcher.json", {"pid": os.getpid(), "ranks": [child.pid for child in children]})
    while not os.path.exists(os.path.join(os.environ["TRUTH_DIR"], "started")) and children[0].poll() is None:
        time.sleep(0.02)
    end = time.monotonic() + seconds + 2
    for child in children:
        try:
            child.wait(max(0.1, end - time.monotonic()))
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()


if __name__ == "__main__":
    if "RANK" in os.environ:
        work(sys.argv[1], float(sys.argv[2]), int(os.environ["RANK"]), int(sys.argv[3]))
    else:
        launch(sys.argv[1], float(sys.argv[2]), int(sys.argv[3]))
