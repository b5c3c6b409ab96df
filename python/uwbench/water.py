"""SimplexWater and HeavyWater: couplings of a token with uniform side information that make scores large and hold p exactly in the mean."""

import math
from functools import lru_cache
from statistics import NormalDist

from .keys import OWN, Random, label_seed, round_keys
from .loops import loops_for
from .mechanisms import reweight_words

#: The factor of a token that scores in SimplexWater, and the rounds of Sinkhorn of both methods.
_BOOST = math.exp(8)
_SIMPLEX_ROUNDS, _HEAVY_ROUNDS = 12, 6


def _bits_of(vocab_size):
    """Token x has the code word x + 1 of this many bits, and no token the word 0; at least two."""
    return max(2, vocab_size.bit_length())


def simplex_water(values):
    def reweight(p, s):
        loops = loops_for(len(p))
        p = loops.vector(p)
        weights, masses, means = loops.simplex_coupling(p, 1 << _bits_of(len(p)), _BOOST, _SIMPLEX_ROUNDS)
        return loops.round_off(loops.simplex_kernel(weights, float(masses[s]), s, _BOOST), p, means)

    return (
        True,
        lambda random, vocab_size, site: 1 + random.below(OWN, (1 << _bits_of(vocab_size)) - 1),
        reweight,
        lambda token, s: float(bin(token + 1 & s).count("1") & 1),
    )


#: Rows of the matrix of HeavyWater, named by the leading bits of a token's word; scores are multiples of 1 / _UNIT.
_ROWS, _SHIFT, _UNIT = 64, 26, 4


class _Matrix:
    """The public matrix of scores: each row has the same quantiles of the lognormal law, in an order of its own."""

    def __init__(self, size):
        self.size, self.words = size, Random(round_keys(label_seed("heavyWater")))
        normal = NormalDist()
        scores = [float(math.floor(_UNIT * math.exp(normal.inv_cdf((j + 0.5) / size)) + 0.5)) for j in range(size)]
        self._rows, self._scores = {}, scores

    def row(self, r):
        """Returns the scores of a row, one for each s, and the factors of the kernel."""
        if r not in self._rows:
            words = [self.words.uint32(OWN + r * self.size + s) for s in range(self.size)]
            scores = [0.0] * self.size
            for j, s in enumerate(sorted(range(self.size), key=words.__getitem__)):
                scores[s] = self._scores[j]
            self._rows[r] = scores, [math.exp(score / _UNIT) for score in scores]
        return self._rows[r]

    def score(self, token, s):
        return self.row(self.words.uint32(token) >> _SHIFT)[0][s]

    def reweight(self, p, s):
        def reweight(loops, p, words, token):
            every = [float(mass) for mass in loops.class_mass(p, words, _SHIFT, _ROWS)]
            rows = [r for r in range(_ROWS) if every[r] > 0]
            if len(rows) == 1:  # nothing to move
                return p
            mass = loops.vector([every[r] for r in rows])
            kernel = [self.row(r)[1] for r in rows]
            parts, means = loops.matrix_coupling(mass, kernel, s, _HEAVY_ROUNDS)
            factors = [0.0] * _ROWS
            for r, part in zip(rows, loops.round_off(parts, mass, means)):
                factors[r] = float(part) / every[r]
            return loops.class_scale(p, words, _SHIFT, factors)

        return reweight_words(p, self.words, reweight)


_matrix = lru_cache(maxsize=16)(_Matrix)


def heavy_water(values):
    size = values["size"]
    return (
        True,
        lambda random, vocab_size, site: random.below(OWN, size),
        lambda p, s: _matrix(size).reweight(p, s),
        lambda token, s: _matrix(size).score(token, s),
    )
