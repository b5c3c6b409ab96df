"""Context rules: which secret randomness a position gets.

`begin(random)` follows one text while it is generated: `next(tokens, end)` gives the context of position `end`, the number of tokens
before it, or None where the position gets no watermark, and `drew(token, probability)` is told what was sampled. `scored(tokens, skip, start)` gives the context of every
position of a finished text, None where a position is not scored.
"""

import hashlib
import math
import struct

from .numbers import js_text


def tokens_digest(tokens):
    """Returns 128 bits that stand for a list of tokens, as four words."""
    return struct.unpack("<4I", hashlib.sha256(struct.pack(f"<{len(tokens)}I", *tokens)).digest()[:16])


class Rule:
    #: Whether `drew` uses the probability of a token.
    needs_probability = False

    def scored(self, tokens, skip=frozenset(), start=None):
        raise NotImplementedError


class Ngram(Rule):
    """The n tokens before a position. A context that the text already used is skipped, unless `repeated` is 'reuse'."""

    def __init__(self, n, repeated="skip", short=False):
        self.n, self.skipping, self.short = n, repeated == "skip", short
        self.id = f"ngram({n}{'' if self.skipping else ',repeated=reuse'}{',short=true' if short else ''})"

    def _window(self, tokens, end):
        if end < self.n and not self.short:
            return None
        return tuple(tokens[max(0, end - self.n) : end])

    def _fresh(self, tokens, end, used):
        context = self._window(tokens, end)
        if context is None or self.skipping and context in used:
            return None
        used.add(context)
        return context

    def begin(self, random):
        used = set()
        return Cursor(lambda tokens, end: self._fresh(tokens, end, used))

    def scored(self, tokens, skip=frozenset(), start=None):
        used = set()
        contexts = [self._fresh(tokens, t, used) for t in range(len(tokens))]
        return [None if token in skip else context for token, context in zip(tokens, contexts)]


class Fixed(Rule):
    """The same randomness at every position of every text."""

    id = "fixed()"

    def begin(self, random):
        return Cursor(lambda tokens, end: ())

    def scored(self, tokens, skip=frozenset(), start=None):
        return [None if token in skip else () for token in tokens]


class Sequence(Rule):
    """A key list of `length` entries, read in order from an offset that is random per text."""

    def __init__(self, length):
        self.length = length
        self.id = f"sequence(length={length})"

    def begin(self, random):
        at = random.below(0, self.length)

        def step(tokens, end):
            nonlocal at
            at = (at + 1) % self.length
            return ((at - 1) % self.length,)

        return Cursor(step, at)

    def scored(self, tokens, skip=frozenset(), start=None):
        if start is None:
            raise ValueError("start: expected the text's offset into the key list, got None; an embedder has it as `start`")
        return [None if token in skip else ((start + t) % self.length,) for t, token in enumerate(tokens)]


class Prefix(Rule):
    """No watermark until the text has surprised the model by `entropy` nats; then the text so far names the randomness."""

    needs_probability = True

    def __init__(self, entropy):
        self.entropy = entropy
        self.id = f"prefix(entropy={js_text(entropy)})"

    def begin(self, random):
        return PrefixCursor(self.entropy)

    def scored(self, tokens, skip=frozenset(), start=None):
        if start is None:
            raise ValueError("start: expected how many tokens came before the mark, got None; an embedder has it as `start`")
        digest = tokens_digest(tokens[:start])
        return [None if t < start or token in skip else (*digest, t) for t, token in enumerate(tokens)]


class Codewords(Rule):
    """The place of a position in its block of `length` tokens; while a text is written, with the text's own number too."""

    def __init__(self, length):
        self.length = length
        self.id = f"codewords(length={length})"

    def begin(self, random):
        own, at = (random.uint32(0), random.uint32(1)), -1

        def step(tokens, end):
            nonlocal at
            at += 1
            return (at % self.length, *own)

        return Cursor(step)

    def scored(self, tokens, skip=frozenset(), start=None):
        return [None if token in skip else (t % self.length,) for t, token in enumerate(tokens)]


class Chunks(Rule):
    """The chunks of ten tokens that the text has filled, the last ten of them; none at first."""

    size = most = 10
    id = f"chunks(size={size},most={most})"

    def _before(self, tokens, start, at):
        end = at - (at - start) % self.size
        return tuple(tokens[max(start, end - self.size * self.most) : end])

    def begin(self, random):
        start = None

        def step(tokens, end):
            nonlocal start
            start = end if start is None else start
            return self._before(tokens, start, end)

        return Cursor(step)

    def scored(self, tokens, skip=frozenset(), start=None):
        return [None if token in skip else self._before(tokens, 0, t) for t, token in enumerate(tokens)]


class Cursor:
    """Follows one text. `start` is what the detector does not know: an offset, or where the mark began."""

    def __init__(self, following, start=None):
        self.next, self.start = following, start

    def drew(self, token, probability):
        pass


class PrefixCursor:
    def __init__(self, entropy):
        self._drawn, self._digest, self.start = [], None, None
        self._entropy, self._surprise = entropy, 0.0

    def next(self, tokens, end):
        if self._digest is None and self._surprise >= self._entropy:
            self._digest, self.start = tokens_digest(self._drawn), len(self._drawn)
        return None if self._digest is None else (*self._digest, len(self._drawn))

    def drew(self, token, probability):
        self._drawn.append(token)
        self._surprise -= math.log(probability)
