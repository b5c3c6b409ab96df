"""Watermarks for decode loops: a logits processor in the style of Transformers and a sampler in the style of vLLM.

Both follow every row of a batch as a text of its own. A row continues a text where its ids are those of the step before and one more;
rows may change places between steps. Other rows begin a text: by default all their tokens are its prompt.
"""

import os

from .keys import Stream
from .loops import loops_for
from .numbers import js_text
from .text import check_vocab_size, embedder
from .methods import watermark as watermark_of
from .warp import warper


def _rows(ids):
    """Returns rows of token ids, tensors or lists, as lists of integers."""
    return [list(map(int, row)) for row in (ids.tolist() if hasattr(ids, "tolist") else ids)]


def _is_torch(value):
    return type(value).__module__.split(".")[0] == "torch"


def _vectors(scores):
    """Returns the rows of a batch of logits: tensors and arrays of any type as float64."""
    if _is_torch(scores):
        scores = scores.detach().cpu().double()
        return list(scores.numpy()) if loops_for(1 << 20).__name__.endswith("arrays") else scores.tolist()
    return list(scores)


def _like(rows, scores):
    """Returns rows of numbers as what `scores` is: a tensor on its device, an array or lists."""
    if _is_torch(scores):
        import torch

        if not isinstance(rows[0], list):
            return torch.stack([torch.from_numpy(row) for row in rows]).to(dtype=scores.dtype, device=scores.device)
        return torch.tensor(rows, dtype=scores.dtype, device=scores.device)
    if hasattr(scores, "astype"):
        import numpy

        return numpy.array(rows).astype(scores.dtype)
    return [[float(x) for x in row] for row in rows]


class _Row:
    def __init__(self, text, tokens, stream):
        self.text, self.tokens, self.stream, self.p = text, tokens, stream, None

    def continued_by(self, ids):
        return len(ids) == len(self.tokens) + 1 and ids[:-1] == self.tokens


class _Batch:
    """The texts of a batch: warped distributions in, marked ones out."""

    def __init__(self, watermark, key, vocab_size, seed, prompt_length, temperature, top_k, top_p):
        self._watermark = watermark_of(watermark)
        self._key, self._seed, self._prompt_length = key, seed, prompt_length
        self._vocab_size = None if vocab_size is None else check_vocab_size(vocab_size)
        self._warp = warper(temperature, top_k, top_p)
        self._open = []
        embedder(self._watermark, key=key, vocab_size=vocab_size or 2)  # refuses a bad key before any text is written

    def _begin(self, index, ids, prompt_length, vocab_size):
        own = None if self._seed is None else f"{js_text(self._seed)}/{index}"
        text = embedder(self._watermark, key=self._key, vocab_size=vocab_size, seed=own, check=False)
        for end in range(len(ids) if prompt_length is None else prompt_length, len(ids)):
            text.pass_over(ids, end)
        return _Row(text, ids, Stream(self._seed if own else os.urandom(16).hex(), "text", index))

    def _find(self, index, ids, before):
        """Returns the text of the step before that a row continues, preferably that of the same row."""
        for row in [*before[index : index + 1], *before]:
            if row is not None and row.continued_by(ids):
                before[before.index(row)] = None
                return row
        return None

    def step(self, input_ids, scores, prompt_lengths=None):
        """Yields for each row its text, its warped distribution and the marked one, None where the position is left alone."""
        texts, logits = _rows(input_ids), _vectors(scores)
        if len(texts) != len(logits):
            raise ValueError(f"scores: expected {len(texts)} rows, one for each row of input_ids, got {len(logits)}")
        before, self._open = self._open, []
        for index, (ids, row_logits) in enumerate(zip(texts, logits)):
            vocab_size = len(row_logits)
            if self._vocab_size not in (None, vocab_size):
                raise ValueError(f"vocab_size: expected the width of the logits, {vocab_size}, got {self._vocab_size}")
            if ids and not 0 <= min(ids) <= max(ids) < vocab_size:
                raise ValueError(f"input_ids[{index}]: expected token ids in [0, {vocab_size}), got {max(ids)}")
            row = self._find(index, ids, before)
            if row is None:
                row = self._begin(index, ids, self._prompt_length if prompt_lengths is None else prompt_lengths[index], vocab_size)
            else:
                self._drew(row, ids[-1])
            self._open.append(row)
            p, _ = self._warp(row_logits)
            row.p = p if self._watermark.context.needs_probability else None
            yield row, p, row.text.reweight(row.tokens, p)

    def _drew(self, row, token):
        row.tokens.append(token)
        if row.p is not None:
            # a token without mass was forced on the text, such as padding: it counts as no surprise
            row.text.drew(token, float(row.p[token]) or 1.0)


class LogitsProcessor:
    """A watermark as a logits processor: called with `input_ids` and `scores`, returns scores whose softmax is the marked distribution.

    Works with torch tensors, numpy arrays and lists. Transformers applies its own temperature, top_k and top_p *after* this processor,
    and truncation after the mark is biased: give them here, and pass `temperature=1.0, top_k=0, top_p=1.0` to `generate`.

    `prompt_length` says how many of the first ids are the prompt; by default it is what the first call of a text has. `seed` makes a
    text's own randomness repeatable.

    >>> processor = LogitsProcessor("gumbel", key="sixteen bytes or more", vocab_size=3, seed=1)
    >>> processor([[0, 1]], [[1.0, 2.0, 3.0]])
    [[-inf, -inf, 0.0]]
    """

    def __init__(self, watermark, *, key, vocab_size=None, seed=None, prompt_length=None, temperature=1.0, top_k=0, top_p=1.0):
        self._batch = _Batch(watermark, key, vocab_size, seed, prompt_length, temperature, top_k, top_p)

    def __call__(self, input_ids, scores):
        out = []
        for _, p, q in self._batch.step(input_ids, scores):
            out.append(loops_for(len(p)).logs(p if q is None else q))
        return _like(out, scores)


class Sampler:
    """A watermark as a sampler: called with `logits` and `contexts`, the tokens of each row so far, returns one token for each row.

    `prompt_lengths` says how many of each row's tokens are its prompt. `seeds` gives each draw a seed of its own; otherwise the draws
    follow from `seed`.
    """

    def __init__(self, watermark, *, key, vocab_size=None, seed=None, prompt_length=None, temperature=1.0, top_k=0, top_p=1.0):
        self._batch = _Batch(watermark, key, vocab_size, seed, prompt_length, temperature, top_k, top_p)

    def __call__(self, logits, contexts, seeds=None, prompt_lengths=None):
        tokens = []
        for i, (row, p, q) in enumerate(self._batch.step(contexts, logits, prompt_lengths)):
            stream = row.stream if seeds is None else Stream(seeds[i], "token")
            tokens.append(loops_for(len(p)).draw(p if q is None else loops_for(len(q)).vector(q), stream.uniform()))
        return tokens
