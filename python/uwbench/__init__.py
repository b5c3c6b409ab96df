"""Unbiased language-model watermarks in Python, bit-exact with the TypeScript package uwbench."""

from .methods import METHODS, Watermark, watermark
from .processor import LogitsProcessor, Sampler
from .text import Embedder, embedder, randomness, scores

__version__ = "0.2.0"

__all__ = [
    "METHODS",
    "Embedder",
    "LogitsProcessor",
    "Sampler",
    "Watermark",
    "embedder",
    "randomness",
    "scores",
    "watermark",
]
