"""As much of Transformers as the generator uses, for a tiny random Llama that a spec wrote: a checkpoint of llama2.c run in torch."""

import math
import os
from types import SimpleNamespace

import numpy
import torch


class AutoModelForCausalLM(torch.nn.Module):
    @classmethod
    def from_pretrained(cls, folder, torch_dtype=torch.float32):
        return cls(os.path.join(folder, "model.bin"))

    def __init__(self, path):
        super().__init__()
        data = open(path, "rb").read()
        width, hidden, layers, heads, _, vocab, positions = numpy.frombuffer(data, "<i4", 7).tolist()
        floats, at = torch.from_numpy(numpy.frombuffer(data, "<f4", offset=28).copy()), 0

        def take(*shape):
            nonlocal at
            at += math.prod(shape)
            return floats[at - math.prod(shape) : at].reshape(shape)

        self.embedding, self.norm1 = take(vocab, width), take(layers, width)
        self.wq, self.wk, self.wv, self.wo = (take(layers, width, width) for _ in range(4))
        self.norm2, self.gate = take(layers, width), take(layers, hidden, width)
        self.down, self.up, self.final = take(layers, width, hidden), take(layers, hidden, width), take(width)
        self.cos, self.sin = take(positions, width // heads // 2), take(positions, width // heads // 2)
        self.heads, self.layers = heads, layers
        self.config = SimpleNamespace(eos_token_id=1, max_position_embeddings=positions)

    def get_output_embeddings(self):
        return SimpleNamespace(weight=self.embedding)

    def _normed(self, x, weight):
        return weight * (x / torch.sqrt((x * x).mean(-1, keepdim=True) + 1e-5))

    def _turned(self, x, positions):
        rows, length, _ = x.shape
        pairs = x.reshape(rows, length, self.heads, -1, 2)
        cos, sin = self.cos[positions].unsqueeze(2), self.sin[positions].unsqueeze(2)
        even, odd = pairs[..., 0], pairs[..., 1]
        return torch.stack([even * cos - odd * sin, even * sin + odd * cos], -1).reshape(rows, length, self.heads, -1)

    def forward(self, input_ids, attention_mask, position_ids, past_key_values, use_cache):
        x = self.embedding[input_ids]
        rows, length, width = x.shape
        total = attention_mask.shape[1]
        order = torch.arange(total)
        causal = order[None, :] <= order[total - length :, None]
        seen = causal[None] & attention_mask.bool()[:, None, :]
        past = []
        for layer in range(self.layers):
            h = self._normed(x, self.norm1[layer])
            query = self._turned(h @ self.wq[layer].T, position_ids)
            key = self._turned(h @ self.wk[layer].T, position_ids)
            value = (h @ self.wv[layer].T).reshape(rows, length, self.heads, -1)
            if past_key_values is not None:
                key = torch.cat([past_key_values[layer][0], key], 1)
                value = torch.cat([past_key_values[layer][1], value], 1)
            past.append((key, value))
            scores = torch.einsum("bqhd,bkhd->bhqk", query, key) / math.sqrt(width // self.heads)
            # a padded row sees nothing: a large negative number keeps its softmax finite
            weights = torch.softmax(scores.masked_fill(~seen[:, None], -1e9), -1)
            x = x + torch.einsum("bhqk,bkhd->bqhd", weights, value).reshape(rows, length, width) @ self.wo[layer].T
            h = self._normed(x, self.norm2[layer])
            x = x + (torch.nn.functional.silu(h @ self.gate[layer].T) * (h @ self.up[layer].T)) @ self.down[layer].T
        logits = self._normed(x, self.final) @ self.embedding.T
        return SimpleNamespace(logits=logits, past_key_values=tuple(past))


class AutoTokenizer:
    chat_template = None
    bos_token_id = eos_token_id = 1

    @classmethod
    def from_pretrained(cls, folder):
        return cls()

    def __call__(self, text):
        return {"input_ids": [1, *(int(word) for word in text.split())]}

    def decode(self, tokens, skip_special_tokens):
        return " ".join(map(str, tokens))
