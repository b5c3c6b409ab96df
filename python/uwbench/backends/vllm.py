"""Models of vLLM. Its engine drives the decode loop and calls a logits processor for every text at every step.

vLLM applies temperature after custom processors, and top-k and top-p last, which would truncate the marked distribution. So the
processor does all of it: warpers, watermark and draw, and leaves the drawn token alone in the logits. vLLM samples that token.
"""

import itertools
import os

_texts = {}
_numbers = itertools.count()


def _next(text, output_ids, logits):
    """Returns logits that leave one token: the next one of the text. A position that is asked about again keeps its token."""
    at = len(output_ids)
    token = text.tokens[at] if at < len(text.tokens) else text.extend(logits.float().cpu().numpy())
    logits.fill_(float("-inf"))
    logits[token] = 0.0
    return logits


def _processor_class():
    from vllm.v1.sample.logits_processor import AdapterLogitsProcessor

    class Draw(AdapterLogitsProcessor):
        def is_argmax_invariant(self):
            return False

        def new_req_logits_processor(self, params):
            number = (params.extra_args or {}).get("uwbench")
            if number is None:
                return None
            text = _texts[number]
            return lambda output_ids, logits: _next(text, output_ids, logits)

    return Draw


class Vllm:
    def __init__(self, name, dtype=None):
        # the texts live in this process: the engine must run in it too
        os.environ["VLLM_ENABLE_V1_MULTIPROCESSING"] = "0"
        # from vLLM 0.32 on, processors of single requests need the older of its two model runners
        os.environ.setdefault("VLLM_USE_V2_MODEL_RUNNER", "0")
        from vllm import LLM, SamplingParams

        self.id, self._sampling = name, SamplingParams
        self._llm = LLM(model=name, dtype=dtype or "auto", logits_processors=[_processor_class()])
        self._tokenizer = self._llm.get_tokenizer()
        config = self._llm.llm_engine.model_config
        self.vocab_size, self.max_length = config.get_vocab_size(), config.max_model_len
        ends = self._tokenizer.eos_token_id
        self.end_tokens = () if ends is None else (ends,)
        self.encode_chat = self._encode_chat if getattr(self._tokenizer, "chat_template", None) else None

    def encode_prompt(self, text):
        return list(self._tokenizer(text)["input_ids"])

    def _encode_chat(self, messages):
        return list(self._tokenizer.apply_chat_template(messages, add_generation_prompt=True, tokenize=True, return_dict=False))

    def decode(self, tokens):
        return self._tokenizer.decode(tokens, skip_special_tokens=True)

    def generate(self, texts, batch_size, progress=None):
        numbers = [next(_numbers) for _ in texts]
        _texts.update(zip(numbers, texts))
        try:
            self._llm.generate(
                [{"prompt_token_ids": text.prompt or [self._tokenizer.bos_token_id]} for text in texts],
                [
                    self._sampling(
                        temperature=1.0,
                        top_k=0,
                        top_p=1.0,
                        max_tokens=text.max_tokens,
                        stop_token_ids=sorted(text.stops),
                        ignore_eos=True,  # the stop tokens of the request say where a text ends
                        detokenize=False,
                        extra_args={"uwbench": number},
                    )
                    for number, text in zip(numbers, texts)
                ],
                use_tqdm=False,
            )
        finally:
            for number in numbers:
                del _texts[number]
        unfinished = sum(text.finish is None for text in texts)
        if unfinished:
            raise RuntimeError(f"vLLM ended {unfinished} of {len(texts)} texts early")
        if progress is not None:
            progress(len(texts))


def load(name, device=None, dtype=None):
    return Vllm(name, dtype)
