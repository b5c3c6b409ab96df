"""Answers what spec/python/exact.spec.ts asks about the Python package: one JSON object in, one out."""

import json
import math
import sys

import uwbench
from uwbench import loops
from uwbench.keys import Schedule, Stream
from uwbench.text import expect_toy_keys

expect_toy_keys()


def case(one):
    mark = uwbench.watermark(one["id"])
    schedule = Schedule(one["key"], mark.domain)
    q = []
    for position in one["positions"]:
        code = mark.code_at(schedule, len(position["p"]), tuple(position["context"]))
        q.append([float(mass) for mass in mark.reweight(position["p"], code)])
    scores = uwbench.scores(mark, one["text"], key=one["key"], vocab_size=one["vocabSize"], start=one["start"])
    return {
        "id": mark.id,
        "domain": mark.domain,
        "unbiased": mark.unbiased,
        "q": q,
        "unmarked": [[float(mass) for mass in mark.target(position["p"])] for position in one["positions"] if mark.target],
        "scores": [None if math.isnan(score) else score for score in scores],
    }


def schedule(one):
    made = Schedule(bytes(one["key"]), one["domain"], one["run"])
    random = made.random(one["context"])
    words = [random.uint32(i) for i in one["indices"]]
    uniforms = [random.uniform(i) for i in one["indices"]]
    filled = [int(word) for word in random.words(loops.loops_for(100), 100)]
    return {"words": words, "uniforms": uniforms, "filled": filled, "shared": made.shared.uint32(0)}


def stream(one):
    made = Stream(one["seed"], *one["labels"])
    return {"words": [made.uint32() for _ in range(5)], "uniform": made.uniform(), "below": made.below(7)}


request = json.load(sys.stdin)
if request["loops"] == "plain":
    loops.use(loops.plain)
if request["loops"] == "arrays":
    loops.use(loops.arrays)
    assert loops.arrays is not None, "numpy is not installed"
answers = {name: [answer(one) for one in request[name]] for name, answer in (("cases", case), ("schedules", schedule), ("streams", stream))}
json.dump({**answers, "arrays": loops.arrays is not None}, sys.stdout)
