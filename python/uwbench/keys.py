"""The key schedule: a secret key becomes the randomness of every position, the same words as in the TypeScript package.

    subkey       = HMAC-SHA-256(secret, domain)                 once per key
    context seed = SipHash-2-4-128(subkey[0..15], context)      once per position
    word i       = expansion of the context seed                once per token

docs/keys.md of uwbench describes it; fixtures/keys/vectors.json has fixed vectors.
"""

import hashlib
import hmac
import os
import struct
from typing import NamedTuple

from .numbers import js_text, utf16_length

MASK = 0xFFFFFFFF
_MASK64 = 0xFFFFFFFFFFFFFFFF

#: Words 0 .. OWN-1 belong to tokens, words OWN .. STRIDE-1 to the position itself.
OWN = 1 << 23
#: Further words for the same purpose lie this far apart.
STRIDE = 1 << 24
#: The largest vocabulary.
MAX_VOCAB = OWN
#: Distance between the two words of a uniform number.
LOW = 0x80000000

_MAX_KEY_BYTES = 1 << 20


def key_bytes(key):
    """Returns the bytes of a secret key given as text (UTF-8) or bytes. Errors never show the key."""
    if isinstance(key, str):
        try:
            key = key.encode("utf-8")
        except UnicodeEncodeError:
            raise TypeError("key: expected text, got a string with a lone surrogate") from None
    if not isinstance(key, (bytes, bytearray, memoryview)):
        raise TypeError(f"key: expected a string or bytes, got {type(key).__name__}")
    key = bytes(key)
    if not 1 <= len(key) <= _MAX_KEY_BYTES:
        raise ValueError(f"key: expected a secret of 1 to {_MAX_KEY_BYTES} bytes, got {len(key)} bytes")
    return key


def _hmac(key, message):
    return hmac.new(key, message, hashlib.sha256).digest()


def keyed_hash(secret, label):
    """Returns HMAC-SHA-256(secret, label), but different for every two secrets.

    HMAC pads a short key with zero bytes and hashes a key of over 64 bytes, so such a secret is first hashed with its length.
    """
    if len(secret) <= 64 and secret[-1] != 0:
        return _hmac(secret, label.encode())
    hashed = _hmac(b"uwbench secret", struct.pack("<I", len(secret)) + secret)
    return _hmac(hashed, b"\0hashed\0" + label.encode())


def siphash128(key, words):
    """Returns SipHash-2-4-128 of 32-bit words under a key of four, as four words."""
    k0, k1 = key[0] | key[1] << 32, key[2] | key[3] << 32
    v0, v1 = k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D ^ 0xEE
    v2, v3 = k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573

    def rounds(count):
        nonlocal v0, v1, v2, v3
        for _ in range(count):
            v0 = v0 + v1 & _MASK64
            v1 = (v1 << 13 | v1 >> 51) & _MASK64 ^ v0
            v0 = (v0 << 32 | v0 >> 32) & _MASK64
            v2 = v2 + v3 & _MASK64
            v3 = (v3 << 16 | v3 >> 48) & _MASK64 ^ v2
            v0 = v0 + v3 & _MASK64
            v3 = (v3 << 21 | v3 >> 43) & _MASK64 ^ v0
            v2 = v2 + v1 & _MASK64
            v1 = (v1 << 17 | v1 >> 47) & _MASK64 ^ v2
            v2 = (v2 << 32 | v2 >> 32) & _MASK64

    n = len(words)
    blocks = [words[i] | words[i + 1] << 32 for i in range(0, n - 1, 2)]
    blocks.append((words[-1] if n % 2 else 0) | (4 * n & 0xFF) << 56)
    for block in blocks:
        v3 ^= block
        rounds(2)
        v0 ^= block
    v2 ^= 0xEE
    rounds(4)
    first = v0 ^ v1 ^ v2 ^ v3
    v1 ^= 0xDD
    rounds(4)
    second = v0 ^ v1 ^ v2 ^ v3
    return first & MASK, first >> 32, second & MASK, second >> 32


def round_keys(seed):
    """Returns the four round keys of a 128-bit seed: three ChaCha quarter-rounds."""
    a, b, c, d = ((word + k) & MASK for word, k in zip(seed, (0x61707865, 0x3320646E, 0x79622D32, 0x6B206574)))
    for _ in range(3):
        a = a + b & MASK
        d ^= a
        d = (d << 16 | d >> 16) & MASK
        c = c + d & MASK
        b ^= c
        b = (b << 12 | b >> 20) & MASK
        a = a + b & MASK
        d ^= a
        d = (d << 8 | d >> 24) & MASK
        c = c + d & MASK
        b ^= c
        b = (b << 7 | b >> 25) & MASK
    return a, b, c, d


def mix(i, keys):
    """Returns word `i` under the round keys: three multiply-xorshift rounds, a permutation of the 32-bit integers."""
    k0, k1, k2, k3 = keys
    x = i + k0 & MASK
    x = (x ^ x >> 17) * 0xED5AD4BB & MASK ^ k1
    x = (x ^ x >> 11) * 0xAC4C1B51 + k2 & MASK
    x = (x ^ x >> 15) * 0x31848BAB & MASK ^ k3
    return x ^ x >> 14


def to_uniform(high, low):
    """Returns a 64-bit fraction as a number in (0, 1)."""
    return min((high + (low + 0.5) * 2**-32) * 2**-32, 1 - 2**-53)


class Random:
    """Keyed random access: the same index gives the same value every time.

    `start` shifts the indices of tokens, for further sets of words; `sets` is how many sets share the words that `below` reads in turn.
    """

    __slots__ = ("keys", "start", "sets", "_kept")

    def __init__(self, keys, start=0, sets=1):
        self.keys, self.start, self.sets, self._kept = keys, start, sets, None

    def uint32(self, i):
        return mix(self.start + i, self.keys)

    def uniform(self, i):
        """Returns a number in the open interval (0, 1) made of 64 bits."""
        at = self.start + i
        return to_uniform(mix(at, self.keys), mix(at ^ LOW, self.keys))

    def below(self, i, n):
        """Returns an integer in 0 .. n-1, exactly uniform: words past the last full multiple of `n` are rejected."""
        limit = 2**32 - 2**32 % n
        while True:
            word = self.uint32(i)
            if word < limit:
                return word % n
            i += STRIDE * self.sets

    def shifted(self, k, sets=1):
        """Returns the k-th set of words of the same tokens."""
        return Random(self.keys, self.start + STRIDE * k, sets)

    def words(self, loops, n):
        """Returns the words of tokens 0 .. n-1, kept for the next call: one order may serve every position of a key."""
        if self._kept is None or self._kept[0] is not loops or self._kept[1] != n:
            self._kept = loops, n, loops.words(self.keys, self.start, n)
        return self._kept[2]

    def words_at(self, loops, ids):
        return loops.words_at(self.keys, self.start, ids)


class Site(NamedTuple):
    """What a code knows besides its own randomness: the randomness of the key alone, and the numbers that name the position."""

    shared: Random
    context: tuple


class Schedule:
    """The randomness of one secret key within one domain. Runs other than 0 are independent keys, for permutation tests."""

    def __init__(self, key, domain, run=0):
        subkey = keyed_hash(key_bytes(key), domain if run == 0 else f"{domain}\0run {run}")
        words = struct.unpack("<8I", subkey)
        self._context_key = words[:4]
        self.shared = Random(round_keys(siphash128(words[4:], ())))

    def random(self, context):
        return Random(round_keys(siphash128(self._context_key, context)))

    def site(self, context):
        return Site(self.shared, tuple(context))


def label_seed(*labels):
    """Returns 128 bits that depend on every label, each a number or a string, as four words."""
    text = ""
    for label in labels:
        shown = js_text(label)
        text += f"{'string' if isinstance(label, str) else 'number'}:{utf16_length(shown)}:{shown};"
    return struct.unpack("<4I", hashlib.sha256(text.encode()).digest()[:16])


def text_random(seed=None):
    """Returns a text's own randomness, unknown to the detector: fresh, or from a seed."""
    return Random(round_keys(struct.unpack("<4I", os.urandom(16)) if seed is None else label_seed("text", seed)))


class Stream:
    """A seeded stream of random numbers for everything that is not a secret: sampling tokens, drawing prompts.

    >>> stream = Stream(1, "prompts", 7)
    >>> stream.uniform() == Stream(1, "prompts", 7).uniform()
    True
    """

    def __init__(self, seed, *labels):
        self._labels, self._at, self._block, self._random = (seed, *labels), 0, 0, None

    def uint32(self):
        # one seed gives a permutation of the 32-bit integers; a new one after 2^20 words stays far from its end
        if self._at % (1 << 20) == 0:
            self._random = Random(round_keys(label_seed("stream", *self._labels, self._block)))
            self._block += 1
            self._at = 0
        self._at += 1
        return self._random.uint32(self._at - 1)

    def uniform(self):
        high = self.uint32()
        return to_uniform(high, self.uint32())

    def below(self, n):
        limit = 2**32 - 2**32 % n
        while True:
            word = self.uint32()
            if word < limit:
                return word % n


