"""Loops over a vocabulary in plain Python: lists of floats and of 32-bit words."""

import math

from .plain_couplings import *  # noqa: F403

_MASK = 0xFFFFFFFF
_LOW = 0x80000000


def vector(values):
    return [float(value) for value in values]


def _mixed(indices, keys):
    k0, k1, k2, k3 = keys
    out = []
    for i in indices:
        x = i + k0 & _MASK
        x = (x ^ x >> 17) * 0xED5AD4BB & _MASK ^ k1
        x = (x ^ x >> 11) * 0xAC4C1B51 + k2 & _MASK
        x = (x ^ x >> 15) * 0x31848BAB & _MASK ^ k3
        out.append(x ^ x >> 14)
    return out


def words(keys, start, n):
    """Returns the words of tokens 0 .. n-1."""
    return _mixed(range(start, start + n), keys)


def words_at(keys, start, ids):
    return _mixed([start + i for i in ids], keys)


def few(p):
    """Returns the tokens with mass where they are at most an eighth of the vocabulary, else None."""
    ids = [i for i, mass in enumerate(p) if mass > 0]
    return ids if len(ids) <= len(p) // 8 else None


def take(values, ids):
    return [values[i] for i in ids]


def spread(values, ids, n):
    """Returns a vector with `values` at `ids` and 0 elsewhere."""
    out = [0.0] * n
    for value, i in zip(values, ids):
        out[i] = float(value)
    return out


def total(p):
    return sum(p)


def lowest(values):
    """Returns the smallest value; NaN where one is NaN."""
    return math.nan if any(value != value for value in values) else min(values)


def highest(values):
    """Returns the largest value; NaN where one is NaN."""
    return math.nan if any(value != value for value in values) else max(values)


def green_mass(p, words, threshold):
    return sum(mass for mass, word in zip(p, words) if word < threshold)


def green_scale(p, words, threshold, green, red):
    return [mass * (green if word < threshold else red) for mass, word in zip(p, words)]


def class_mass(p, words, shift, size):
    """Returns the mass of each class; token i is in class (word >> shift) mod size, `size` a power of 2."""
    out = [0.0] * size
    for mass, word in zip(p, words):
        out[word >> shift & size - 1] += mass
    return out


def class_scale(p, words, shift, factor):
    last = len(factor) - 1
    return [mass * factor[word >> shift & last] for mass, word in zip(p, words)]


def remainders(words, l):
    """Returns every word mod l, and whether a word lies past the last full multiple of l below 2^32."""
    limit = 2**32 - 2**32 % l
    return [word % l for word in words], any(word >= limit for word in words)


def in_bucket(p, words, shift, bucket):
    """Returns the tokens with mass whose word >> shift is `bucket`, in the order of their words."""
    tokens = [i for i, word in enumerate(words) if word >> shift == bucket and p[i] > 0]
    return sorted(tokens, key=lambda i: words[i])


def order_scale(p, words, low, high):
    """Returns p times 0 below the word `low`, 2 above the word `high` and 1 between; where both hold, 1."""
    return [mass * (1 - (word < low) + (word > high)) for mass, word in zip(p, words)]


def pattern_factors(mass, first, factors_of):
    """Returns the factor of each bit pattern after playing the layers from `first` on; see play_layers in mechanisms.py."""
    factor = [1.0] * len(mass)
    bit, layer = 1, first
    while bit < len(mass):
        ones = sum(mass[c] * factor[c] for c in range(len(mass)) if c & bit)
        zero, one = factors_of(ones, layer)
        factor = [f * (one if c & bit else zero) for c, f in enumerate(factor)]
        bit, layer = bit * 2, layer + 1
    return factor


def winner(p, keys, start, ids=None, flat=False):
    """Returns the token with the smallest E_i / p_i, E_i = -ln(1 - u_i), or u_i itself if `flat`: the first one of equals.

    `ids` are the tokens with mass, if few.
    """
    ids = [i for i in range(len(p)) if p[i] > 0] if ids is None else ids
    highs = words_at(keys, start, ids)
    lows = _mixed([start + i ^ _LOW for i in ids], keys)
    best, least = -1, math.inf
    for i, high, low in zip(ids, highs, lows):
        u = min((high + (low + 0.5) * 2**-32) * 2**-32, 1 - 2**-53)
        time = (u if flat else -math.log1p(-u)) / p[i]
        if time < least or best < 0:
            best, least = i, time
    return best


def cumulative(p):
    """Returns the mass below each id: one entry more than p."""
    out = [0.0]
    for mass in p:
        out.append(out[-1] + mass)
    return out


def softmax(logits, sharpness):
    """Returns softmax(sharpness * logits)."""
    top = max(logits)
    weights = [math.exp((logit - top) * sharpness) for logit in logits]
    scale = 1 / sum(weights)
    return [weight * scale for weight in weights]


def mean_logit(p, logits):
    return sum(mass * logit for mass, logit in zip(p, logits) if mass > 0)


def first_likely(p):
    """Returns the first token whose probability has all its digits."""
    return next(i for i, mass in enumerate(p) if mass >= 1e-290)


def greedy(logits):
    """Returns a point mass on the first of the largest logits."""
    return spread([1.0], [logits.index(max(logits))], len(logits))


def cut(p, mass, by_count):
    """Zeroes what lies below the largest t for which the weights of all values >= t sum to `mass`: weight 1, or the value itself."""
    values = sorted(p, reverse=True)
    limit, reached = values[-1], 0.0
    for value in values:
        reached += 1 if by_count else value
        if reached >= mass:
            limit = value
            break
    return [value if value >= limit else 0.0 for value in p]


def normalise(p):
    """Returns p divided by its sum, and its entropy in nats."""
    scale = sum(p)
    p = [mass / scale for mass in p]
    return p, -sum(mass * math.log(mass) for mass in p if mass > 0)


def draw(q, u):
    """Returns the token at quantile u of q."""
    mass, last = 0.0, -1
    for i, value in enumerate(q):
        if value > 0:
            mass += value
            last = i
            if u < mass:
                return i
    return last


def logs(q):
    """Returns ln q, -inf where q is 0."""
    return [math.log(value) if value > 0 else -math.inf for value in q]
