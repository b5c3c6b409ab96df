class AdapterLogitsProcessor:
    """The interface of vLLM for processors of single requests."""

    def is_argmax_invariant(self):
        raise NotImplementedError

    def new_req_logits_processor(self, params):
        raise NotImplementedError
