"""Keyword spotting: a thread pool computes log-mel features, the main thread trains."""
import json
import queue
import statistics
import sys
import threading
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 6.0
dev = torch.device("cuda")
SR, CLIP_S, MELS, BATCH, THREADS = 16000, 4, 80, 32, 8
torch.set_num_threads(1)


class FeatureExtractor:
    """One shared instance; its scratch buffers are not thread safe, hence the lock."""

    def __init__(self):
        self.window = torch.hann_window(512)
        self.bank = torch.rand(MELS, 257) / 257
        self.scratch = torch.empty(SR * CLIP_S)
        self.lock = threading.Lock()

    def __call__(self, wave):
        with self.lock:
            self.scratch.copy_(wave)
            self.scratch[1:].sub_(wave[:-1], alpha=0.97)
            spec = torch.stft(self.scratch, 512, 128, window=self.window, return_complex=True)
            power = spec.real.square() + spec.imag.square()
            mel = (self.bank @ power).clamp_min_(1e-6).log_()
            return (mel - mel.mean(1, keepdim=True)) / (mel.std(1, keepdim=True) + 1e-5)


class Feeder:
    def __init__(self, extractor):
        self.ex, self.out, self.stop = extractor, queue.Queue(maxsize=4), threading.Event()
        g = torch.Generator().manual_seed(0)
        self.clips = torch.randn(64, SR * CLIP_S, generator=g)
        self.threads = [threading.Thread(target=self.work, args=(i,), daemon=True) for i in range(THREADS)]
        for t in self.threads:
            t.start()

    def work(self, seed):
        g = torch.Generator().manual_seed(seed)
        while not self.stop.is_set():
            idx = torch.randint(0, 64, (BATCH,), generator=g).tolist()
            x = torch.stack([self.ex(self.clips[i].roll(i * 7)) for i in idx])
            y = torch.tensor([i % 35 for i in idx])
            item = (x.pin_memory(), y.pin_memory())
            while not self.stop.is_set():
                try:
                    self.out.put(item, timeout=0.2)
                    break
                except queue.Full:
                    pass

    def close(self):
        self.stop.set()
        for t in self.threads:
            t.join(3)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        c = 256
        self.c0 = nn.Conv1d(MELS, c, 5, 1, 2)
        self.body = nn.ModuleList(nn.Sequential(nn.Conv1d(c, c, 9, padding=4, groups=c), nn.Conv1d(c, 2 * c, 1),
                                                nn.BatchNorm1d(2 * c), nn.GELU(), nn.Conv1d(2 * c, c, 1))
                                  for _ in range(8))
        self.out = nn.Linear(c, 35)

    def forward(self, x):
        x = self.c0(x)
        for b in self.body:
            x = x + b(x)
        return self.out(x.mean(2))


def main():
    torch.manual_seed(0)
    net = Net().to(dev)
    opt = torch.optim.AdamW(net.parameters(), lr=1e-3, fused=True)
    feed = Feeder(FeatureExtractor())
    try:
        def step():
            t0 = time.perf_counter()
            x, y = feed.out.get()
            waited = time.perf_counter() - t0
            x, y = x.to(dev, non_blocking=True), y.to(dev, non_blocking=True)
            with torch.autocast("cuda", torch.bfloat16):
                loss = F.cross_entropy(net(x), y)
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
            return waited * 1e3

        for _ in range(4):
            step()
        torch.cuda.synchronize()
        times, planted = [], []
        last = time.perf_counter()
        end = last + SECONDS
        while last < end:
            planted.append(step())
            now = time.perf_counter()
            times.append((now - last) * 1e3)
            last = now
        torch.cuda.synchronize()
    finally:
        feed.close()
    print(json.dumps({"steps": len(times), "step_ms": round(statistics.median(times), 3),
                      "planted_ms": round(statistics.median(planted), 3),
                      "note": f"main thread's wait for a batch; {THREADS} feature threads take turns at one lock"}))


if __name__ == "__main__":
    main()
