"""The other side of a truth program: servers, a slow reader, a neighbour, a holder of a lock, clients.

  helpers.py serve PORT MS             answers each request of 4 bytes (a length) with that many bytes, MS later
  helpers.py link PORT UP DOWN         the same at once, but nothing passes for DOWN of each UP + DOWN seconds
  helpers.py resolve PORT MS           answers each datagram, MS later
  helpers.py fill FILE                 writes to the disk past the cache, as fast as that goes, in four threads
  helpers.py read FIFO BYTES_PER_SECOND
  helpers.py spin COUNT [CPU]          COUNT processes that keep a CPU busy
  helpers.py traffic                   timers at 1 kHz and loopback packets
  helpers.py lock FILE HELD FREE       locks FILE for HELD ms of each HELD + FREE ms
  helpers.py clients SOCKET PER_SECOND one byte a request; MS between them, whatever the answers
"""
import contextlib
import fcntl
import mmap
import os
import socket
import sys
import threading
import time


def take(connection, size):
    data = b""
    while len(data) < size:
        piece = connection.recv(size - len(data))
        if not piece:
            sys.exit(0)
        data += piece
    return data


def answer(connection, before):
    try:
        while True:
            size = int.from_bytes(take(connection, 4), "little")
            before()
            connection.sendall(b"x" * size)
    except (OSError, SystemExit):
        connection.close()


def listen(port, before):
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", port))
    listener.listen(16)
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=answer, args=(connection, before), daemon=True).start()


def serve(port, ms):
    listen(int(port), lambda: time.sleep(float(ms) / 1000))


def link(port, up, down):
    """Down: an answer waits until the link is up again; nothing else shows."""
    up, down = float(up), float(down)

    def before():
        at = time.monotonic() % (up + down)
        time.sleep(0.002 if at < up else up + down - at)
    listen(int(port), before)


def resolve(port, ms):
    service = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    service.bind(("127.0.0.1", int(port)))
    while True:
        question, asker = service.recvfrom(512)
        time.sleep(float(ms) / 1000)
        service.sendto(question, asker)


def fill(path):
    block = mmap.mmap(-1, 4 << 20)
    block.write(os.urandom(4 << 20))

    def write(number):
        file = os.open(path, os.O_WRONLY | os.O_DIRECT)
        while True:
            for place in range(4):
                os.pwrite(file, block, (4 * number + place) * len(block))
    for number in range(4):
        threading.Thread(target=write, args=(number,)).start()


def read(fifo, rate):
    with open(fifo, "rb", buffering=0) as file:
        while True:
            data = file.read(4096)
            if not data:
                return
            time.sleep(len(data) / float(rate))


def spin(count, cpu=None):
    for _ in range(int(count) - 1):
        if os.fork() == 0:
            break
    if cpu is not None:
        os.sched_setaffinity(0, {int(cpu)})
    parent = os.getppid()
    while os.getppid() == parent:
        sum(range(20000))


def traffic():
    one, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    receiver.bind(("127.0.0.1", 0))
    threading.Thread(target=lambda: [receiver.recv(2048) for _ in iter(int, 1)], daemon=True).start()
    threading.Thread(target=lambda: [other.recv(2048) for _ in iter(int, 1)], daemon=True).start()
    sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    while True:
        time.sleep(0.001)
        sender.sendto(b"x" * 1000, receiver.getsockname())
        one.send(b"x")


def lock(path, held, free):
    with open(path, "a", encoding="ascii") as file:
        while True:
            fcntl.flock(file, fcntl.LOCK_EX)
            time.sleep(float(held) / 1000)
            fcntl.flock(file, fcntl.LOCK_UN)
            time.sleep(float(free) / 1000)


def clients(path, per_second):
    connection = socket.socket(socket.AF_UNIX)
    while True:
        try:
            connection.connect(path)
            break
        except OSError:
            time.sleep(0.02)

    def read_answers():
        with contextlib.suppress(ConnectionResetError):
            while connection.recv(4096):
                pass
        os._exit(0)
    threading.Thread(target=read_answers, daemon=True).start()
    following = time.monotonic()
    try:
        while True:
            connection.sendall(b"r")
            following += 1 / float(per_second)
            time.sleep(max(0, following - time.monotonic()))
    except OSError:
        pass


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
