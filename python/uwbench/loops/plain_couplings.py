"""Couplings of tokens with side information, and small networks, in plain Python."""

__all__ = ["round_off", "simplex_coupling", "simplex_kernel", "matrix_coupling", "dense", "relu", "add_row", "first_to_flip"]

#: Less missing mass than this is rounding.
NOTHING = 1e-15


def round_off(q, p, means):
    """Makes of one row q of a kernel with the given means a row of a coupling whose mean is p."""
    kept = [mass / mean if mean > mass else 1.0 for mass, mean in zip(p, means)]
    missing = [max(0.0, mass - mean * keep) for mass, mean, keep in zip(p, means, kept)]
    q = [mass * keep for mass, keep in zip(q, kept)]
    total = sum(missing)
    share = max(0.0, 1 - sum(q)) / total if total > NOTHING else 0.0
    return [mass + share * more for mass, more in zip(q, missing)]


def _walsh_hadamard(a):
    """Returns the Walsh-Hadamard transform: a[s] becomes the sum of a[x] (-1)^parity(x, s)."""
    half = 1
    while half < len(a):
        for at in range(0, len(a), 2 * half):
            low, high = a[at : at + half], a[at + half : at + 2 * half]
            a[at : at + half] = [x + y for x, y in zip(low, high)]
            a[at + half : at + 2 * half] = [x - y for x, y in zip(low, high)]
        half *= 2
    return a


def simplex_coupling(p, size, boost, rounds):
    """Returns the weights of tokens, the mass of the kernel at each s, and its means over s, after rounds of Sinkhorn."""
    weights = means = p
    for step in range(rounds):
        if step > 0:
            weights = [w * (mass / mean) if mean > 0 else w for w, mass, mean in zip(weights, p, means)]
        masses = _walsh_hadamard([0.0, *weights, *[0.0] * (size - 1 - len(p))])
        whole = masses[0]
        # (whole - mass) / 2 is the weight of the tokens that score
        masses = [whole + (boost - 1) * max(0.0, (whole - mass) / 2) for mass in masses]
        shares = _walsh_hadamard([0.0, *[1 / mass for mass in masses[1:]]])
        every = shares[0]
        means = [w * (every + (boost - 1) * (every - share) / 2) / (size - 1) for w, share in zip(weights, shares[1:])]
    return weights, masses, means


def simplex_kernel(weights, mass, s, boost):
    return [w * (boost if bin(x & s).count("1") & 1 else 1.0) / mass for x, w in enumerate(weights, 1)]


def matrix_coupling(mass, kernel, s, rounds):
    """Returns the column s of the kernel, scaled by Sinkhorn, and its means over all columns."""
    weights, size = mass, len(kernel[0])
    means = mass
    for step in range(rounds):
        if step > 0:
            weights = [w * (m / mean) if mean > 0 else w for w, m, mean in zip(weights, mass, means)]
        inverse = [0.0] * size
        for w, row in zip(weights, kernel):
            inverse = [total + w * factor for total, factor in zip(inverse, row)]
        inverse = [1 / total for total in inverse]
        means = [w * sum(factor * i for factor, i in zip(row, inverse)) / size for w, row in zip(weights, kernel)]
    return [w * row[s] * inverse[s] for w, row in zip(weights, kernel)], means


def dense(rows, weights, biases):
    """Returns W x + b for each row x, summed in the order of the inputs."""
    return [[_ordered(row, x) + bias for row, bias in zip(weights, biases)] for x in rows]


def _ordered(row, x):
    # not sum(): it rounds otherwise from Python 3.12 on
    total = 0.0
    for weight, value in zip(row, x):
        total += weight * value
    return total


def relu(rows):
    return [[0.0 if value < 0 else value for value in row] for row in rows]


def add_row(rows, more):
    """Returns every row plus `more`."""
    return [[a + b for a, b in zip(row, more)] for row in rows]


def first_to_flip(mass, nodes):
    """Returns for each token the sum over nodes (x, weight) of weight times mass times the product of 1 - mass x over the others."""
    highest = max(mass)
    top = mass.index(highest)
    law = [0.0] * len(mass)
    for x, weight in nodes:
        left = [1 - m * x for m in mass]
        # the factor of the most probable token may be 0 but for rounding: no quotient by it is taken
        others = weight
        for j, factor in enumerate(left):
            if j != top:
                others *= factor
        every = others * left[top]
        law = [total + m * (others if j == top else every / factor) for j, (total, m, factor) in enumerate(zip(law, mass, left))]
    # equal tokens are equally likely, to the last bit
    return [law[top] if m == highest else total for m, total in zip(mass, law)]
