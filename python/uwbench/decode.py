"""The decode loop: for each text and position, warpers, then the watermark, then the draw. Nothing touches the distribution after the
watermark, so an unbiased one stays unbiased. Equal requests give the texts that `generate` of the TypeScript package gives."""

import math

from .keys import Stream
from .loops import loops_for
from .numbers import js_text
from .text import embedder


class Text:
    """A text being written. `extend(logits)` draws its next token."""

    def __init__(self, prompt, *, vocab_size, warp, max_tokens, stops, watermark=None, key=None, seed=0, index=0):
        self.prompt, self.seen = list(prompt), list(prompt)
        self.tokens, self.log_probabilities, self.entropies, self.finish = [], [], [], None
        self._warp, self.max_tokens, self.stops = warp, max_tokens, stops
        self._stream = Stream(seed, "text", index)
        own = f"{'string' if isinstance(seed, str) else 'number'}:{js_text(seed)}:{index}"
        self._mark = None if watermark is None else embedder(watermark, key=key, vocab_size=vocab_size, seed=own, check=False)

    @property
    def start(self):
        """The text's offset into a key list, or where its mark began; see `scores`."""
        return None if self._mark is None else self._mark.start

    def extend(self, logits):
        p, entropy = self._warp(logits)
        loops = loops_for(len(p))
        q = None if self._mark is None else self._mark.reweight(self.seen, p)
        token = loops.draw(p if q is None else q, self._stream.uniform())
        probability = float(p[token])
        if self._mark is not None:
            self._mark.drew(token, probability)
        self.entropies.append(float(entropy))
        self.log_probabilities.append(math.log(probability))
        self.seen.append(token)
        self.tokens.append(token)
        if token in self.stops:
            self.finish = "stop"
        elif len(self.tokens) == self.max_tokens:
            self.finish = "length"
        return token


def decode(model, texts, batch_size=16, progress=None):
    """Writes the texts side by side, in batches with prompts of similar length, until all are finished."""
    longest_first = sorted(texts, key=lambda text: -len(text.prompt))
    for at in range(0, len(texts), batch_size):
        live = longest_first[at : at + batch_size]
        session = model.begin([text.prompt for text in live])
        while True:
            drawn = [text.extend(logits) for text, logits in zip(live, session.logits)]
            rows = [row for row, text in enumerate(live) if text.finish is None]
            if progress is not None and len(rows) < len(live):
                progress(sum(text.finish is not None for text in texts))
            live = [live[row] for row in rows]
            if not live:
                break
            session.step(rows, [drawn[row] for row in rows])
