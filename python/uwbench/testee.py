"""Gate a Python watermark with uwbench: one file, standard library only; numpy and torch are used where you ask for them.

    from uwbench_testee import serve

    serve(id="mine", unbiased=True, reweight=my_reweight, detect=my_detect)

and then: npx uwbench check --testee 'python3 my_watermark.py'. See docs/testee.md of uwbench. The Python package uwbench has the same
file as uwbench.testee.

`key` is the secret as sixteen hexadecimal digits: int(key, 16) is a seed. `context` is the text so far, a list of token ids, empty at
its beginning. `p` is the distribution that the model would sample from. Print what you like: serve() sends standard output to
standard error, and keeps the protocol to itself.
"""

import array
import base64
import hashlib
import json
import math
import os
import sys
import traceback

PROTOCOL = 1


def seed_of(key, *numbers):
    """A 64-bit seed from the key and any whole numbers, such as the tokens of a context."""
    text = ",".join([key, *(str(int(n)) for n in numbers)])
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


# ---------------------------------------------------------------------------------------------------------------- numbers


def _little_endian(data):
    if sys.byteorder == "big":
        data.byteswap()
    return data


def _floats(rows):
    """The rows of a request: a list of lists."""
    if isinstance(rows, list):
        return rows
    count, columns = rows["shape"]
    data = array.array("d")
    data.frombytes(base64.b64decode(rows["float64"]))
    data = _little_endian(data).tolist()
    return [data[i * columns : (i + 1) * columns] for i in range(count)]


def _ints(rows):
    if isinstance(rows, list):
        return rows
    data = array.array("i")
    data.frombytes(base64.b64decode(rows["int32"]))
    data = _little_endian(data).tolist()
    out, at = [], 0
    for length in rows["lengths"]:
        out.append(data[at : at + length])
        at += length
    return out


def _pack(rows):
    data = array.array("d")
    columns = len(rows[0]) if rows else 0
    for row in rows:
        if len(row) != columns:
            raise ValueError(f"rows of {columns} and of {len(row)} numbers")
        data.extend(float(x) for x in row) if not isinstance(row, list) else data.fromlist(row)
    text = base64.b64encode(_little_endian(data).tobytes()).decode()
    return {"shape": [len(rows), columns], "float64": text}


# ---------------------------------------------------------------------------------------------------------------- serving


class _Testee:
    def __init__(self, info, functions, batch, arrays):
        self.info, self.functions, self.batch, self.texts = info, functions, batch, {}
        self.convert = (lambda row: row) if not arrays else _numpy().array

    def start(self, request):
        if request["protocol"] != PROTOCOL:
            raise ValueError(f"this testee speaks protocol {PROTOCOL}, not {request['protocol']}")
        return self.info

    def open(self, request):
        make = self.functions["open"]
        self.texts[request["text"]] = make(request["key"]) if make else None
        return {}

    def close(self, request):
        self.texts.pop(request["text"], None)
        return {}

    def _rows(self, request):
        keys, contexts = request["keys"], _ints(request["contexts"])
        p = [self.convert(row) for row in _floats(request["p"])]
        return keys, contexts, p if len(p) == len(keys) else p * len(keys)

    def _each(self, name, request, *columns):
        function = self.functions[name]
        if self.batch:
            return function(*columns)
        if "text" in request:  # what open() returned comes first
            return [function(self.texts[request["text"]], *row) for row in zip(*columns)]
        return [function(*row) for row in zip(*columns)]

    def reweight(self, request):
        return {"q": _pack(self._each("reweight", request, *self._rows(request)))}

    def sample(self, request):
        tokens = self._each("sample", request, *self._rows(request), request["seeds"])
        return {"tokens": [int(token) for token in tokens]}

    def detect(self, request):
        keys, texts = request["keys"], _ints(request["texts"])
        found = [self.functions["detect"](key, tokens, request["vocabSize"]) for key, tokens in zip(keys, texts)]
        # a p-value, or a p-value with its statistic
        pairs = [pair if isinstance(pair, tuple) else (pair, -math.log(max(pair, 5e-324))) for pair in found]
        return {"pValues": [float(p) for p, _ in pairs], "statistics": [float(s) for _, s in pairs]}


def serve(
    *,
    id,
    unbiased,
    reweight=None,
    sample=None,
    detect=None,
    open=None,
    unbiased_up_to=None,
    vocab_sizes=None,
    dtype="float64",
    tolerance=None,
    guaranteed=None,
    batch=False,
    arrays=False,
    streams=None,
):
    """Answers uwbench until it says stop.

    reweight(key, context, p) -> q
    sample(key, context, p, seed) -> token
    detect(key, tokens, vocab_size) -> p-value, or (p-value, statistic)
    open(key) -> state: for watermarks that follow a text; reweight and sample then take the state as their first argument
    batch: reweight and sample take lists of keys, contexts and distributions, and return a list
    arrays: p is a numpy array of float64, not a list
    streams: two text files, for requests and for answers, in place of standard input and output
    """
    functions = {"reweight": reweight, "sample": sample, "detect": detect, "open": open}
    info = {
        "protocol": PROTOCOL,
        "id": id,
        "unbiased": unbiased,
        "unbiasedUpTo": unbiased_up_to,
        "capabilities": [name for name in ("reweight", "sample", "detect") if functions[name] is not None],
        "vocabSizes": vocab_sizes,
        "dtype": dtype,
        "tolerance": tolerance,
        "guaranteed": guaranteed,
        "state": "context" if open is None else "text",
    }
    info = {name: value for name, value in info.items() if value is not None}
    testee = _Testee(info, functions, batch, arrays)
    if streams is None:
        answers = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
        os.dup2(2, 1)  # print() goes to standard error
        streams = (sys.stdin, answers)
    _answer(testee, *streams)


def _answer(testee, requests, answers):
    for line in requests:
        request = json.loads(line)
        answer = {"seq": request["seq"]}
        try:
            answer["ok"] = {} if request["cmd"] == "stop" else getattr(testee, request["cmd"])(request)
        except Exception as error:  # the testee's answer to its own mistake
            where = traceback.extract_tb(error.__traceback__)[-1]
            message = f"{type(error).__name__}: {error} ({os.path.basename(where.filename)}, line {where.lineno})"
            answer["error"] = {"message": message, "context": traceback.format_exc()}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()
        if request["cmd"] == "stop":
            return


# ---------------------------------------------------------------------------------------------------------------- adapters


def _numpy():
    import numpy

    return numpy


def _kept(make, most=256):
    """make(key), kept for the keys used last."""
    kept = {}

    def of(key):
        if key not in kept:
            if len(kept) >= most:
                kept.pop(next(iter(kept)))
            kept[key] = make(key)
        return kept[key]

    return of


def _softmax(scores):
    top = max(scores)
    masses = [math.exp(score - top) for score in scores]
    total = math.fsum(masses)
    return [mass / total for mass in masses]


def logits_processor(make, tensors="torch"):
    """A reweight function from processors in the style of Hugging Face: make(key) is called as processor(input_ids, scores).

    tensors: "torch" (a LongTensor and a float32 FloatTensor), "numpy" (int64 and float32 arrays) or "lists", each with one row.
    Tokens without mass have the score -inf, and must keep it. Serve the result with dtype="float32".
    """
    of = _kept(make)

    def reweight(key, context, p):
        logs = [math.log(mass) if mass > 0 else -math.inf for mass in p]
        if tensors == "torch":
            import torch

            ids = torch.tensor([context], dtype=torch.long).reshape(1, len(context))
            scores = of(key)(ids, torch.tensor([logs], dtype=torch.float32))
            return torch.softmax(scores[0].double(), dim=-1).tolist()
        if tensors == "numpy":
            numpy = _numpy()
            ids = numpy.array([context], dtype=numpy.int64).reshape(1, len(context))
            scores = of(key)(ids, numpy.array([logs], dtype=numpy.float32))
            return _softmax(scores[0].astype(float).tolist())
        return _softmax(of(key)([context], [logs])[0])

    return reweight


def sampler(make, tensors="torch"):
    """A sample function for serve(batch=True) from samplers in the style of vLLM: make(key) is called as sample(logits, contexts, seeds).

    It returns one token per row. Rows of one key and one vocabulary come together.
    """
    of = _kept(make)

    def sample(keys, contexts, p, seeds):
        tokens = [None] * len(keys)
        for key in dict.fromkeys(keys):
            rows = [i for i, one in enumerate(keys) if one == key]
            logits = [[math.log(mass) if mass > 0 else -math.inf for mass in p[i]] for i in rows]
            if tensors == "torch":
                import torch

                logits = torch.tensor(logits, dtype=torch.float32)
            elif tensors == "numpy":
                logits = _numpy().array(logits, dtype="float32")
            drawn = of(key)(logits, [contexts[i] for i in rows], [seeds[i] for i in rows])
            for i, token in zip(rows, drawn):
                tokens[i] = int(token)
        return tokens

    return sample
