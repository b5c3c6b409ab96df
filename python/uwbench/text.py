"""Marking one text step by step, and the scores of a finished text."""

import math
import warnings

from .keys import MAX_VOCAB, Schedule, text_random
from .loops import loops_for
from .methods import watermark as watermark_of

#: How far from 1 the mass of a distribution may lie: room for a float32 softmax.
SLACK = 1e-6

_warned = False


def expect_toy_keys():
    """Turns off the warning about short keys, for suites and benchmarks whose keys are labels."""
    global _warned
    _warned = True


def warn_of_short_key(key):
    global _warned
    if _warned or len(key.encode() if isinstance(key, str) else key) >= 16:
        return
    _warned = True
    warnings.warn("uwbench: this key has fewer than 16 bytes and can be guessed; use a longer, random one", stacklevel=3)


def check_vocab_size(vocab_size):
    if isinstance(vocab_size, bool) or not isinstance(vocab_size, int) or not 1 <= vocab_size <= MAX_VOCAB:
        raise ValueError(f"vocab_size: expected an integer in [1, {MAX_VOCAB}], got {vocab_size!r}")
    return vocab_size


def check_tokens(tokens, vocab_size, name="tokens"):
    """Returns the token ids as a list of integers in [0, vocab_size)."""
    ids = [int(token) for token in tokens]
    for i, token in enumerate(ids):
        if not 0 <= token < vocab_size or token != tokens[i]:
            raise ValueError(f"{name}[{i}]: expected a token id in [0, {vocab_size}), got {tokens[i]!r}")
    return ids


def check_distribution(p, vocab_size):
    if len(p) != vocab_size:
        raise ValueError(f"p: expected {vocab_size} probabilities (vocab_size), got {len(p)}")
    loops = loops_for(vocab_size)
    p = loops.vector(p)
    total = loops.total(p)
    if not loops.lowest(p) >= 0 or not abs(total - 1) <= SLACK:
        raise ValueError(f"p: expected probabilities of at least 0 that sum to 1, got a sum of {total}")


class Embedder:
    """Watermarks one text with any model. Make one per text."""

    def __init__(self, watermark, *, key, vocab_size, seed=None, check=True):
        self.watermark = watermark_of(watermark)
        self.vocab_size = check_vocab_size(vocab_size)
        self._schedule = Schedule(key, self.watermark.domain)
        warn_of_short_key(key)
        self._cursor = self.watermark.context.begin(text_random(seed))
        self._check = check

    @property
    def start(self):
        """What `scores` needs besides the tokens: the offset into a key list, or where the mark of a `prefix` rule began."""
        return self._cursor.start

    def reweight(self, tokens, p):
        """Returns q, the distribution to sample the next token from, or None where the rule says to sample from p itself.

        `tokens` is the text so far, prompt and generated tokens. Ask once per position. q is a numpy array where p is one.
        """
        if self._check:
            tokens = check_tokens(tokens, self.vocab_size)
            check_distribution(p, self.vocab_size)
        context = self._cursor.next(tokens, len(tokens))
        if context is not None:
            q = self.watermark.reweight(p, self.watermark.code_at(self._schedule, self.vocab_size, context))
        elif self.watermark.target is not None:
            q = self.watermark.target(p)
        else:
            return None
        if isinstance(p, (list, tuple)):
            return q if isinstance(q, list) else [float(mass) for mass in q]
        return q

    def pass_over(self, tokens, end):
        """Follows a text that was written elsewhere past position `end`: its context counts as used."""
        if self.watermark.context.needs_probability:
            raise ValueError(f"{self.watermark.id}: expected every step of a text, as its rule waits for entropy; got a text half written")
        self._cursor.next(tokens, end)

    def drew(self, token, probability):
        """Tells which token was sampled and its probability under the model, p[token]. Only `prefix` rules use it."""
        if not 0 < probability <= 1 + SLACK:
            raise ValueError(f"probability: expected a number in (0, 1], got {probability!r}")
        self._cursor.drew(int(token), min(1.0, float(probability)))


def embedder(watermark, *, key, vocab_size, seed=None, check=True):
    """Returns an Embedder, which watermarks one text.

    >>> text = embedder("gumbel", key="sixteen bytes or more", vocab_size=4, seed=1)
    >>> text.reweight([2, 0], [0.4, 0.3, 0.2, 0.1])
    [0.0, 0.0, 0.0, 1.0]
    """
    return Embedder(watermark, key=key, vocab_size=vocab_size, seed=seed, check=check)


def randomness(watermark, context, *, key):
    """Returns the keyed words of a position, by its context: `uint32(i)`, `uniform(i)` and `below(i, n)`."""
    return Schedule(key, watermark_of(watermark).domain).random(tuple(context))


def scores(watermark, tokens, *, key, vocab_size, skip=(), start=None):
    """Returns the score of every token of a text, NaN where a token is not scored: its context is too short or came before.

    `skip` are ids that are never scored. `start` is needed for `itsEdit` and `expEdit` (the text's offset into the key list) and for
    `christ` (the number of tokens before the mark); detection, which searches for it, is in the TypeScript package.
    """
    mark = watermark_of(watermark)
    tokens = check_tokens(tokens, check_vocab_size(vocab_size))
    schedule = Schedule(key, mark.domain)
    warn_of_short_key(key)
    codes = {}

    def code(context):
        if context not in codes:
            codes[context] = mark.code_at(schedule, vocab_size, context)
        return codes[context]

    contexts = mark.context.scored(tokens, frozenset(skip), start)
    return [math.nan if context is None else mark.score(token, code(context)) for token, context in zip(tokens, contexts)]
