"""Loops over a vocabulary in numpy: the functions of plain.py, equal to rounding, on float64 and uint32 arrays."""

import numpy as np

from .array_couplings import *  # noqa: F403

_U = np.uint32


def vector(values):
    return np.asarray(values, dtype=np.float64)


def _mixed(indices, keys):
    k0, k1, k2, k3 = (_U(k) for k in keys)
    x = indices + k0
    x ^= x >> _U(17)
    x *= _U(0xED5AD4BB)
    x ^= k1
    x ^= x >> _U(11)
    x *= _U(0xAC4C1B51)
    x += k2
    x ^= x >> _U(15)
    x *= _U(0x31848BAB)
    x ^= k3
    x ^= x >> _U(14)
    return x


def _indices(start, n):
    return np.arange(n, dtype=np.uint32) + _U(start & 0xFFFFFFFF)


def words(keys, start, n):
    return _mixed(_indices(start, n), keys)


def words_at(keys, start, ids):
    return _mixed(np.asarray(ids).astype(np.uint32) + _U(start & 0xFFFFFFFF), keys)


def few(p):
    ids = np.flatnonzero(p > 0)
    return ids if len(ids) <= len(p) // 8 else None


def take(values, ids):
    return values[ids]


def spread(values, ids, n):
    out = np.zeros(n)
    out[ids] = values
    return out


def total(p):
    return float(p.sum())


def lowest(values):
    return float(values.min())


def highest(values):
    return float(values.max())


def green_mass(p, words, threshold):
    return float(p[words < threshold].sum())


def green_scale(p, words, threshold, green, red):
    return p * np.where(words < threshold, green, red)


def _classes(words, shift, size):
    return (words >> _U(shift)) & _U(size - 1)


def class_mass(p, words, shift, size):
    return np.bincount(_classes(words, shift, size), weights=p, minlength=size)


def class_scale(p, words, shift, factor):
    return p * np.asarray(factor)[_classes(words, shift, len(factor))]


def remainders(words, l):
    limit = 2**32 - 2**32 % l
    return words % _U(l), bool(limit < 2**32 and (words >= _U(limit)).any())


def in_bucket(p, words, shift, bucket):
    tokens = np.flatnonzero((words >> _U(shift) == bucket) & (p > 0))
    return tokens[np.argsort(words[tokens])].tolist()


def order_scale(p, words, low, high):
    factor = np.ones(len(p))
    factor[words < low] -= 1
    factor[words > high] += 1
    return p * factor


def pattern_factors(mass, first, factors_of):
    factor = np.ones(len(mass))
    patterns = np.arange(len(mass))
    bit, layer = 1, first
    while bit < len(mass):
        has = patterns & bit != 0
        zero, one = factors_of(float((mass * factor)[has].sum()), layer)
        factor *= np.where(has, one, zero)
        bit, layer = bit * 2, layer + 1
    return factor


def winner(p, keys, start, ids=None, flat=False):
    ids = np.flatnonzero(p > 0) if ids is None else np.asarray(ids)
    at = ids.astype(np.uint32) + _U(start & 0xFFFFFFFF)
    high = _mixed(at, keys).astype(np.float64)
    low = _mixed(at ^ _U(0x80000000), keys).astype(np.float64)
    u = np.minimum((high + (low + 0.5) * 2.0**-32) * 2.0**-32, 1 - 2.0**-53)
    with np.errstate(over="ignore"):
        return int(ids[np.argmin((u if flat else -np.log1p(-u)) / p[ids])])


def cumulative(p):
    return np.concatenate(([0.0], np.cumsum(p)))


def softmax(logits, sharpness):
    weights = np.exp((logits - logits.max()) * sharpness)
    return weights * (1 / weights.sum())


def mean_logit(p, logits):
    some = p > 0
    return float((p[some] * logits[some]).sum())


def first_likely(p):
    return int(np.argmax(p >= 1e-290))


def greedy(logits):
    return spread(1.0, int(np.argmax(logits)), len(logits))


def cut(p, mass, by_count):
    if by_count:
        limit = np.partition(p, len(p) - mass)[len(p) - mass]
    else:
        values = np.sort(p)[::-1]
        limit = values[min(int(np.searchsorted(np.cumsum(values), mass)), len(p) - 1)]
    return np.where(p >= limit, p, 0.0)


def normalise(p):
    p = p / p.sum()
    some = p[p > 0]
    return p, -float((some * np.log(some)).sum())


def draw(q, u):
    sums = np.cumsum(q)
    at = int(np.searchsorted(sums, u, side="right"))
    return at if at < len(q) else int(np.flatnonzero(q > 0)[-1])


def logs(q):
    with np.errstate(divide="ignore"):
        return np.log(q)
