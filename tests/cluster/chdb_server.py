#!/usr/bin/env python3
"""A current ClickHouse engine behind ClickHouse's HTTP interface, as far as the cluster's store uses it.

  chdb_server.py LIBCHDB FOLDER PORT

No package has a current server; libchdb.so has the engine without its servers (npm: @chdb/lib-linux-x64-gnu). Each request
is a session of its own: database, settings, one statement. No users, no TLS. Loopback only; standard library only.
"""
import ctypes
import http.server
import os
import sys
import tempfile
import urllib.parse

OF_HTTP = ("database", "default_format", "query", "query_id", "wait_end_of_query")  # the others are settings
INSERT = " FORMAT RowBinary"


class Engine:
    def __init__(self, library, folder):
        self.library = ctypes.CDLL(library)
        self.arguments = (ctypes.c_char_p * 2)(b"clickhouse", b"--path=" + folder.encode())
        text, pointer, size = ctypes.c_char_p, ctypes.c_void_p, ctypes.c_size_t
        for name, result, takes in (("connect", ctypes.POINTER(pointer), (ctypes.c_int, ctypes.POINTER(text))), ("close_conn", None, (pointer,)),
                                    ("query_n", pointer, (pointer, text, size, text, size)), ("destroy_query_result", None, (pointer,)),
                                    ("result_error", text, (pointer,)), ("result_buffer", pointer, (pointer,)), ("result_length", size, (pointer,))):
            function = self.library["chdb_" + name]
            function.restype, function.argtypes = result, takes
            setattr(self, name, function)
        self.first = self.connect(2, self.arguments)  # the engine lives as long as a connection

    def run(self, statements, output):
        """The answer of the last one; or of the first that fails, and that it did."""
        connection = self.connect(2, self.arguments)
        try:
            for statement in statements:
                result = self.query_n(connection[0], statement, len(statement), output, len(output))
                try:
                    error, length = self.result_error(result), self.result_length(result)
                    answer = error or (ctypes.string_at(self.result_buffer(result), length) if length else b"")
                finally:
                    self.destroy_query_result(result)
                if error:
                    return False, answer
            return True, answer
        finally:
            self.close_conn(connection)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        given = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.path).query, keep_blank_values=True))
        body = self.rfile.read(int(self.headers["Content-Length"]))
        before = [f"SET {name} = '{value}'" for name, value in given.items() if name not in OF_HTTP]
        if "database" in given:
            before.insert(0, f"USE {given['database']}")
        insert = given.get("query", "")
        with tempfile.NamedTemporaryFile() as rows:
            if insert:  # the library reads rows from files only
                rows.write(body)
                rows.flush()
                assert insert.endswith(INSERT), insert
                body = f"{insert.removesuffix(INSERT)} FROM INFILE '{rows.name}' COMPRESSION 'none'{INSERT}".encode()
            statements = [statement.encode() for statement in before] + [body]
            is_good, answer = self.server.engine.run(statements, given.get("default_format", "TabSeparated").encode())
        self.send_response(200 if is_good else 500)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


def main():
    library, folder, port = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", int(port)), Handler)
    server.engine = Engine(library, folder)
    server.serve_forever()


if __name__ == "__main__":
    main()
