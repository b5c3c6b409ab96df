"""What several methods share: reweights by secret words, the Gumbel-max race, inverse sampling, green sets, channels and layers."""

import math

from .loops import loops_for


def reweight_words(p, random, reweight):
    """Returns q by `reweight(loops, p, words, token)`, over the tokens with mass alone where those are few (top-k, top-p)."""
    loops = loops_for(len(p))
    p = loops.vector(p)
    ids = loops.few(p)
    if ids is None:
        return reweight(loops, p, random.words(loops, len(p)), lambda i: i)
    part = reweight(loops, loops.take(p, ids), random.words_at(loops, ids), lambda i: int(ids[i]))
    return loops.spread(part, ids, len(p))


def point_mass(choose):
    """Returns the reweight of a method that leaves one token."""

    def reweight(p, code):
        loops = loops_for(len(p))
        return loops.spread([1.0], [choose(loops, loops.vector(p), code)], len(p))

    return reweight


def _histogram(loops, p, words):
    bits = max(1, min(12, len(p).bit_length() - 4))
    return list(map(float, loops.class_mass(p, words, 32 - bits, 1 << bits))), 32 - bits


def _edge(loops, p, words, alpha, histogram, shift, from_top):
    """Returns the token at which the mass from one end reaches alpha, in the order of the words, its word, and its part within alpha."""
    buckets = range(len(histogram) - 1, -1, -1) if from_top else range(len(histogram))
    before, last, found = 0.0, buckets[0], False
    for bucket in buckets:
        mass = histogram[bucket]
        if mass > 0:
            last = bucket
            if before + mass >= alpha:
                found = True
                break
        before += mass
    if not found:  # rounding may leave the total just below alpha: then the last bucket with mass holds the edge
        before -= histogram[last]
    tokens = loops.in_bucket(p, words, shift, last)
    for token in reversed(tokens) if from_top else tokens:
        mass = float(p[token])
        if before + mass >= alpha or token == (tokens[0] if from_top else tokens[-1]):
            return token, int(words[token]), min(mass, max(0.0, alpha - before))
        before += mass
    raise ValueError("p: expected a distribution with mass, got none")


def permute_reweight(p, random, alpha):
    """Removes the lowest `alpha` of mass in a secret order and counts the highest `alpha` twice."""

    def reweight(loops, p, words, token):
        histogram, shift = _histogram(loops, p, words)
        low, low_word, low_inside = _edge(loops, p, words, alpha, histogram, shift, False)
        high, high_word, high_inside = _edge(loops, p, words, alpha, histogram, shift, True)
        q = loops.order_scale(p, words, low_word, high_word)
        for i, word in ((low, low_word), (high, high_word)):
            mass = float(p[i])
            below = mass if word < low_word else low_inside if word == low_word else 0.0
            above = mass if word > high_word else high_inside if word == high_word else 0.0
            q[i] = mass + (above - below)
        return q

    return reweight_words(p, random, reweight)


def avoid_chunk(p, random, threshold):
    """Leaves out the chunk of the words below `threshold`, and gives its mass to the other end of the order."""

    def reweight(loops, p, words, token):
        chunk = min(1.0, loops.green_mass(p, words, threshold))
        edge, word, inside = _edge(loops, p, words, chunk, *_histogram(loops, p, words), True)
        q = loops.order_scale(p, words, threshold, word)
        q[edge] += inside
        return q

    return reweight_words(p, random, reweight)


def landing(loops, p, place):
    """Returns the token whose interval of running mass, in the order of the words, holds u."""
    u, random = place
    words = random.words(loops, len(p))
    histogram, shift = _histogram(loops, p, words)
    return _edge(loops, p, words, u, histogram, shift, False)[0]


def winner(loops, p, random):
    """Returns the winner of the Gumbel-max race."""
    return loops.winner(p, random.keys, random.start, loops.few(p))


def first_flip(loops, p, random):
    """Returns the token that permute-and-flip takes: the least u_i / p_i."""
    return loops.winner(p, random.keys, random.start, loops.few(p), flat=True)


def gumbel_score(token, random):
    # the upper edge of the cell of v: rounded towards less evidence
    return -math.log(min(1.0, random.uniform(token) + 2**-65))


def green_reweight(p, random, threshold, factors):
    def reweight(loops, p, words, token):
        green, red = factors(loops.green_mass(p, words, threshold))
        return loops.green_scale(p, words, threshold, green, red)

    return reweight_words(p, random, reweight)


def green_threshold(gamma):
    threshold = math.floor(gamma * 2**32 + 0.5)
    if not 0 < threshold < 2**32:
        raise ValueError(f"gamma: expected a number in (0, 1) that 32 bits can tell from 0 and 1, got {gamma!r}")
    return threshold


def channel_reweight(p, code, channels):
    """Scales the chosen channel by min(l, 1/S); what is left goes to channels with more than their share."""
    random, chosen = code
    size = 1 << (channels - 1).bit_length()

    def factors(mass):
        surplus = [max(channels * s - 1, 0.0) for s in mass]
        total, left = sum(surplus), max(1 - channels * mass[chosen], 0.0)

        def factor(j, s):
            if s == 0:
                return 0.0
            if j == chosen:
                return min(channels, 1 / s)
            return 0.0 if total == 0 else left * (surplus[j] / total) / s

        return [factor(j, s) for j, s in enumerate(mass)]

    def reweight(loops, p, words, token):
        channel, rejected = loops.remainders(words, channels)
        if rejected:  # once in millions of vocabularies a word lies past the last full multiple
            for i in range(len(p)):
                channel[i] = random.below(token(i), channels)
        mass = [float(s) for s in loops.class_mass(p, channel, 0, size)]
        return loops.class_scale(p, channel, 0, factors(mass))

    return reweight_words(p, random, reweight)


def play_layers(loops, p, words, layers, factors_of):
    """Returns q: layer after layer, tokens with bit 0 and those with bit 1 of their word are scaled by what `factors_of` says."""
    most = max(3, min(11, len(p).bit_length() - 5))
    at_once = -(-layers // -(-layers // most))
    q = p
    for first in range(0, layers, at_once):
        mass = loops.class_mass(q, words, first, 1 << min(at_once, layers - first))
        q = loops.class_scale(q, words, first, loops.pattern_factors(mass, first, factors_of))
    return q
