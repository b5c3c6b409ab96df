"""A pseudorandom code as a watermark: every text gets a random codeword, and the secret half of token t is drawn with the code bit at t."""

from functools import reduce
from operator import xor

from .keys import OWN, STRIDE, Random, round_keys, siphash128
from .mechanisms import reweight_words

#: The longest code.
MAX_LENGTH = 1 << 16
#: Sets of words for the earlier positions of a check.
_SETS = 64
#: Codewords that are kept, for texts that are written side by side.
_KEPT = 256


def _earlier(shared, at, weight):
    """Returns the earlier positions of the check that ends at a position: odd positions end one, None for the others."""
    if at < weight or at % 2 == 0:
        return None
    found = set()
    for k in range(1, _SETS):
        if len(found) == weight - 1:
            break
        found.add(shared.below(OWN + MAX_LENGTH * k + at, at))
    return found


def _reweight(p, code):
    halves, bit, _ = code

    def reweight(loops, p, words, token):
        red, green = map(float, loops.class_mass(p, words, 0, 2))
        ones = green / (red + green)
        one = 2 * bit * ones if ones <= 0.5 else 1 - 2 * (1 - bit) * (1 - ones)
        return loops.class_scale(p, words, 0, [(1 - one) / red if red else 0.0, one / green if green else 0.0])

    return reweight_words(p, halves, reweight)


def prc(values):
    weight, noise = values["weight"], values["noise"]
    codewords = {}

    def code_bit(shared, own, at):
        """Returns the bit of a text's codeword: free, or what its check asks for."""
        seed = siphash128([shared.uint32(STRIDE - 4 + i) for i in range(4)], own)
        if seed not in codewords and len(codewords) == _KEPT:
            del codewords[next(iter(codewords))]
        bits, free = codewords.setdefault(seed, []), Random(round_keys(seed))
        for j in range(len(bits), at + 1):
            earlier = _earlier(shared, j, weight)
            bits.append(free.uint32(j) & 1 if earlier is None else reduce(xor, (bits[i] for i in earlier)))
        return bits[at]

    def draw(random, vocab_size, site):
        at, *own = site.context or (0,)
        pad = site.shared.uint32(OWN + at) & 1
        bit = pad ^ code_bit(site.shared, own, at) ^ (random.uniform(OWN) < noise) if own else pad
        return site.shared, bit, pad

    return True, draw, _reweight, lambda token, code: float(code[0].uint32(token) & 1 ^ code[2])
