#!/usr/bin/env python3
"""Writes the prompts of Mark My Words as JSON Lines, which the dataset `mmw` reads.

The project publishes its prompts as templates and topics inside its code. This script reads the constants of that file (it
does not run it) and puts them together in the project's order, at most 100 prompts of each kind.

usage: mmw-prompts.py path/to/generation_prompts.py OUTPUT_FOLDER
"""

import ast
import itertools
import json
import pathlib
import sys


def constants(path):
    """Every `NAME = literal` at the top level of a module; computed values are left out."""
    found = {}
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            try:
                found[node.targets[0].id] = ast.literal_eval(node.value)
            except ValueError:
                pass
    return found


def topics(kind, get):
    if kind == "book-report":
        return get("report_topics")
    if kind == "story":
        return itertools.product(get("t1"), get("t2"))
    pairs = itertools.combinations(get("person"), 2)
    return ((*pair, place) for pair, place in itertools.product(pairs, get("location")))


def main(source, folder):
    found = constants(source)

    def get(name):
        if name not in found:
            sys.exit(f"{source}: expected a constant {name}, found {', '.join(found) or 'none'}")
        return found[name]

    folder.mkdir(parents=True, exist_ok=True)
    for kind, name in {"book-report": "report", "story": "story", "fake-news": "fake_news"}.items():
        template, system = get(f"{name}_prompt"), get(f"{name}_system_prompt")
        rows = [
            {"prompt": template.format(*topic), "system": system}
            for topic in itertools.islice(topics(kind, get), 100)
        ]
        path = folder / f"mmw-{kind}.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        print(f"{path}: {len(rows)} prompts")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
