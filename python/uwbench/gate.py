"""Runs the gate, `uwbench check`, on a watermark that lives in this process.

The gate starts a testee as a process and talks to it over standard input and output. Here that process is a relay (relay.py) to a socket
of this one, so lambdas, fixtures and models that are already loaded can be tested.
"""

import importlib.util
import os
import re
import secrets
import shlex
import shutil
import socket
import subprocess
import sys
import threading
from pathlib import Path

from . import testee
from .keys import key_bytes
from .methods import Watermark, watermark
from .text import embedder, expect_toy_keys


class GateFailure(AssertionError):
    """A law fails; the message has the counterexample."""


class GateError(RuntimeError):
    """The gate could not run: no program, wrong usage, or a testee that raised an exception."""


def command():
    """Returns the command that runs uwbench: UWBENCH_CLI, or npx where it is installed."""
    given = os.environ.get("UWBENCH_CLI")
    if given:
        return [given] if os.path.isfile(given) and os.access(given, os.X_OK) else shlex.split(given)
    if shutil.which("npx") is None:
        raise GateError("uwbench: expected npx (Node.js 20 or later) or a command in UWBENCH_CLI, found neither")
    return ["npx", "--no-install", "uwbench"]


def _tensors():
    for name in ("torch", "numpy"):
        if importlib.util.find_spec(name) is not None:
            return name
    return "lists"


def _own(id):
    """Returns what serves one of this package's own watermarks."""
    mark = watermark(id)

    def reweight(key, context, p):
        text = embedder(mark, key=key_bytes(key), vocab_size=len(p), seed=0, check=False)
        for end in range(len(context)):
            text.pass_over(context, end)
        q = text.reweight(context, p)
        return p if q is None else [float(mass) for mass in q]

    return {"id": mark.id, "unbiased": mark.unbiased, "reweight": reweight}


def _served(make, options, tensors, stateful):
    """Returns the arguments of `testee.serve`."""
    if isinstance(make, (str, Watermark)):
        return {**_own(make), **options}
    if make is None:
        return {"id": "watermark", "unbiased": True, **options}
    name = getattr(make, "__name__", type(make).__name__)
    named = {"id": re.sub(r"[^\w.-]", "", name) or "processor", "unbiased": True, "dtype": "float32"}
    if not stateful:
        return {**named, "reweight": testee.logits_processor(make, tensors), **options}
    # what open() returns comes first: a processor for this text alone
    of = {"open": make, "reweight": lambda one, key, context, p: testee.logits_processor(lambda _: one, tensors)(key, context, p)}
    return {**named, **of, **options}


def _listen(server, token, arguments):
    """Serves every connection that knows the token, one request at a time."""

    def serve(connection):
        with connection, connection.makefile("r", encoding="utf-8") as requests, connection.makefile("w", encoding="utf-8") as answers:
            if secrets.compare_digest(requests.readline().strip(), token):
                testee.serve(**arguments, streams=(requests, answers))

    while True:
        try:
            connection, _ = server.accept()
        except OSError:
            return  # closed: the gate is done
        threading.Thread(target=serve, args=(connection,), daemon=True).start()


_REPLAY = re.compile(r"uwbench check --testee .* --law ('[^']*'|\S+) --seed=(-?\d+)(?: --path (\S+))?")


def _replay(match):
    law, seed, path = match.groups()
    return f"uwbench.check(..., law='{law.strip(chr(39))}', seed={seed}{'' if path is None else f', path={path!r}'})"


def check(make=None, *, tensors=None, stateful=False, effort="quick", law=None, seed=None, path=None, timeout=None, bias=None, **options):
    """Runs every law that applies, and raises GateFailure with the counterexample where one fails. Returns what the gate printed.

    `make(key)` returns a processor, which is called with `input_ids` and `scores`, one row each; or `make` is the id of one of this
    package's own watermarks. Without it, give functions as to `uwbench.testee.serve`: `reweight`, `sample`, `detect` and so on.

    tensors: what a processor takes, "torch", "numpy" or "lists"; by default torch where installed, then numpy.
    stateful: make one processor per text, called once for each position, for processors that remember what they saw.
    effort, law, seed, path, timeout, bias: options of `uwbench check`.
    Others, such as `id` and `unbiased`, are those of `uwbench.testee.serve`.
    """
    expect_toy_keys()
    arguments = _served(make, options, tensors or _tensors(), stateful)
    flags = {"effort": effort, "law": law, "seed": seed, "path": path, "timeout": timeout, "bias": bias}
    relay = Path(__file__).with_name("relay.py")
    words = [*command(), "check", "--testee", f"{shlex.quote(sys.executable)} {shlex.quote(str(relay))}"]
    words += [f"--{name}={value}" for name, value in flags.items() if value is not None]
    token = secrets.token_hex(16)
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=_listen, args=(server, token, arguments), daemon=True).start()
        env = {**os.environ, "UWBENCH_RELAY": f"{server.getsockname()[1]}:{token}", "NO_COLOR": "1"}
        try:
            done = subprocess.run(words, env=env, capture_output=True, text=True, encoding="utf-8", stdin=subprocess.DEVNULL)
        except OSError as error:
            raise GateError(f"uwbench: expected a program {words[0]}, got {error.strerror}; UWBENCH_CLI names another") from None
    if done.returncode == 1 and done.stdout:
        raise GateFailure(_REPLAY.sub(_replay, done.stdout).strip())
    if done.returncode != 0:
        raise GateError((done.stderr or done.stdout).strip() or f"{words[0]} exited with code {done.returncode}")
    return done.stdout
