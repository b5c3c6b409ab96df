"""Python watermarks, correct ones and classic mistakes; the first argument names one. Standard library only."""

import array
import math
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../testee"))
from uwbench_testee import logits_processor, sampler, seed_of, serve  # noqa: E402

WINDOW = 2


def window_of(context):
    """The last tokens, unless there are too few or the text had them before."""
    window = context[-WINDOW:]
    if len(window) < WINDOW or any(context[i : i + WINDOW] == window for i in range(len(context) - WINDOW)):
        return None
    return window


def coins(key, window, size):
    generator = random.Random(seed_of(key, *window))
    return [generator.random() < 0.5 for _ in range(size)]


def boosted(p, green):
    """Green tokens gain what red ones lose: unbiased."""
    mass = sum(x for x, is_green in zip(p, green) if is_green)
    return [x * (is_green + 1 - mass) for x, is_green in zip(p, green)]


def green_boost(key, context, p):
    window = window_of(context)
    return p if window is None else boosted(p, coins(key, window, len(p)))


def seed_reused(key, context, p):
    return boosted(p, coins(key, [], len(p)))


def prompt_as_context(key, context, p):
    return boosted(p, coins(key, context[:WINDOW], len(p)))


def top_k_after_the_mark(key, context, p):
    q = green_boost(key, context, p)
    least = sorted(q)[-min(3, len(q))]
    kept = [x if x >= least else 0.0 for x in q]
    total = sum(kept)
    return [x / total for x in kept]


def float32(x):
    return array.array("f", [x])[0]


def inverse_cdf(key, context, p, total=lambda x: x):
    """All mass on the first half of the unit interval, turned by a random amount: q is cut out of running sums of p."""
    window = window_of(context)
    if window is None:
        return p
    start = random.Random(seed_of(key, *window)).random()
    q, before = [], 0.0
    for x in p:
        after = total(before + x)
        # the overlap of [before, after] with [start, start + 1/2], once around
        overlap = sum(max(0.0, min(after, s + 0.5) - max(before, s)) for s in (start, start - 1))
        q.append(total(2 * overlap))
        before = after
    return q


def float32_running_sums(key, context, p):
    return inverse_cdf(key, context, p, float32)


def gumbel(key, context, p, seed):
    window = window_of(context)
    generator = random.Random(seed if window is None else seed_of(key, *window))
    race = [(-math.log(generator.random()) / x if x > 0 else math.inf, i) for i, x in enumerate(p)]
    return min(race)[1]


def modulo_bias(key, context, p, seed):
    """A byte modulo 100 as a percentage: the first 56 come up three times in 256, the others twice."""
    u, total = seed_of(key, seed, *context) % 256 % 100 / 100, 0.0
    for i, x in enumerate(p):
        total += x
        if u < total:
            return i
    return max(range(len(p)), key=p.__getitem__)


def kgw(key):
    """In the style of a published processor: scores in, scores out; green tokens gain delta = 2."""

    def process(input_ids, scores):
        if not input_ids[0]:
            return scores
        green = coins(key, input_ids[0][-1:], len(scores[0]))
        return [[score + 2 * is_green for score, is_green in zip(scores[0], green)]]

    return process


def kgw_pvalue(key, tokens, vocab_size):
    """Every pair of token and successor is scored once; exactly binomial, as each token is green by a coin of its own."""
    pairs = {(a, b) for a, b in zip(tokens, tokens[1:])}
    count = sum(coins(key, [a], vocab_size)[b] for a, b in pairs)
    return sum(math.comb(len(pairs), k) for k in range(count, len(pairs) + 1)) / 2 ** len(pairs)


def argmax(key):
    """In the style of a sampler in a server: forgets the key."""
    return lambda logits, contexts, seeds: [max(range(len(row)), key=row.__getitem__) for row in logits]


class Following:
    """State of a text: which windows it had, as a server keeps it, and how often it was asked."""

    def __init__(self, key):
        self.key, self.seen = key, set()

    def reweight(self, key, context, p):
        window = tuple(context[-WINDOW:])
        if len(window) < WINDOW or window in self.seen:
            return p
        self.seen.add(window)
        return boosted(p, coins(self.key, window, len(p)))


unbiased = {"unbiased": True}
testees = {
    "green boost": {"reweight": green_boost, **unbiased},
    "turned": {"reweight": inverse_cdf, **unbiased},
    "gumbel": {"sample": gumbel, **unbiased},
    "kgw": {
        "reweight": logits_processor(kgw, tensors="lists"),
        "detect": kgw_pvalue,
        "unbiased": False,
        "dtype": "float32",
    },
    "stateful": {"open": Following, "reweight": Following.reweight, **unbiased},
    "fixed vocabulary": {"reweight": green_boost, "vocab_sizes": [2000], **unbiased},
    "prints": {"reweight": lambda key, context, p: print("hello") or p, **unbiased},
    "throws": {"reweight": lambda key, context, p: 1 / 0, **unbiased},
    "seed reused": {"reweight": seed_reused, **unbiased},
    "prompt as context": {"reweight": prompt_as_context, **unbiased},
    "top-k after the mark": {"reweight": top_k_after_the_mark, **unbiased},
    "float32 running sums": {"reweight": float32_running_sums, **unbiased},
    "modulo bias": {"sample": modulo_bias, **unbiased},
    "argmax": {"sample": sampler(argmax, tensors="lists"), "batch": True, **unbiased},
}

if __name__ == "__main__":
    name = sys.argv[1]
    serve(id=name, **testees[name])
