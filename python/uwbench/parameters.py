"""Ids of watermarks and of context rules: `name(parameter=value,...)`, read and printed as the TypeScript package does."""

import difflib
import math
import re

from .contexts import Fixed, Ngram, Prefix, Sequence
from .numbers import js_text, js_value

_CALL = re.compile(r"([A-Za-z]\w*)\s*(?:\((.*)\))?", re.ASCII | re.DOTALL)


def did_you_mean(word, known):
    names = {name.lower(): name for name in known}
    near = difflib.get_close_matches(str(word).lower(), names, 1)
    return f"; did you mean '{names[near[0]]}'?" if near else ""


def _split(text):
    """Splits at commas that stand outside parentheses."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text + ","):
        depth += (c == "(") - (c == ")")
        if c == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    if depth != 0:
        parts.append(text[start:].strip())
    return [part for part in parts if part]


def parse_call(what, text):
    """Returns the name, the argument without a name and the others of `dipmark(alpha=0.4)` or `ngram(2)`."""
    if not isinstance(text, str):
        raise TypeError(f"{what}: expected a string such as dipmark(alpha=0.4), got {type(text).__name__}")
    match = _CALL.fullmatch(text.strip())
    if match is None or len(text) > 10_000:
        raise ValueError(f"{what}: expected a name such as dipmark(alpha=0.4), got {text[:60]!r}")
    first, options = None, {}
    for part in _split(match.group(2) or ""):
        name, equals, value = part.partition("=")
        if not equals or "(" in name:
            if first is not None:
                raise ValueError(f"{what}: expected at most one parameter without a name, got {text!r}")
            first = js_value(part)
            continue
        if name.strip() in options:
            raise ValueError(f"{what}: expected {name.strip()} once, got {text!r}")
        options[name.strip()] = js_value(value.strip())
    return match.group(1), first, options


def refuse_unknown(name, options, known):
    for option in options:
        if option not in known:
            expected = ", ".join(known) or "no parameters"
            raise TypeError(f"{name}: unknown parameter {option!r}, expected {expected}{did_you_mean(option, known)}")


class Number:
    """A number in [low, high]; `open` leaves out both ends. Without a default it is required."""

    def __init__(self, low, high, default=None, *, required=False, whole=False, open=False, shapes_code=False, shown=None, example=None):
        self.low, self.high, self.whole, self.open = low, high, whole, open
        self.default, self.required, self.example = default, required, example
        self.shapes_code, self.shown = shapes_code, shapes_code if shown is None else shown

    def default_for(self, values):
        return self.default

    def check(self, name, value):
        if value is None and not self.required:
            return None
        kind = "an integer" if self.whole else "a number"
        range_ = f"({js_text(self.low)}, {js_text(self.high)})" if self.open else f"[{js_text(self.low)}, {js_text(self.high)}]"
        number = isinstance(value, (int, float)) and not isinstance(value, bool) and not math.isnan(value)
        inside = number and (self.low < value < self.high if self.open else self.low <= value <= self.high)
        if not inside or self.whole and value != int(value):
            error = ValueError if number else TypeError
            raise error(f"{name}: expected {kind} in {range_}, got {value!r}")
        return int(value) if self.whole else value

    print = staticmethod(js_text)


class Choice:
    """One of a few values; the first is the default."""

    required = shapes_code = shown = False

    def __init__(self, *options):
        self.options = options

    def default_for(self, values):
        return self.options[0]

    def check(self, name, value):
        if value not in self.options:
            raise ValueError(f"{name}: expected one of {', '.join(map(js_text, self.options))}, got {value!r}{did_you_mean(value, map(js_text, self.options))}")
        return value

    print = staticmethod(js_text)


class Context:
    """A context rule, by default what `default_for` makes of the parameters before it."""

    required = shapes_code = shown = False

    def __init__(self, default_for):
        self.default_for = default_for

    def check(self, name, value):
        return parse_rule(value) if isinstance(value, str) else value

    def print(self, rule):
        return rule.id


_N = Number(0, 64, required=True, whole=True)
_LENGTH = Number(1, 1 << 23, required=True, whole=True)
_ENTROPY = Number(0, math.inf, required=True, open=True)
_REPEATED = Choice("skip", "reuse")
_SHORT = Choice(False, True)


def _ngram(first, options):
    return Ngram(
        _N.check("n", first),
        _REPEATED.check("repeated", options.get("repeated", "skip")),
        _SHORT.check("short", options.get("short", False)),
    )


#: Whether the first parameter has no name, the named ones, and how the rule is made.
_RULES = {
    "ngram": (True, ("repeated", "short"), _ngram),
    "fixed": (False, (), lambda _, options: Fixed()),
    "sequence": (False, ("length",), lambda _, options: Sequence(_LENGTH.check("length", options.get("length")))),
    "prefix": (False, ("entropy",), lambda _, options: Prefix(_ENTROPY.check("entropy", options.get("entropy")))),
}


def parse_rule(text):
    """Returns the context rule of an id such as `ngram(4,repeated=reuse)`."""
    name, first, options = parse_call("context", text)
    if name not in _RULES:
        raise ValueError(f"context: expected one of {', '.join(_RULES)}, got {text!r}{did_you_mean(name, _RULES)}")
    takes_first, takes, make = _RULES[name]
    if first is not None and not takes_first:
        raise ValueError(f"context: expected {name} with named parameters {', '.join(takes)}, got {text!r}")
    refuse_unknown(name, options, takes)
    return make(first, options)


def _call(name, shown):
    return f"{name}({','.join(shown)})" if shown else name


def _is_default(parameter, name, values):
    value, default = values[name], parameter.default_for(values)
    return value is default or default is not None and value is not None and parameter.print(value) == parameter.print(default)


def id_of(method, parameters, values):
    """Returns the printable id of a method with the values of its parameters."""
    shown = [n for n, parameter in parameters.items() if parameter.shown or not _is_default(parameter, n, values)]
    return _call(method, [f"{n}={parameters[n].print(values[n])}" for n in shown])


def domain_of(method, parameters, values, rule):
    """Returns what the key schedule separates by: the method, what shapes its code, and the context rule."""
    shaping = [n for n, parameter in parameters.items() if parameter.shapes_code]
    return f"{_call(method, [f'{n}={parameters[n].print(values[n])}' for n in shaping])}/{rule}"
