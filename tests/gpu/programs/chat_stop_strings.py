"""Batch chat server loop: GPT-2 architecture, greedy, stop strings and text streaming."""
import json
import random
import re
import statistics
import sys
import time

import torch
from transformers import GPT2Config, GPT2LMHeadModel

SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 6.0
dev = torch.device("cuda")
VOCAB, BATCH, PROMPT, MAX_NEW = 16384, 80, 128, 320


class ByteTokenizer:
    """Byte-level BPE look-alike with a random vocabulary (there is no network to fetch a real one)."""

    def __init__(self, size):
        rng = random.Random(0)
        keep = [*range(33, 127), *range(161, 173), *range(174, 256)]
        table = {b: chr(b) for b in keep}
        extra = 0
        for b in range(256):
            if b not in table:
                table[b] = chr(256 + extra)
                extra += 1
        self.byte_decoder = {c: b for b, c in table.items()}
        letters = "etaoinshrdlucmfwypvbgk"
        words = ["".join(rng.choice(letters) for _ in range(rng.randint(1, 6))) for _ in range(size)]
        self.id_to_token = {i: (table[32] if rng.random() < 0.7 else "") + w for i, w in enumerate(words)}
        self.special = {0, 1, 2, 3}

    def convert_ids_to_tokens(self, ids):
        return [self.id_to_token[i] for i in ids if i not in self.special]

    def convert_tokens_to_string(self, tokens):
        text = "".join(tokens)
        return bytearray([self.byte_decoder[c] for c in text]).decode("utf-8", errors="replace")

    def decode(self, ids):
        text = self.convert_tokens_to_string(self.convert_ids_to_tokens(ids))
        for a, b in ((" .", "."), (" ?", "?"), (" !", "!"), (" ,", ","), (" n't", "n't"), (" 'm", "'m"), (" 's", "'s")):
            text = text.replace(a, b)
        return text


STOP = ["\nUser:", "\nHuman:", "<|im_end|>", "</s>", "\n\n\n", "### Instruction", "[/INST]", "Observation:"]
STOP_RE = re.compile("|".join(re.escape(s) for s in STOP), re.IGNORECASE)


class Session:
    __slots__ = ("ids", "text", "sent", "done")

    def __init__(self, prompt, tok):
        self.ids, self.done = list(prompt), False
        self.text = tok.decode(self.ids)
        self.sent = len(self.text)

    def push(self, token, tok):
        self.ids.append(token)
        text = tok.decode(self.ids)
        hit = STOP_RE.search(text)
        if hit:
            text, self.done = text[: hit.start()], True
        delta = text[self.sent:]
        if not delta.endswith("\ufffd"):
            self.sent = len(text)
        self.text = text
        return delta


@torch.inference_mode()
def main():
    torch.manual_seed(0)
    cfg = GPT2Config(vocab_size=VOCAB, n_positions=512, n_embd=768, n_layer=6, n_head=12, bos_token_id=0, eos_token_id=1)
    model = GPT2LMHeadModel(cfg).to(dev, torch.bfloat16).eval()
    tok = ByteTokenizer(VOCAB)
    times, planted = [], []
    stream_bytes = 0

    def serve(max_new, deadline, record):
        nonlocal stream_bytes
        prompts = torch.randint(4, VOCAB, (BATCH, PROMPT))
        sessions = [Session(p, tok) for p in prompts.tolist()]
        ids = prompts.to(dev)
        out = model(input_ids=ids, use_cache=True)
        for _ in range(max_new):
            t0 = time.perf_counter()
            # sampling keeps random weights from repeating one token
            nxt = torch.multinomial(out.logits[:, -1].float().softmax(-1), 1)
            host = nxt.squeeze(1).tolist()
            t1 = time.perf_counter()
            for s, t in zip(sessions, host):
                if not s.done:
                    stream_bytes += len(s.push(t, tok))
            t2 = time.perf_counter()
            out = model(input_ids=nxt, past_key_values=out.past_key_values, use_cache=True)
            if record:
                planted.append((t2 - t1) * 1e3)
                times.append((time.perf_counter() - t0) * 1e3)
            if time.perf_counter() > deadline:
                return

    serve(6, time.perf_counter() + 5, False)
    torch.cuda.synchronize()
    deadline = time.perf_counter() + SECONDS
    while time.perf_counter() < deadline:
        serve(MAX_NEW, deadline, True)
    torch.cuda.synchronize()
    print(json.dumps({"steps": len(times), "step_ms": round(statistics.median(times), 3),
                      "planted_ms": round(statistics.median(planted), 3),
                      "note": f"whole text of all {BATCH} sessions decoded again and searched after each token; "
                              f"{stream_bytes} characters streamed"}))


if __name__ == "__main__":
    main()
