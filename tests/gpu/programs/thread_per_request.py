"""A server with a thread for each client: all tokenise in pure Python, and so wait for one another's interpreter lock."""
import random
import re
import threading

import torch
import torch.nn as nn

from own_clock import SECONDS, Clock

CLIENTS = 12
WORDS = re.compile(r"\w+|[^\w\s]")


def tokenise(text, pairs):
    """Byte pairs, merged one by one."""
    ids = []
    for word in WORDS.findall(text):
        parts = list(word)
        while len(parts) > 1:
            best = min(range(len(parts) - 1), key=lambda i: pairs.get(parts[i] + parts[i + 1], 1 << 30))
            if parts[best] + parts[best + 1] not in pairs:
                break
            parts[best:best + 2] = [parts[best] + parts[best + 1]]
        ids += [hash(part) % 30000 for part in parts]
    return ids[:512]


def serve(model, text, pairs, clock, seconds=SECONDS):
    for _ in clock.steps(seconds):
        with clock.planted():
            ids = tokenise(text, pairs)
        batch = torch.tensor([ids], device="cuda")
        with torch.inference_mode():
            model(batch).mean(1).argmax(-1).cpu()


def main():
    random.seed(2)
    layer = nn.TransformerEncoderLayer(256, 4, 1024, batch_first=True, dropout=0.0)
    model = nn.Sequential(nn.Embedding(30000, 256), nn.TransformerEncoder(layer, 4)).cuda().eval()
    letters = "etaoinshrdlu"
    pairs = {a + b: 12 * i + j for i, a in enumerate(letters) for j, b in enumerate(letters)}
    text = " ".join("".join(random.choices(letters, k=random.randint(3, 11))) for _ in range(500))
    serve(model, text, pairs, Clock(), 1.0)
    clocks = [Clock() for _ in range(CLIENTS)]
    threads = [threading.Thread(target=serve, args=(model, text, pairs, clock)) for clock in clocks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    clocks[0].report(f"one of {CLIENTS} threads, {SECONDS} s; planted: tokenise, waits for the lock and all")


if __name__ == "__main__":
    main()
