"""A watermark to start from: half of the tokens are green, chosen by the key and the last two tokens, and gain what red ones lose."""

import random

from uwbench_testee import seed_of, serve

WINDOW = 2


def greens(key, context, vocab_size):
    """Which tokens are green after a context; None where there is none yet, or the text had it before."""
    window = context[-WINDOW:]
    if len(window) < WINDOW or window in (context[i : i + WINDOW] for i in range(len(context) - WINDOW)):
        return None
    generator = random.Random(seed_of(key, *window))
    return [generator.random() < 0.5 for _ in range(vocab_size)]


def reweight(key, context, p):
    green = greens(key, context, len(p))
    if green is None:
        return p
    mass = sum(x for x, is_green in zip(p, green) if is_green)
    return [x * (is_green + 1 - mass) for x, is_green in zip(p, green)]


def detect(key, tokens, vocab_size):
    """The binomial tail of the number of green tokens: exact, as every context is scored once."""
    scores = []
    for t, token in enumerate(tokens):
        green = greens(key, tokens[:t], vocab_size)
        if green is not None:
            scores.append(green[token])
    return binomial_tail(sum(scores), len(scores))


def binomial_tail(count, trials):
    """P(at least so many heads of fair coins)."""
    term, tail = 1, 0
    for k in range(trials + 1):
        if k >= count:
            tail += term
        term = term * (trials - k) // (k + 1)
    return tail / 2**trials


if __name__ == "__main__":
    serve(id="my-watermark", unbiased=True, reweight=reweight, detect=detect)
