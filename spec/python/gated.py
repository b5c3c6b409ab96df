"""Testees made of this package's logits processors, in torch, for spec/python/processors.spec.ts. Argument: the id of a watermark."""

import sys

import uwbench
from uwbench.testee import logits_processor, serve
from uwbench.text import expect_toy_keys

expect_toy_keys()
mark = uwbench.watermark(sys.argv[1])


def make(key):
    # a testee is asked about any position of any text, from the text alone: all its tokens are generated
    return uwbench.LogitsProcessor(mark, key=key, prompt_length=0)


serve(id=mark.id, unbiased=mark.unbiased, dtype="float32", reweight=logits_processor(make))
