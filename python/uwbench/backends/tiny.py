"""Models small enough for tests, in plain Python and numpy: they need no download and no GPU.

- A `.json` file describes the Markov chain of `markovModel` in the TypeScript package by its options, `vocabSize`, `order`, `entropy` and
  `seed`: both sides draw the same chain, hence the same texts.
- Any other file is a checkpoint of llama2.c, float32 with one key-value head per head, as the TypeScript package reads it; needs numpy.

Texts are token numbers separated by blanks.
"""

import array
import json
import math

from ..decode import decode
from ..keys import Stream
from ..numbers import js_text


class _Numbers:
    """A model whose text is token numbers."""

    end_tokens = ()
    encode_chat = None

    def encode_prompt(self, text):
        return [int(word) for word in text.split()]

    def decode(self, tokens):
        return " ".join(map(str, tokens))

    def generate(self, texts, batch_size, progress=None):
        decode(self, texts, batch_size, progress)


def _entropy_at(beta, x):
    top = beta * max(x)
    total = mean = 0.0
    for value in x:
        e = math.exp(beta * value - top)
        total += e
        mean += e * (beta * value - top)
    return math.log(total) - mean / total


def _beta_for(entropy, x):
    """Returns the inverse temperature at which softmax(beta x) has the given entropy, by bisection."""
    low, high = 0.0, 1.0
    while _entropy_at(high, x) > entropy and high < 2**40:
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        if _entropy_at(middle, x) > entropy:
            low = middle
        else:
            high = middle
    return low


class Markov(_Numbers):
    """A random Markov chain whose every next-token distribution has the same entropy: `markovModel` of the TypeScript package."""

    max_length = 2**53 - 1

    def __init__(self, vocabSize=64, order=1, entropy=None, seed=1):
        self.vocab_size, self._order, self._seed = vocabSize, order, seed
        self._most = math.log(vocabSize)
        self._entropy = self._most / 2 if entropy is None else entropy
        self.id = f"markov(vocabSize={vocabSize},order={order},entropy={js_text(self._entropy)},seed={js_text(seed)})"
        self._rows = {}

    def logits(self, context):
        if context not in self._rows:
            stream = Stream(self._seed, "markov", *context)
            x = [-math.log(-math.log(stream.uniform())) for _ in range(self.vocab_size)]
            beta = 0.0 if self._entropy == self._most else _beta_for(self._entropy, x)
            self._rows[context] = array.array("f", [beta * value for value in x]).tolist()
        return self._rows[context]

    def begin(self, prompts):
        return _MarkovSession(self, prompts)

    def tail(self, tokens):
        return tuple(tokens[max(0, len(tokens) - self._order) :])


class _MarkovSession:
    def __init__(self, model, prompts):
        self._model, self._contexts = model, [model.tail(prompt) for prompt in prompts]

    @property
    def logits(self):
        return [self._model.logits(context) for context in self._contexts]

    def step(self, rows, tokens):
        """Keeps the given rows and appends a token to each."""
        self._contexts = [self._model.tail((*self._contexts[row], token)) for row, token in zip(rows, tokens)]


class Llama2c(_Numbers):
    """A checkpoint of llama2.c: seven int32, then float32 tensors, matrices as [out, in]."""

    end_tokens = (1,)  # the begin token also ends a story

    def __init__(self, path):
        import numpy as np

        with open(path, "rb") as file:
            data = file.read()
        width, hidden, layers, heads, kv_heads, vocab_size, positions = np.frombuffer(data, "<i4", 7).tolist()
        if min(width, hidden, layers, heads, vocab_size, positions) < 1 or kv_heads != heads or width % (2 * heads):
            raise ValueError(f"{path}: expected the header of a llama2.c checkpoint with a key-value head for each head, got other sizes")
        floats, at = np.frombuffer(data, "<f4", (len(data) - 28) // 4, 28), 0  # a tokenizer may follow
        half = width // heads // 2

        def take(*shape):
            nonlocal at
            at += math.prod(shape)
            if at > len(floats):
                raise ValueError(f"{path}: expected more than {len(data)} bytes by the header of the checkpoint")
            return floats[at - math.prod(shape) : at].reshape(shape)

        self._embedding = take(vocab_size, width)
        self._attention_norm = take(layers, width)
        self._wq, self._wk, self._wv, self._wo = (take(layers, width, width) for _ in range(4))
        self._ffn_norm = take(layers, width)
        self._gate = take(layers, hidden, width)
        self._down = take(layers, width, hidden)
        self._up = take(layers, hidden, width)
        self._final_norm = take(width)
        self._cos, self._sin = take(positions, half), take(positions, half)
        self._np, self._heads, self._layers = np, heads, layers
        self.id = f"llama2c({vocab_size}x{width}x{layers})"
        self.vocab_size, self.max_length = vocab_size, positions

    def _norm(self, x, weight):
        return weight * (x / self._np.sqrt((x * x).mean() + self._np.float32(1e-5)))

    def _rotate(self, x, position):
        """Turns the pairs (x_2i, x_2i+1) of every head by the angles of a position."""
        pairs = x.reshape(self._heads, -1, 2)
        cos, sin = self._cos[position], self._sin[position]
        even, odd = pairs[..., 0], pairs[..., 1]
        return self._np.stack([even * cos - odd * sin, even * sin + odd * cos], axis=-1).reshape(self._heads, -1)

    def advance(self, cache, token):
        """Appends a token to a text and returns the logits that follow. `cache` has the keys and values of each layer."""
        np = self._np
        x = self._embedding[token]
        position = len(cache[0][0])
        for layer, (keys, values) in enumerate(cache):
            h = self._norm(x, self._attention_norm[layer])
            query = self._rotate(self._wq[layer] @ h, position)
            keys.append(self._rotate(self._wk[layer] @ h, position))
            values.append((self._wv[layer] @ h).reshape(self._heads, -1))
            scores = np.einsum("hd,thd->ht", query, np.stack(keys)) / np.sqrt(np.float32(query.shape[1]))
            weights = np.exp(scores - scores.max(axis=1, keepdims=True))
            weights /= weights.sum(axis=1, keepdims=True)
            x = x + self._wo[layer] @ np.einsum("ht,thd->hd", weights, np.stack(values)).reshape(-1)
            h = self._norm(x, self._ffn_norm[layer])
            gate = self._gate[layer] @ h
            x = x + self._down[layer] @ (gate / (1 + np.exp(-gate)) * (self._up[layer] @ h))
        return self._embedding @ self._norm(x, self._final_norm)

    def begin(self, prompts):
        return _LlamaSession(self, prompts)

    def cache(self):
        return [([], []) for _ in range(self._layers)]


class _LlamaSession:
    def __init__(self, model, prompts):
        self._model, self._caches = model, [model.cache() for _ in prompts]
        # an empty prompt stands for the begin token
        self.logits = [[model.advance(cache, token) for token in prompt or [1]][-1] for cache, prompt in zip(self._caches, prompts)]

    def step(self, rows, tokens):
        self._caches = [self._caches[row] for row in rows]
        self.logits = [self._model.advance(cache, token) for cache, token in zip(self._caches, tokens)]


def load(path, **options):
    if not path.endswith(".json"):
        return Llama2c(path)
    with open(path, encoding="utf-8") as file:
        options = json.load(file)
    unknown = set(options) - {"vocabSize", "order", "entropy", "seed"}
    if unknown:
        raise ValueError(f"{path}: expected vocabSize, order, entropy and seed, got {', '.join(sorted(unknown))}")
    return Markov(**options)
