"""Connects standard input and output to a testee that another process serves; see gate.py. A file of its own: it runs without the package."""

import os
import socket
import sys
import threading


def main():
    port, _, token = os.environ["UWBENCH_RELAY"].partition(":")
    connection = socket.create_connection(("127.0.0.1", int(port)))
    connection.sendall(token.encode() + b"\n")

    def requests():
        for line in sys.stdin.buffer:
            connection.sendall(line)
        connection.shutdown(socket.SHUT_WR)

    threading.Thread(target=requests, daemon=True).start()
    for line in connection.makefile("rb"):
        sys.stdout.buffer.write(line)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
