"""An inference server: one thread takes requests from a Unix socket into a queue, one runs them in batches on the device.

  serve.py SECONDS SOCKET    the clients are another program (clients.py); what they ask for decides whether it keeps up
"""
import os
import queue
import socket
import sys
import threading
import time

import clock
import gpu


def receive(listener, requests):
    """One connection, a byte a request; answers are bytes too."""
    connection, _ = listener.accept()
    while True:
        try:
            data = connection.recv(64)
        except OSError:
            return
        if not data:
            return
        for _ in data:
            requests.put((time.monotonic_ns(), connection))


def main():
    seconds, path = float(sys.argv[1]), sys.argv[2]
    gpu.device_flags(gpu.BLOCKING)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen()
    requests, log, going = queue.Queue(), clock.Clock(), clock.running(seconds)
    threading.Thread(target=receive, args=(listener, requests), daemon=True).start()
    model, result, device = gpu.Model(6, 12), gpu.pinned(4096), gpu.allocate(4096)
    waited = []
    while going():
        try:
            arrived, connection = requests.get(timeout=0.2)
        except queue.Empty:
            continue
        with log.step():
            waited.append((time.monotonic_ns() - arrived) // 1000)
            with log.part("submit"):
                gpu.copy_in(device, result, 4096)
                model.step()  # PLANT serve
            with log.part("sync"):
                gpu.synchronize()
            connection.sendall(b"a")
    log.note(queued=requests.qsize(), waited_us=waited[:: max(1, len(waited) // 50)])
    log.write()
    os._exit(0)


if __name__ == "__main__":
    main()
