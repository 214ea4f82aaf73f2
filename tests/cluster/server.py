"""A real `ingero fleet serve` on this machine, for what measures it: started, asked, stopped. Standard library and, for TLS,
openssl(1)."""
import contextlib
import http.client
import json
import os
import re
import signal
import ssl
import subprocess
import sys
import threading

TOKEN = "a-token-of-this-table-0123456789"
UNLIMITED = ("--points-rate", "0", "--bytes-rate", "0")  # for what sends more than a job does


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


class Server:
    """Its files, the token and with TLS the certificate `c.pem` among them, are in `folder`. `store`: the flags that
    say where it stores, if not in c.db."""

    def __init__(self, ingero, folder, *more, has_tls=False, store=()):
        token = os.path.join(folder, "token")
        with open(os.open(token, os.O_WRONLY | os.O_CREAT, 0o600), "w", encoding="ascii") as file:
            file.write(TOKEN)
        protection, self.tls = ["--insecure-no-tls"], None
        if has_tls:
            certificate, key = (os.path.join(folder, name) for name in ("c.pem", "k.pem"))
            subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
                            "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate], check=True, capture_output=True)
            protection, self.tls = ["--tls-cert", certificate, "--tls-key", key], ssl.create_default_context(cafile=certificate)
        self.process = subprocess.Popen(
            [ingero, "fleet", "serve", *(store or ("--db", os.path.join(folder, "c.db"))), *protection, "--token-file", token,
             "--http-listen", "127.0.0.1:0", "--grpc-listen", "127.0.0.1:0", "--api-listen", "127.0.0.1:0", *more], stderr=subprocess.PIPE, text=True)
        line = self.process.stderr.readline()
        ports = re.findall(r"https?://127\.0\.0\.1:(\d+)", line)
        if len(ports) != 2:
            sys.exit(line + self.process.stderr.read())
        self.otlp, self.api = map(int, ports)
        self.drain = threading.Thread(target=self.process.stderr.read, daemon=True)  # what it logs
        self.drain.start()

    def request(self, method, path, body=None):
        made = http.client.HTTPSConnection("127.0.0.1", self.api, timeout=60, context=self.tls) if self.tls else \
            http.client.HTTPConnection("127.0.0.1", self.api, timeout=60)
        with contextlib.closing(made) as connection:
            connection.request(method, path, body, {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"})
            answer = connection.getresponse()
            got = answer.read()
        if answer.status != 200:
            sys.exit(f"{path}: HTTP {answer.status}: {got[:500]!r}")
        return json.loads(got)

    def ask(self, tool, **given):
        return self.request("POST", f"/api/v1/tools/fleet.cluster.{tool}", json.dumps(given))

    def health(self):
        return self.request("GET", "/api/v1/health")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)
        self.drain.join()
        self.process.stderr.close()
