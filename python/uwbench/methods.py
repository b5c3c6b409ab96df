"""The shipped watermarks with this package's own codes.

Every method has three functions: `draw(random, vocab_size, site)` is the code of a position, `reweight(p, code)` the distribution to
sample from, `score(token, code)` the evidence of one token. The formulas and their sources are in docs/methods of uwbench; the names here
are those of the TypeScript sources.
"""

import math
from dataclasses import dataclass
from typing import Any, Callable, Optional

from .contexts import Chunks, Codewords, Fixed, Ngram, Prefix, Sequence
from .flip import flip_law
from .keys import OWN
from .lists import ListWords, sir_list, upv_list
from .loops import loops_for
from .mechanisms import (
    avoid_chunk,
    channel_reweight,
    first_flip,
    green_reweight,
    green_threshold,
    gumbel_score,
    landing,
    permute_reweight,
    play_layers,
    point_mass,
    reweight_words,
    winner,
)
from .parameters import Choice, Context, Number, did_you_mean, domain_of, id_of, parse_call, refuse_unknown
from .prc import MAX_LENGTH, prc
from .water import heavy_water, simplex_water


@dataclass(frozen=True)
class Watermark:
    """A watermark: its names, its context rule and its three functions."""

    id: str
    domain: str
    context: Any
    unbiased: bool
    draw: Callable
    reweight: Callable
    score: Callable
    #: The law of positions without a mark, where it is another decoder's than sampling from p.
    target: Optional[Callable] = None

    def code_at(self, schedule, vocab_size, context):
        """Returns the code of the position with this context."""
        return self.draw(schedule.random(context), vocab_size, schedule.site(context))


def _drawn(random, vocab_size, site):
    return random


def _gumbel(values):
    return True, _drawn, point_mass(winner), gumbel_score


def _order_score(detector):
    shift = 31 if detector == "half" else 26
    return lambda token, random: float(random.uint32(token) >> shift)


def _permute(values):
    alpha = values.get("alpha", 0.5)
    return True, _drawn, lambda p, random: permute_reweight(p, random, alpha), _order_score(values["detector"])


_CELLS = 1024


def _delta(values):
    def closeness(token, place):
        u, random = place
        return float(_CELLS - 1 - abs(min(_CELLS - 1, math.floor(u * _CELLS)) - (random.uint32(token) >> 22)))

    return True, lambda random, vocab_size, site: (random.uniform(OWN), random), point_mass(landing), closeness


def _mcmark(values):
    channels = values["channels"]
    return (
        True,
        lambda random, vocab_size, site: (random, random.below(OWN, channels)),
        lambda p, code: channel_reweight(p, code, channels),
        lambda token, code: float(code[0].below(token, channels) == code[1]),
    )


_PAGE = 32


def _synthid(values):
    layers, leaves = values["layers"], values["leaves"]
    sizes = [min(_PAGE, layers - at) for at in range(0, layers, _PAGE)]
    if values["detector"] == "weighted":
        if layers > 43:
            raise ValueError(f"layers: expected at most 43 with detector=weighted, got {layers}")
        weights = [1 if layers == 1 else 10 * (layers - 1) - 9 * layer for layer in range(layers)]
    else:
        weights = [1] * layers

    def factors(ones, layer):
        if leaves == 2:
            return max(0.0, 1 - ones), max(0.0, 2 - ones)
        return (1 - ones) ** 2, 1 + (1 - ones) + (1 - ones) ** 2

    def reweight(p, pages):
        for size, words in zip(sizes, pages):
            p = reweight_words(p, words, lambda loops, p, words, token: play_layers(loops, p, words, size, factors))
        return p

    def score(token, pages):
        words = [page.uint32(token) for page in pages]
        return float(sum(w for layer, w in enumerate(weights) if words[layer // _PAGE] >> layer % _PAGE & 1))

    def draw(random, vocab_size, site):
        return [random if page == 0 else random.shifted(page) for page in range(len(sizes))]

    return leaves == 2, draw, reweight, score


def _green_score(threshold):
    return lambda token, random: float(random.uint32(token) < threshold)


def _sta1(values):
    threshold = green_threshold(values["gamma"])

    def factors(mass):
        red = max(0.0, 1 - mass)
        return 1 + red, red

    return True, _drawn, lambda p, random: green_reweight(p, random, threshold, factors), _green_score(threshold)


def _tilted(values):
    threshold, boost = green_threshold(values["gamma"]), math.exp(values["delta"])

    def factors(mass):
        red = 1 / (1 + (boost - 1) * mass)
        return boost * red, red

    return False, _drawn, lambda p, random: green_reweight(p, random, threshold, factors), _green_score(threshold)


def _its_edit(values):
    def score(token, place):
        u, order = place
        return 1 - abs(u - (order.uint32(token) + 0.5) * 2**-32)

    return True, lambda random, vocab_size, site: (random.uniform(OWN), site.shared), point_mass(landing), score


def _christ(values):
    def choose(loops, p, code):
        random, n = code[0], len(p)
        below = loops.cumulative(p)
        low, span, j = 0, 1 << (n - 1).bit_length(), 0
        while span > 1:
            span //= 2
            half, high = low + span, min(n, low + 2 * span)
            ones = float(below[high] - below[half]) if half < high else 0.0
            one = 0.0 if half >= high else _ratio(ones, ones + float(below[half] - below[low]))
            if random.uniform(j) < one:
                low = half
            j += 1
        return low

    def score(token, code):
        random, vocab_size = code
        width = (vocab_size - 1).bit_length()
        total = 0.0
        for j in range(width):
            bit = 1 << width - 1 - j
            if (token & -bit | bit) >= vocab_size:
                continue  # only a 0 fits: forced, no evidence
            u = random.uniform(j)
            total -= math.log(min(1.0, u + 2**-65)) if token & bit else math.log1p(-u)
        return total

    return True, lambda random, vocab_size, site: (random, vocab_size), point_mass(choose), score


def _ratio(a, b):
    return a / b if b != 0 else math.nan


def _dual(values):
    alpha = values["alpha"]
    weight = alpha if values["weight"] is None else values["weight"]

    def reweight(p, pair):
        loops = loops_for(len(p))
        p = loops.vector(p)
        q = loops.spread([], [], len(p))
        q[winner(loops, p, pair[0])] += 1 - alpha
        q[winner(loops, p, pair[1])] += alpha
        return q

    def score(token, pair):
        return (1 - weight) * gumbel_score(token, pair[0]) + weight * gumbel_score(token, pair[1])

    return True, lambda random, vocab_size, site: (random, random.shifted(1)), reweight, score


def _ens(values):
    marks, alpha, channels = values["marks"], values["alpha"], values["channels"]
    if channels is not None and "alpha" in values["given"]:
        raise ValueError("alpha: expected no alpha together with channels")

    def draw(random, vocab_size, site):
        if channels is None:
            return [random.shifted(k) for k in range(marks)]
        sets = [random.shifted(k, marks) for k in range(marks)]
        return [(words, words.below(OWN, channels)) for words in sets]

    def reweight(p, codes):
        for code in codes:
            p = permute_reweight(p, code, alpha) if channels is None else channel_reweight(p, code, channels)
        return p

    def score(token, codes):
        if channels is None:
            return float(sum(random.uint32(token) >> 31 for random in codes))
        return float(sum(random.below(token, channels) == chosen for random, chosen in codes))

    return True, draw, reweight, score


def _bimark(values):
    layers, delta = values["layers"], values["delta"]
    used = (1 << layers) - 1

    def factors(coins):
        def of(inside, layer):
            if not 0 < inside < 1:
                return 1.0, 1.0
            up = max(0.0, min(1 / inside, 1 + delta) - 1)
            down = min(1.0, up * inside / (1 - inside))
            return (1 - down, 1 + up) if coins >> layer & 1 else (1 + down, max(0.0, 1 - up))

        return of

    def reweight(p, code):
        halves, coins = code
        return reweight_words(p, halves, lambda loops, p, words, token: play_layers(loops, p, words, layers, factors(coins)))

    return (
        True,
        lambda random, vocab_size, site: (site.shared, random.uint32(OWN) & used),
        reweight,
        lambda token, code: float(bin(~(code[0].uint32(token) ^ code[1]) & used).count("1")),
    )


def _permute_and_flip(values):
    return True, _drawn, point_mass(first_flip), gumbel_score


def _stealth_ink(values):
    threshold = 1 << 32 - values["bits"]
    outside = lambda token, random: float(random.uint32(token) >= threshold)
    return values["bits"] == 1, _drawn, lambda p, random: avoid_chunk(p, random, threshold), outside


def _learned(lists, strength):
    def make(values):
        _, _, reweight, score = _tilted({"gamma": 0.5, "delta": strength * values["delta"]})
        return False, lambda random, vocab_size, site: ListWords(site.shared, lists(site.context)), reweight, score

    return make


def _unwatermarked(values):
    return True, lambda random, vocab_size, site: None, lambda p, code: p, lambda token, code: 0.0


_BIGRAM = Context(lambda values: Ngram(2))
_HALF_LINEAR = Choice("half", "linear")
_GAMMA = dict(default=0.5, open=True, shapes_code=True)
_KEY_LENGTH = Number(1, 1 << 16, 256, whole=True, shown=True)
_BLOCK = Number(1, math.inf, whole=True)
_SHIFT_EDITS = Choice("shift", "edits")
_LISTS = Choice("guaranteed", "published")

#: For each method its parameters, in the order in which ids print them, and what makes its claim and its three functions.
METHODS = {
    "gumbel": ({"context": _BIGRAM}, _gumbel),
    "gammaReweight": ({"detector": _HALF_LINEAR, "context": _BIGRAM}, _permute),
    "deltaReweight": ({"context": _BIGRAM}, _delta),
    "dipmark": ({"alpha": Number(0, 0.5, required=True, example=0.4), "detector": _HALF_LINEAR, "context": _BIGRAM}, _permute),
    "mcmark": (
        {"channels": Number(2, 65536, required=True, whole=True, shapes_code=True, example=20), "context": _BIGRAM},
        _mcmark,
    ),
    "synthid": (
        {
            "layers": Number(1, 128, 20, whole=True, shapes_code=True),
            "leaves": Choice(2, 3),
            "detector": Choice("mean", "weighted"),
            "context": _BIGRAM,
        },
        _synthid,
    ),
    "sta1": ({"gamma": Number(0, 1, **_GAMMA), "detector": Choice("guaranteed", "published"), "context": _BIGRAM}, _sta1),
    "kgw": (
        {
            "delta": Number(0, 100, required=True, example=2),
            "gamma": Number(0, 1, **_GAMMA, shown=False),
            "detector": Choice("guaranteed", "published"),
            "context": _BIGRAM,
        },
        _tilted,
    ),
    "unigram": (
        {
            "delta": Number(0, 100, required=True, example=2),
            "gamma": Number(0, 1, **_GAMMA, shown=False),
            "detector": Choice("guaranteed", "published", "root"),
            "context": Context(lambda values: Fixed()),
        },
        _tilted,
    ),
    "itsEdit": (
        {"keyLength": _KEY_LENGTH, "block": _BLOCK, "penalty": Number(0, math.inf, 0), "detector": _SHIFT_EDITS},
        _its_edit,
    ),
    "expEdit": (
        {"keyLength": _KEY_LENGTH, "block": _BLOCK, "penalty": Number(0, math.inf, 1), "detector": _SHIFT_EDITS},
        _gumbel,
    ),
    "christ": (
        {"entropy": Number(0, math.inf, 20, open=True), "context": Context(lambda values: Prefix(values["entropy"]))},
        _christ,
    ),
    "dualKeyGumbel": ({"alpha": Number(0, 1, 0.1), "weight": Number(0, 1), "detector": Choice("guaranteed", "published"), "context": _BIGRAM}, _dual),
    "ens": (
        {
            "marks": Number(1, 64, required=True, whole=True, shapes_code=True, example=5),
            "alpha": Number(0, 0.5, 0.5),
            "channels": Number(2, 65536, whole=True),
            "context": _BIGRAM,
        },
        _ens,
    ),
    "bimark": (
        {"layers": Number(1, 32, 10, whole=True, shapes_code=True), "delta": Number(0, 1, 1), "context": _BIGRAM},
        _bimark,
    ),
    "permuteAndFlip": ({"context": _BIGRAM}, _permute_and_flip),
    "stealthInk": ({"bits": Number(1, 8, 1, whole=True), "context": _BIGRAM}, _stealth_ink),
    "prc": (
        {"length": Number(8, MAX_LENGTH, 1024, whole=True), "weight": Number(2, 14, 3, whole=True), "noise": Number(0, 0.5, 0.05)},
        prc,
    ),
    "simplexWater": ({"context": _BIGRAM}, simplex_water),
    "heavyWater": ({"size": Number(2, 4096, 1024, whole=True, shapes_code=True), "context": _BIGRAM}, heavy_water),
    "upv": ({"delta": Number(0, 100, 2), "detector": _LISTS}, _learned(upv_list, 1)),
    "sir": ({"delta": Number(0, 100, 1), "detector": _LISTS}, _learned(sir_list, 2)),
    "unwatermarked": ({}, _unwatermarked),
}

#: The context rules of methods that give no choice.
_RULES = {
    "itsEdit": lambda values: Sequence(values["keyLength"]),
    "expEdit": lambda values: Sequence(values["keyLength"]),
    "prc": lambda values: Codewords(values["length"]),
    "upv": lambda values: Ngram(1, "reuse"),
    "sir": lambda values: Chunks(),
    "unwatermarked": lambda values: Fixed(),
}

_TARGETS = {"permuteAndFlip": flip_law}


def _example(name, parameters):
    required = [f"{option}={p.print(p.example)}" for option, p in parameters.items() if p.required]
    return f"{name}({','.join(required)})" if required else name


def watermark(id):
    """Returns the watermark with the given id; a watermark is returned as it is.

    >>> watermark("dipmark( alpha=0.40 )").id
    'dipmark(alpha=0.4)'
    """
    if isinstance(id, Watermark):
        return id
    name, first, options = parse_call("watermark", id)
    if name not in METHODS:
        raise ValueError(f"watermark: expected one of {', '.join(METHODS)}, got {id!r}{did_you_mean(name, METHODS)}")
    parameters, make = METHODS[name]
    if first is not None:
        raise ValueError(f"watermark: expected parameters with their names, such as {_example(name, parameters)}, got {id!r}")
    if "codes" in options:
        raise ValueError(f"watermark: expected own codes, got {id!r}; published codes are in the TypeScript package only")
    refuse_unknown(name, options, parameters)
    values = {}
    for option, parameter in parameters.items():
        if parameter.required and option not in options:
            raise TypeError(f"{name} needs {option}, e.g. {_example(name, parameters)}")
        values[option] = parameter.check(option, options.get(option, parameter.default_for(values)))
    rule = values["context"] if "context" in values else _RULES[name](values)
    domain = domain_of(name, parameters, values, rule.id) if parameters else name
    if values.get("channels") is not None and name == "ens":
        domain = f"ens(marks={values['marks']},channels={values['channels']})/{rule.id}"
    unbiased, draw, reweight, score = make({**values, "given": options})
    return Watermark(id_of(name, parameters, values), domain, rule, unbiased, draw, reweight, score, _TARGETS.get(name))
