"""Checks of LogitsProcessor and Sampler for spec/python/processors.spec.ts. Arguments: what rows are made of (lists, numpy or torch)."""

import math
import sys

import uwbench
from uwbench import METHODS
from uwbench.keys import Stream
from uwbench.text import expect_toy_keys

expect_toy_keys()
KIND = sys.argv[1]
SIZE, STEPS, KEY = 80, 40, "a key for processors"
IDS = [
    "gumbel", "gammaReweight", "deltaReweight", "dipmark(alpha=0.4)", "mcmark(channels=4)", "synthid", "sta1", "kgw(delta=2)",
    "unigram(delta=2)", "itsEdit", "expEdit", "christ(entropy=4)", "dualKeyGumbel", "ens(marks=2)", "bimark",
    "permuteAndFlip", "stealthInk", "prc", "simplexWater", "heavyWater(size=32)", "upv", "sir", "unwatermarked",
]  # fmt: skip
assert [id.split("(")[0] for id in IDS] == list(METHODS)


def tensors(ids, rows):
    if KIND == "torch":
        import torch

        return torch.tensor(ids), torch.tensor(rows, dtype=torch.float64)
    if KIND == "numpy":
        import numpy

        return numpy.array(ids), numpy.array(rows)
    return ids, rows


def logits(tokens):
    """A model over small contexts, so that contexts repeat."""
    stream = Stream(1, "logits", tokens[-1] % 4)
    return [math.log(stream.uniform()) * 2 for _ in range(SIZE)]


def drawn(p, u):
    total = 0.0
    for i, mass in enumerate(p):
        total += mass
        if u < total:
            return i
    return max(i for i, mass in enumerate(p) if mass > 0)


def softmax(row):
    top = max(row)
    weights = [math.exp(x - top) for x in row]
    return [w / sum(weights) for w in weights]


def by_embedder(id, prompts, seed):
    """The texts as an embedder of each row writes them."""
    texts = []
    for index, prompt in enumerate(prompts):
        text = uwbench.embedder(id, key=KEY, vocab_size=SIZE, seed=f"{seed}/{index}")
        tokens, stream = list(prompt), Stream(seed, "text", index)
        for _ in range(STEPS):
            p = softmax(logits(tokens))
            q = text.reweight(tokens, p)
            token = drawn(p if q is None else q, stream.uniform())
            text.drew(token, p[token])
            tokens.append(token)
        texts.append(tokens)
    return texts


def by_processor(id, prompts, seed):
    processor = uwbench.LogitsProcessor(id, key=KEY, vocab_size=SIZE, seed=seed)
    texts, streams = [list(prompt) for prompt in prompts], [Stream(seed, "text", i) for i in range(len(prompts))]
    for _ in range(STEPS):
        ids, rows = tensors(texts, [logits(tokens) for tokens in texts])
        scores = processor(ids, rows)
        assert type(scores) is type(rows)
        for tokens, row, stream in zip(texts, scores.tolist() if hasattr(scores, "tolist") else scores, streams):
            tokens.append(drawn(softmax(row), stream.uniform()))
    return texts


def by_sampler(id, prompts, seed):
    """Rows change places at every step, as in an engine that packs its batch."""
    sampler = uwbench.Sampler(id, key=KEY, vocab_size=SIZE, seed=seed)
    texts = [list(prompt) for prompt in prompts]
    for step in range(STEPS):
        order = list(range(len(texts))) if step == 0 else sorted(range(len(texts)), key=lambda i: (i + step) % len(texts))
        ids, rows = tensors([texts[i] for i in order], [logits(texts[i]) for i in order])
        for i, token in zip(order, sampler(rows, ids)):
            texts[i].append(token)
    return texts


prompts = [[3, 1], [4, 1], [5, 9]]
for id in IDS:
    expected = by_embedder(id, prompts, 7)
    assert by_processor(id, prompts, 7) == expected, f"{id}: the processor writes another text"
    assert by_sampler(id, prompts, 7) == expected, f"{id}: the sampler writes another text"

# a repeated context is left alone, and -inf stays -inf
processor = uwbench.LogitsProcessor("gumbel", key=KEY, prompt_length=0)
row = [0.0, 1.0, -math.inf]
ids, rows = tensors([[0, 1, 0, 1]], [row])
once = processor(ids, rows)
once = once.tolist() if hasattr(once, "tolist") else once
assert all(abs(math.exp(a) - b) < 1e-12 for a, b in zip(once[0], softmax(row))), once
fresh = uwbench.LogitsProcessor("gumbel", key=KEY, prompt_length=4)(ids, rows)
fresh = fresh.tolist() if hasattr(fresh, "tolist") else fresh
assert sorted(fresh[0])[:2] == [-math.inf, -math.inf], fresh

# warpers come before the mark
cut = uwbench.LogitsProcessor("dipmark(alpha=0.4)", key=KEY, top_k=2, temperature=0.7)
ids, rows = tensors([[1, 2]], [[1.0, 4.0, 3.0, 2.0]])
left = cut(ids, rows)
left = left.tolist() if hasattr(left, "tolist") else left
assert left[0][0] == left[0][3] == -math.inf, left

if KIND == "torch":
    import torch

    half = torch.tensor([[1.0, 2.0, 3.0]], dtype=torch.bfloat16)
    out = uwbench.LogitsProcessor("sta1", key=KEY)(torch.tensor([[0, 1]]), half)
    assert out.dtype == torch.bfloat16 and out.shape == half.shape
for wrong, message in [
    (lambda: uwbench.LogitsProcessor("gumbel", key=KEY, vocab_size=5)(*tensors([[0]], [[0.0, 1.0]])), "vocab_size: expected the width"),
    (lambda: uwbench.LogitsProcessor("gumbel", key=KEY)(*tensors([[9]], [[0.0, 1.0]])), "input_ids[0]: expected token ids in [0, 2)"),
    (lambda: uwbench.LogitsProcessor("gumbel", key=""), "key: expected a secret of 1 to"),
    (lambda: uwbench.LogitsProcessor("gumbel", key=KEY)(*tensors([[0]], [[0.0, math.nan]])), "logits: expected a finite largest"),
]:
    try:
        wrong()
        raise SystemExit(f"nothing was raised: {message}")
    except ValueError as error:
        assert message in str(error), error
print("ok")
