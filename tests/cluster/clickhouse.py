"""A real clickhouse-server on this machine, 18.16 (Debian's package) or newer: started, asked, killed. Or a current engine
(chdb_server.py), where INGERO_CHDB names its library. Standard library only."""
import atexit
import contextlib
import http.client
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.parse

PASSWORD = "a-password-of-the-tests"
CONFIG = """<?xml version="1.0"?>
<yandex>
  <logger><level>error</level><log>{folder}/log</log><errorlog>{folder}/error.log</errorlog></logger>
  <http_port>{port}</http_port><tcp_port>{tcp_port}</tcp_port><listen_host>127.0.0.1</listen_host>
  <keep_alive_timeout>3</keep_alive_timeout><mark_cache_size>67108864</mark_cache_size>
  <path>{folder}/data/</path><tmp_path>{folder}/tmp/</tmp_path><user_files_path>{folder}/files/</user_files_path>
  <format_schema_path>{folder}/formats/</format_schema_path><users_config>{folder}/users.xml</users_config>
  <default_profile>default</default_profile><default_database>default</default_database><timezone>UTC</timezone>
  <mlock_executable>false</mlock_executable>{more}
</yandex>
"""
TLS = """
  <https_port>{port}</https_port>
  <openSSL><server><certificateFile>{folder}/c.pem</certificateFile><privateKeyFile>{folder}/k.pem</privateKeyFile>
    <verificationMode>none</verificationMode></server></openSSL>"""
USER = "<{name}><password>{password}</password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></{name}>"
USERS = f"""<?xml version="1.0"?>
<yandex>
  <profiles><default><max_memory_usage>4000000000</max_memory_usage></default></profiles>
  <users>{USER.format(name="default", password="")}{USER.format(name="fleet", password=PASSWORD)}{USER.format(name="reader", password=PASSWORD)}</users>
  <quotas><default><interval><duration>3600</duration><queries>0</queries><errors>0</errors><result_rows>0</result_rows>
    <read_rows>0</read_rows><execution_time>0</execution_time></interval></default></quotas>
</yandex>
"""


CURRENT = os.environ.get("INGERO_CHDB", "")  # libchdb.so: it has neither users nor TLS


def why_not():
    """Why there is none here; empty: there is one."""
    if CURRENT:
        return "" if os.path.exists(CURRENT) else f"{CURRENT}: there is no such file (INGERO_CHDB)"
    return "" if shutil.which("clickhouse-server") else "no clickhouse-server is installed (apt-get install clickhouse-server)"


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


class ClickHouse:
    """Keeps its data in `folder` over kills and starts. `has_tls`: also over https at `tls_port`, with the certificate `c.pem`."""

    def __init__(self, folder, has_tls=False):
        os.makedirs(folder, exist_ok=True)
        self.folder, self.port, self.process, more = folder, free_port(), None, ""
        if has_tls:
            self.tls_port = free_port()
            more = TLS.format(folder=folder, port=self.tls_port)
            subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
                            "subjectAltName=IP:127.0.0.1", "-keyout", f"{folder}/k.pem", "-out", f"{folder}/c.pem"], check=True, capture_output=True)
        for name, text in (("config.xml", CONFIG.format(folder=folder, port=self.port, tcp_port=free_port(), more=more)), ("users.xml", USERS)):
            with open(os.path.join(folder, name), "w", encoding="ascii") as file:
                file.write(text)

    def url(self, database=""):
        return f"http://127.0.0.1:{self.port}/{database}"

    def start(self):
        command = ["clickhouse-server", f"--config-file={self.folder}/config.xml"]
        if CURRENT:
            command = [sys.executable, "-B", os.path.join(os.path.dirname(os.path.abspath(__file__)), "chdb_server.py"), CURRENT,
                       f"{self.folder}/data", str(self.port)]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        atexit.register(self.stop)
        end = time.monotonic() + 60
        while time.monotonic() < end and self.process.poll() is None:
            with contextlib.suppress(OSError, http.client.HTTPException):
                self.ask("SELECT 1")
                return self
            time.sleep(0.05)
        raise AssertionError(f"clickhouse-server does not start; see {self.folder}/error.log")

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.kill()

    def ask(self, statement, database="default"):
        """Rows of values."""
        path = "/?" + urllib.parse.urlencode({"database": database, "default_format": "JSONCompact", "output_format_json_quote_64bit_integers": 0})
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)) as connection:
            connection.request("POST", path, statement)
            answer = connection.getresponse()
            body = answer.read()
        if answer.status != 200:
            raise AssertionError(f"{statement}: {body[:500]!r}")
        return json.loads(body)["data"] if body else []
