"""Models of Hugging Face Transformers, with a decode loop of our own: warpers, then the watermark, then the draw."""

from ..decode import decode
from ..loops import arrays


def _select(past, rows, torch, device):
    """Returns the cache of the given rows."""
    index = torch.tensor(rows, device=device)
    if hasattr(past, "batch_select_indices"):
        past.batch_select_indices(index)
        return past
    return tuple(tuple(part.index_select(0, index) for part in layer) for layer in past)


class _Session:
    """A batch of texts: prompts padded on the left, and the model's cache."""

    def __init__(self, model, prompts):
        self._model, torch = model, model.torch
        width = max(map(len, prompts))
        ids = torch.tensor([[0] * (width - len(prompt)) + prompt for prompt in prompts], device=model.device)
        self._mask = torch.tensor([[0] * (width - len(prompt)) + [1] * len(prompt) for prompt in prompts], device=model.device)
        self._past = None
        self._run(ids, (self._mask.cumsum(-1) - 1).clamp(min=0))

    def _run(self, ids, positions):
        model = self._model
        with model.torch.no_grad():
            out = model.network(
                input_ids=ids,
                attention_mask=self._mask,
                position_ids=positions,
                past_key_values=self._past,
                use_cache=True,
            )
        self._past = out.past_key_values
        logits = out.logits[:, -1, :].float().cpu()
        self.logits = logits.tolist() if arrays is None else list(logits.numpy())

    def step(self, rows, tokens):
        torch, device = self._model.torch, self._model.device
        if len(rows) < len(self._mask):
            self._mask = self._mask[rows]
            self._past = _select(self._past, rows, torch, device)
        self._mask = torch.cat([self._mask, torch.ones((len(rows), 1), dtype=self._mask.dtype, device=device)], dim=1)
        ids = torch.tensor([[token] for token in tokens], device=device)
        self._run(ids, self._mask.sum(-1, keepdim=True) - 1)


class Transformers:
    def __init__(self, name, device=None, dtype=None):
        import torch
        from transformers import AutoModelForCausalLM, AutoTokenizer

        self.torch, self.id = torch, name
        self.device = device or ("cuda" if torch.cuda.is_available() else "cpu")
        options = {} if dtype is None else {"torch_dtype": getattr(torch, dtype)}
        self.network = AutoModelForCausalLM.from_pretrained(name, **options).to(self.device).eval()
        self._tokenizer = AutoTokenizer.from_pretrained(name)
        config = self.network.config
        ends = getattr(getattr(self.network, "generation_config", None), "eos_token_id", None)
        ends = config.eos_token_id if ends is None else ends
        self.end_tokens = tuple(ends) if isinstance(ends, (list, tuple)) else () if ends is None else (ends,)
        self.vocab_size = self.network.get_output_embeddings().weight.shape[0]
        self.max_length = getattr(config, "max_position_embeddings", None) or self._tokenizer.model_max_length
        self.encode_chat = self._encode_chat if getattr(self._tokenizer, "chat_template", None) else None

    def encode_prompt(self, text):
        return list(self._tokenizer(text)["input_ids"])

    def _encode_chat(self, messages):
        return list(self._tokenizer.apply_chat_template(messages, add_generation_prompt=True, tokenize=True, return_dict=False))

    def decode(self, tokens):
        return self._tokenizer.decode(tokens, skip_special_tokens=True)

    def begin(self, prompts):
        begin = self._tokenizer.bos_token_id
        if begin is None and not all(prompts):
            raise ValueError(f"prompt: expected at least one token, as {self.id} has no begin token; got none")
        return _Session(self, [prompt or [begin] for prompt in prompts])

    def generate(self, texts, batch_size, progress=None):
        decode(self, texts, batch_size, progress)


def load(name, device=None, dtype=None):
    return Transformers(name, device, dtype)
