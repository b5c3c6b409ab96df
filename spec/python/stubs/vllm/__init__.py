"""As much of vLLM as the generator uses: an engine that drives the decode loop and asks a processor of every request at every step. It
asks about some positions twice, as after a preemption, and samples greedily from what the processor leaves."""

from types import SimpleNamespace

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer


class SamplingParams(SimpleNamespace):
    pass


class LLM:
    def __init__(self, model, dtype, logits_processors):
        self._network = AutoModelForCausalLM.from_pretrained(model)
        self._processor = logits_processors[0]()
        config = SimpleNamespace(get_vocab_size=lambda: len(self._network.embedding), max_model_len=len(self._network.cos))
        self.llm_engine = SimpleNamespace(model_config=config)
        assert not self._processor.is_argmax_invariant()

    def get_tokenizer(self):
        return AutoTokenizer()

    def _logits(self, ids):
        positions = torch.arange(len(ids))[None]
        out = self._network(torch.tensor([ids]), torch.ones((1, len(ids)), dtype=torch.long), positions, None, True)
        return out.logits[0, -1]

    def generate(self, prompts, params, use_tqdm):
        for prompt, one in zip(prompts, params):
            assert (one.temperature, one.top_k, one.top_p, one.ignore_eos) == (1.0, 0, 1.0, True)
            process, output = self._processor.new_req_logits_processor(one), []
            while len(output) < one.max_tokens and not (output and output[-1] in one.stop_token_ids):
                logits = self._logits(prompt["prompt_token_ids"] + output)
                if len(output) % 5 == 3:
                    process(output, logits.clone())
                left = process(output, logits)
                assert (left > -torch.inf).sum() == 1
                output.append(int(left.argmax()))
