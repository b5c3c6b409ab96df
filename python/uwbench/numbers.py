"""Numbers as the TypeScript package reads and prints them: ids, domains and seeds are hashed as text, so every digit counts."""

import math
import re
from decimal import Decimal


def js_text(value):
    """Returns `String(value)` of JavaScript.

    >>> js_text(0.5), js_text(2.0), js_text(1e-7), js_text(1e21)
    ('0.5', '2', '1e-7', '1e+21')
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if isinstance(value, int) and abs(value) < 2**53:
        return str(value)
    value = float(value)
    if math.isnan(value) or math.isinf(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if value == 0:
        return "0"
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    text, point = "".join(map(str, digits)), len(digits) + exponent
    if len(text) <= point <= 21:
        shown = text + "0" * (point - len(text))
    elif 0 < point <= 21:
        shown = f"{text[:point]}.{text[point:]}"
    elif -6 < point <= 0:
        shown = "0." + "0" * -point + text
    else:
        fraction = f".{text[1:]}" if len(text) > 1 else ""
        shown = f"{text[0]}{fraction}e{'+' if point > 0 else '-'}{abs(point - 1)}"
    return f"-{shown}" if sign else shown


def utf16_length(text):
    """Returns the length of a string as JavaScript counts it."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


_DECIMAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_RADIX = re.compile(r"0([xX][0-9a-fA-F]+|[oO][0-7]+|[bB][01]+)")


def js_value(text):
    """Reads the value of a parameter: a boolean, a finite number or else the text itself."""
    if text in ("true", "false"):
        return text == "true"
    if _RADIX.fullmatch(text):
        return int(text, 0)
    if not _DECIMAL.fullmatch(text) or math.isinf(float(text)):
        return text
    number = float(text)
    return int(number) if number.is_integer() and abs(number) < 2**53 else number
