"""The functions of plain_couplings.py in numpy: `dense` with the same bits, the others equal to rounding."""

import numpy as np

from .plain_couplings import NOTHING, __all__  # noqa: F401


def round_off(q, p, means):
    kept = np.ones(len(p))
    np.divide(p, means, out=kept, where=means > p)
    missing = np.maximum(0, p - means * kept)
    q = q * kept
    total = missing.sum()
    share = max(0.0, 1 - q.sum()) / total if total > NOTHING else 0.0
    return q + share * missing


def _walsh_hadamard(a):
    half = 1
    while half < len(a):
        pairs = a.reshape(-1, 2, half)
        a = np.stack((pairs[:, 0] + pairs[:, 1], pairs[:, 0] - pairs[:, 1]), axis=1).reshape(-1)
        half *= 2
    return a


def _rescaled(weights, mass, means):
    factors = np.ones(len(mass))
    np.divide(mass, means, out=factors, where=means > 0)
    return weights * factors


def simplex_coupling(p, size, boost, rounds):
    weights = means = p
    for step in range(rounds):
        if step > 0:
            weights = _rescaled(weights, p, means)
        masses = np.zeros(size)
        masses[1 : len(p) + 1] = weights
        masses = _walsh_hadamard(masses)
        masses = masses[0] + (boost - 1) * np.maximum(0, (masses[0] - masses) / 2)
        shares = 1 / masses
        shares[0] = 0
        shares = _walsh_hadamard(shares)
        means = weights * (shares[0] + (boost - 1) * (shares[0] - shares[1 : len(p) + 1]) / 2) / (size - 1)
    return weights, masses, means


def simplex_kernel(weights, mass, s, boost):
    shared = np.arange(1, len(weights) + 1, dtype=np.uint32) & np.uint32(s)
    for shift in (16, 8, 4, 2, 1):
        shared ^= shared >> np.uint32(shift)
    return weights * np.where(shared & np.uint32(1), boost, 1.0) / mass


def matrix_coupling(mass, kernel, s, rounds):
    kernel = np.asarray(kernel)
    weights = means = mass
    for step in range(rounds):
        if step > 0:
            weights = _rescaled(weights, mass, means)
        inverse = 1 / (weights @ kernel)
        means = weights * (kernel @ inverse) / kernel.shape[1]
    return weights * kernel[:, s] * inverse[s], means


def dense(rows, weights, biases):
    rows, weights = np.asarray(rows), np.asarray(weights)
    out = np.zeros((len(rows), len(weights)))
    for i in range(weights.shape[1]):  # not a product of matrices: it sums in another order
        out += rows[:, i : i + 1] * weights[:, i]
    return out + np.asarray(biases)


def relu(rows):
    return np.where(rows < 0, 0.0, rows)


def add_row(rows, more):
    return rows + more


def first_to_flip(mass, nodes):
    top = int(np.argmax(mass))
    law = np.zeros(len(mass))
    for x, weight in nodes:
        left = 1 - mass * x
        others = weight * left[:top].prod() * left[top + 1 :].prod()
        every = others * left[top]
        left[top] = 1
        more = mass * every / left
        more[top] = mass[top] * others
        law += more
    return np.where(mass == mass[top], law[top], law)
