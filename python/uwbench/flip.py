"""The law of permute-and-flip without a key, which decodes the positions that its watermark leaves alone.

It takes the token with the least r_i / p_i, r_i uniform. With x the least value, at most 1 / max p, token i wins at x with density p_i times
the chance that every other token has more: the integral of p_i prod_{j != i} (1 - p_j x), by Gauss's rule on panels.
"""

import math
from functools import lru_cache

from .loops import loops_for

#: The integrand is nothing beyond; widths of panels, and nodes of the rule in each.
_FURTHEST, _PANEL, _NODES = 90, 3, 24


@lru_cache(maxsize=None)
def _gauss_rule(n):
    """Returns nodes and weights of the Gauss-Legendre rule on [-1, 1], by Newton's method."""
    rule = []
    for i in range(n):
        x = math.cos(math.pi * (i + 0.75) / (n + 0.5))
        for _ in range(12):
            before, value = 1.0, x
            for k in range(2, n + 1):
                before, value = value, ((2 * k - 1) * x * value - (k - 1) * before) / k
            slope = n * (x * value - before) / (x * x - 1)
            x -= value / slope
        rule.append((x, 2 / ((1 - x * x) * slope * slope)))
    return rule


def flip_law(p):
    """Returns the law of permute-and-flip at a distribution p.

    >>> [round(mass, 12) for mass in flip_law([2 / 3, 1 / 3])]
    [0.75, 0.25]
    """
    loops = loops_for(len(p))
    p = loops.vector(p)
    ids = [i for i, mass in enumerate(p) if mass > 0]
    mass = loops.take(p, ids)
    highest = loops.highest(mass)
    if highest == loops.lowest(mass):
        return p
    end = min(1 / float(highest), _FURTHEST)
    panels = math.ceil(end / _PANEL)
    nodes = [
        ((panel + (1 + node) / 2) * end / panels, weight * end / (2 * panels)) for panel in range(panels) for node, weight in _gauss_rule(_NODES)
    ]
    return loops.spread(loops.first_to_flip(mass, nodes), ids, len(p))
