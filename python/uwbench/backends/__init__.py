"""Backends of the generator. `load(name, model)` returns an object with `id`, `vocab_size`, `end_tokens`, `max_length`,
`encode_prompt(text)`, `encode_chat(messages)` (None without a chat template), `decode(tokens)` and `generate(texts, batch_size, progress)`."""

import importlib

NAMES = ("tiny", "transformers", "vllm")


def load(name, model, **options):
    return importlib.import_module(f".{name}", __name__).load(model, **options)
