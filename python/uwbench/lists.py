"""Green lists that a trained network makes of the context: upv and sir. The network is public, the class of every token is secret.

Networks have weights of 8 bits. Sums run over inputs in order, so that lists are those of the TypeScript package in every engine.
"""

import base64
import json
import math
import pkgutil
from functools import lru_cache

from .keys import STRIDE, Random, label_seed, round_keys
from .loops import loops_for

_RED = 1 << 31


class ListWords:
    """Words below one half for the tokens whose secret class is green."""

    def __init__(self, shared, green):
        self._shared, self._words = shared, [0 if is_green else _RED for is_green in green]

    def uint32(self, token):
        return self._words[self._shared.below(token, len(self._words))]

    def words(self, loops, n):
        return self._of(loops, self._shared.words(loops, n), range(n))

    def words_at(self, loops, ids):
        return self._of(loops, self._shared.words_at(loops, ids), ids)

    def _of(self, loops, words, ids):
        classes, rejected = loops.remainders(words, len(self._words))
        if rejected:
            classes = [self._shared.below(int(i), len(self._words)) for i in ids]
        return loops.take(loops.vector(self._words), classes)


@lru_cache(maxsize=None)
def _network(name):
    return json.loads(pkgutil.get_data(__package__, f"networks/{name}.json"))


def _layer(loops, data):
    """Returns a layer as a function of a batch: each row x becomes W x + b."""
    inputs, outputs = data["inputs"], data["outputs"]
    numbers = [byte - 256 if byte > 127 else byte for byte in base64.b64decode(data["bytes"])]
    weights = [[number * data["scale"] for number in numbers[o * inputs : (o + 1) * inputs]] for o in range(outputs)]
    biases = [number * data["biasScale"] for number in numbers[inputs * outputs :]]
    return lambda rows: loops.dense(rows, weights, biases)


@lru_cache(maxsize=None)
def _upv_parts():
    """Returns what the network adds up for each code: as the token before, and as a candidate."""
    network = _network("upv")
    bits = network["bits"]
    loops = loops_for(1 << bits)
    state = [[float(code >> bits - 1 - i & 1) for i in range(bits)] for code in range(1 << bits)]
    for k, data in enumerate(network["sub"]):
        state = _layer(loops, data)(state if k == 0 else loops.relu(state))
    return loops, _layer(loops, network["context"])(state), _layer(loops, network["candidate"])(state), _layer(loops, network["last"])


@lru_cache(maxsize=None)
def _upv_list(code):
    loops, from_context, from_candidate, last = _upv_parts()
    return tuple(row[0] > 0 for row in last(loops.relu(loops.add_row(from_candidate, from_context[code]))))


def upv_list(context):
    """Returns which codes of a candidate are green after a context."""
    return _upv_list((context[-1] if context else 0) & (1 << _network("upv")["bits"]) - 1)


#: Coordinates of a token that are not 0.
_ENTRIES = 8
_SIR_WORDS = Random(round_keys(label_seed("sir")))


def _sir_embedding(tokens, inputs):
    """Returns the sum of public random directions over the different ids of a text, of length 1."""
    out = [0.0] * inputs
    for id in set(tokens):
        for k in range(_ENTRIES):
            word = _SIR_WORDS.uint32(STRIDE * k + id)
            out[(word >> 1) % inputs] += 1 if word & 1 else -1
    length = math.sqrt(sum(x * x for x in out))
    return out if length == 0 else [x / length for x in out]


@lru_cache(maxsize=None)
def _sir_layers():
    network = _network("sir")
    loops = loops_for(network["last"]["outputs"])
    return loops, _layer(loops, network["first"]), [_layer(loops, data) for data in network["inner"]], _layer(loops, network["last"])


@lru_cache(maxsize=1024)
def sir_list(context):
    """Returns which classes are green after the chunks of a text."""
    loops, first, inner, last = _sir_layers()
    state = first([_sir_embedding(context, _network("sir")["first"]["inputs"])])
    for layer in inner:
        state = loops.add_row(loops.relu(layer(state)), state[0])
    out = [float(value) for value in last(state)[0]]
    total = 0.0
    for value in out:  # not sum(): it rounds otherwise from Python 3.12 on
        total += value
    mean = total / len(out)
    return tuple(not value > mean for value in out)
