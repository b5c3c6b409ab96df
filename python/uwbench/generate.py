"""The reference generator: writes texts on request, one JSON object per line on standard input and output.

    python3 -m uwbench.generate --model DIR --backend transformers

docs/generator.md of uwbench describes the protocol. A key is never sent: a request names an environment variable or a file of this
process, and no answer and no error shows its content.
"""

import argparse
import json
import os
import sys
import traceback

from . import backends
from .decode import Text
from .methods import METHODS, watermark
from .text import check_tokens, expect_toy_keys
from .warp import warper

PROTOCOL = 1


def key_of(reference):
    """Returns the key that a reference names: `{"env": NAME}`, `{"file": PATH}` or, for keys that protect nothing, `{"public": TEXT}`."""
    if not isinstance(reference, dict) or len({"env", "file", "public"} & set(reference)) != 1:
        raise ValueError("key: expected an object with one of env, file and public, got something else")
    suffix = reference.get("suffix", "").encode()
    if "public" in reference:
        return reference["public"].encode() + suffix
    if "env" in reference:
        if reference["env"] not in os.environ:
            raise ValueError(f"key: expected the environment variable {reference['env']} to be set in the generator, found it unset")
        return os.environb[reference["env"].encode()] + suffix if os.supports_bytes_environ else os.environ[reference["env"]].encode() + suffix
    try:
        with open(reference["file"], "rb") as file:
            return file.read() + suffix
    except OSError as error:
        raise ValueError(f"key: expected a readable file {reference['file']}, got {error.strerror}") from None


def prompt_of(model, prompt):
    """Returns the tokens of a prompt: text, token ids or chat messages."""
    if isinstance(prompt, str):
        return check_tokens(model.encode_prompt(prompt), model.vocab_size, "prompt")
    if prompt and isinstance(prompt[0], dict):
        if model.encode_chat is None:
            raise ValueError(f"prompt: expected text or token ids, as {model.id} has no chat template; got chat messages")
        return check_tokens(model.encode_chat(prompt), model.vocab_size, "prompt")
    return check_tokens(prompt, model.vocab_size, "prompt")


class Generator:
    """Answers requests with a model."""

    def __init__(self, model, name, batch_size=16):
        self.model, self.name, self.batch_size = model, name, batch_size

    def start(self, request, progress):
        if request.get("protocol") != PROTOCOL:
            raise ValueError(f"protocol: expected {PROTOCOL}, got {request.get('protocol')!r}")
        return {
            "protocol": PROTOCOL,
            "model": self.model.id,
            "backend": self.name,
            "vocabSize": self.model.vocab_size,
            "endTokens": list(self.model.end_tokens),
            "maxLength": self.model.max_length,
            "chat": self.model.encode_chat is not None,
            "methods": list(METHODS),
        }

    def _open(self, one, request, warp):
        model = self.model
        prompt = prompt_of(model, one["prompt"])
        asked, room = request.get("maxNewTokens"), model.max_length - len(prompt)
        if room < 1 or asked is not None and not 1 <= asked <= room:
            raise ValueError(f"maxNewTokens: expected at most {room} after a prompt of {len(prompt)} tokens, got {asked}")
        stops = request.get("stopTokens")
        marked = one.get("watermark") is not None
        return Text(
            prompt,
            vocab_size=model.vocab_size,
            warp=warp,
            max_tokens=min(200, room) if asked is None else asked,
            stops=frozenset(model.end_tokens if stops is None else check_tokens(stops, model.vocab_size, "stopTokens")),
            watermark=watermark(one["watermark"]) if marked else None,
            key=key_of(one.get("key")) if marked else None,
            seed=one["seed"],
            index=one.get("index", 0),
        )

    def generate(self, request, progress):
        warp = warper(request.get("temperature", 1.0), request.get("topK", 0), request.get("topP", 1.0))
        texts = [self._open(one, request, warp) for one in request["texts"]]
        self.model.generate(texts, request.get("batchSize", self.batch_size), lambda done: progress(done, len(texts)))
        return {"texts": [self._answer(text) for text in texts]}

    def _answer(self, text):
        return {
            "prompt": text.prompt,
            "tokens": text.tokens,
            "text": self.model.decode(text.tokens),
            "finish": text.finish,
            "logProbabilities": text.log_probabilities,
            "entropies": text.entropies,
            **({} if text.start is None else {"start": text.start}),
        }


def serve(generator, lines, write):
    """Answers every line until one says stop or there are no more."""
    for line in lines:
        request = json.loads(line)
        seq, cmd = request.get("seq"), request.get("cmd")
        answer = {"seq": seq}
        try:
            if cmd == "stop":
                answer["ok"] = {}
            elif cmd in ("start", "generate"):
                progress = lambda done, of: write(json.dumps({"seq": seq, "progress": {"done": done, "of": of}}))  # noqa: E731
                answer["ok"] = getattr(generator, cmd)(request, progress)
            else:
                raise ValueError(f"cmd: expected start, generate or stop, got {cmd!r}")
        except KeyError as error:
            answer["error"] = {"message": f"expected the field {error}, got none"}
        except Exception as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            place = "" if isinstance(error, ValueError) else f" ({os.path.basename(where.filename)}, line {where.lineno})"
            answer["error"] = {"message": f"{error}{place}" if isinstance(error, ValueError) else f"{type(error).__name__}: {error}{place}"}
        write(json.dumps(answer))
        if cmd == "stop":
            return


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python3 -m uwbench.generate", description="Writes texts for uwbench bench --generator.")
    parser.add_argument("--model", required=True, help="a folder, a hub id, or a file of the tiny backend")
    parser.add_argument("--backend", choices=backends.NAMES, default="transformers")
    parser.add_argument("--batch", type=int, default=16, help="texts written side by side; 16 by default")
    parser.add_argument("--device", help="of the transformers backend, such as cuda; by default cuda where available")
    parser.add_argument("--dtype", help="of the weights, such as bfloat16; by default what the model was saved in")
    given = parser.parse_args(arguments)
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    os.dup2(2, 1)  # what libraries print goes to standard error

    def write(line):
        answers.write(line + "\n")
        answers.flush()

    expect_toy_keys()
    try:
        model = backends.load(given.backend, given.model, device=given.device, dtype=given.dtype)
    except (ImportError, OSError, ValueError) as error:
        sys.exit(f"uwbench.generate: {given.backend}: {error}")
    serve(Generator(model, given.backend, given.batch), sys.stdin, write)


if __name__ == "__main__":
    main()
