"""Warpers: from logits to the distribution that the user asked for, in the order temperature, top-k, top-p. The watermark comes after
them: truncation after the watermark would be biased."""

import math

from .loops import loops_for


def _checked(name, value, low, high, kind):
    if isinstance(value, bool) or not isinstance(value, kind) or not low <= value <= high:
        number = "an integer" if kind is int else "a number"
        raise ValueError(f"{name}: expected {number} in [{low}, {high}], got {value!r}")
    return value


def warper(temperature=1.0, top_k=0, top_p=1.0):
    """Returns a function from logits to the warped distribution and its entropy in nats.

    >>> p, entropy = warper(temperature=0.5)([0.0, 1.0, 2.0])
    >>> [round(mass, 4) for mass in p], round(entropy, 4)
    ([0.0159, 0.1173, 0.8668], 0.4411)
    """
    _checked("temperature", temperature, 0, math.inf, (int, float))
    _checked("top_k", top_k, 0, math.inf, int)
    _checked("top_p", top_p, 0, 1, (int, float))
    if top_p == 0:
        raise ValueError(f"top_p: expected a number in (0, 1], got {top_p!r}")
    sharpness = 1 / temperature if temperature > 1e-308 else math.inf

    def warp(logits):
        loops = loops_for(len(logits))
        logits = loops.vector(logits)
        top = loops.highest(logits)
        if math.isnan(top) or math.isinf(top):
            raise ValueError(f"logits: expected a finite largest value and no NaN, got {top}")
        if math.isinf(sharpness):
            return loops.greedy(logits), 0.0
        p = loops.softmax(logits, sharpness)
        i = loops.first_likely(p)
        # ln p_i = s x_i - C for every i, so the entropy is C - s E[x]
        entropy = (float(logits[i]) - loops.mean_logit(p, logits)) * sharpness - math.log(p[i])
        if 0 < top_k < len(p):
            p, entropy = loops.normalise(loops.cut(p, top_k, True))
        if top_p < 1:
            p, entropy = loops.normalise(loops.cut(p, top_p, False))
        return p, entropy

    return warp
