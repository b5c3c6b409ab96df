"""Watermarks in the style of published processors, written for this test: torch tensors in, torch tensors out. The first argument names one.

KGW (Kirchenbauer et al. 2023) with left hash and self hash, Unigram (Zhao et al. 2023), DiPmark (Wu et al. 2023), and tournament sampling as in
SynthID-Text (Dathathri et al. 2024).
"""

import math
import os
import sys

import torch

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../testee"))
from uwbench_testee import logits_processor, seed_of, serve  # noqa: E402

torch.set_num_threads(1)


def generator(key, *numbers):
    return torch.Generator().manual_seed(seed_of(key, *numbers) % 2**63)


class GreenList:
    """Adds delta to the scores of green tokens, which `greens(context, vocab_size)` names."""

    def __init__(self, key, gamma=0.25, delta=2.0):
        self.key, self.gamma, self.delta = key, gamma, delta

    def __call__(self, input_ids, scores):
        out = scores.clone()
        for row, context in enumerate(input_ids.tolist()):
            green = self.greens(context, scores.shape[-1])
            if green is not None:
                out[row][green] += self.delta
        return out

    def permuted(self, vocab_size, *numbers):
        order = torch.randperm(vocab_size, generator=generator(self.key, *numbers))
        return order[: int(self.gamma * vocab_size)]


class LeftHash(GreenList):
    """The list depends on the token before."""

    def greens(self, context, vocab_size):
        return self.permuted(vocab_size, context[-1]) if context else None


class Unigram(GreenList):
    """One list for all positions."""

    def greens(self, context, vocab_size):
        return self.permuted(vocab_size)


class SelfHash(GreenList):
    """A token is green if it is in the list that it would itself seed, together with the three tokens before."""

    def is_green(self, context, token):
        draw = torch.rand(1, generator=generator(self.key, *context[-3:], token))
        return bool(draw < self.gamma)

    def greens(self, context, vocab_size):
        if len(context) < 3:
            return None
        return torch.tensor([self.is_green(context, token) for token in range(vocab_size)])


def fresh(context, width):
    """The last tokens, unless there are too few or the text had them before: DiPmark and SynthID skip repeated contexts."""
    window = context[-width:]
    seen = (context[i : i + width] == window for i in range(len(context) - width))
    return None if len(window) < width or any(seen) else window


class DiPmark:
    """Moves mass towards the end of a random order of the tokens: F(i) is the running sum, and q that of max(F - a, 0) + max(F - 1 + a, 0)."""

    def __init__(self, key, alpha=0.45, double=True):
        self.key, self.alpha, self.dtype = key, alpha, torch.float64 if double else torch.float32

    def __call__(self, input_ids, scores):
        window = fresh(input_ids[0].tolist(), 2)
        if window is None:
            return scores
        p = torch.softmax(scores[0].to(self.dtype), dim=-1)
        order = torch.randperm(len(p), generator=generator(self.key, *window))
        running = torch.cumsum(p[order], dim=0)
        running = running / running[-1]
        moved = torch.clamp(running - self.alpha, min=0) + torch.clamp(running - 1 + self.alpha, min=0)
        q = torch.empty_like(p)
        q[order] = torch.diff(moved, prepend=moved.new_zeros(1))
        q = torch.where(p > 0, torch.clamp(q, min=0), torch.zeros_like(q))
        return torch.log(q).float().unsqueeze(0)


class SynthID:
    """Tournaments of two: in each layer a token with bit 1 beats one with bit 0, p * (1 + g - sum of p g)."""

    def __init__(self, key, depth=6, skip=True):
        self.key, self.depth, self.skip = key, depth, skip

    def bits(self, window, vocab_size):
        return torch.randint(0, 2, (self.depth, vocab_size), generator=generator(self.key, *window))

    def __call__(self, input_ids, scores):
        context = input_ids[0].tolist()
        window = fresh(context, 3) if self.skip else context[-3:]
        if window is None:
            return scores
        p = torch.softmax(scores[0].double(), dim=-1)
        for g in self.bits(window, len(p)).double():
            p = p * (1 + g - (p * g).sum())
        return torch.log(p).float().unsqueeze(0)


def binomial_pvalue(make):
    """The p-value of the number of green tokens among different pairs of context and token, under independent coins of rate gamma."""

    def detect(key, tokens, vocab_size):
        watermark = make(key)
        scored = {}
        for t, token in enumerate(tokens):
            if t >= 3:
                scored[(*tokens[t - 3 : t], token)] = watermark.is_green(tokens[:t], token)
        count, trials, rate = sum(scored.values()), len(scored), watermark.gamma
        tail = [math.comb(trials, k) * rate**k * (1 - rate) ** (trials - k) for k in range(count, trials + 1)]
        return min(1.0, math.fsum(tail)) if trials else 1.0

    return detect


def top_k(processor, k=3):
    """The mistake of a library that truncates after its custom processors."""

    def process(input_ids, scores):
        marked = processor(input_ids, scores)
        least = torch.topk(marked, min(k, marked.shape[-1])).values[..., -1:]
        return torch.where(marked < least, torch.full_like(marked, -math.inf), marked)

    return process


testees = {
    "kgw left hash": {"make": LeftHash, "unbiased": False},
    "kgw self hash": {"make": SelfHash, "unbiased": False, "detect": binomial_pvalue(SelfHash)},
    "unigram": {"make": Unigram, "unbiased": False},
    "dipmark": {"make": DiPmark, "unbiased": True},
    "synthid-like": {"make": SynthID, "unbiased": True},
    "kgw that claims to be unbiased": {"make": LeftHash, "unbiased": True},
    "synthid-like that reuses contexts": {"make": lambda key: SynthID(key, skip=False), "unbiased": True},
    "dipmark with top-k after it": {"make": lambda key: top_k(DiPmark(key)), "unbiased": True},
}

if __name__ == "__main__":
    name = sys.argv[1]
    parts = testees[name]
    serve(
        id=name,
        unbiased=parts["unbiased"],
        reweight=logits_processor(parts["make"]),
        detect=parts.get("detect"),
        dtype="float32",
    )
