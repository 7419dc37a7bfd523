"""Words of scripts without spaces between them, which ICU divides by its dictionaries.

Thai, Lao, Khmer, Burmese, Chinese and Japanese. ICU has a dictionary of each and divides a text into the most frequent
words that fill it; what is in no dictionary, such as a name, may become several words. It has none for Tibetan.

Source: ICU, Boundary Analysis, "Dictionary-based BreakIterator", by way of the package icu4py, whose wheels hold ICU:
of what `pip install` finds without a compiler it is the one that serves all these scripts. The packages of single
languages (PyThaiNLP, LaoNLP, khmer-nltk, fugashi, jieba) may be better at theirs: pass their functions.
"""

import re

from firth.errors import MissingExtraError

DIVIDED = ("Thai", "Lao", "Burmese", "Khmer")  # names of scripts whose words firth does not divide without a dictionary
RUNS = re.compile(
    "["
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e50-\u0e59"  # Thai
    "\u0e81-\u0eff"  # Lao
    "\u1000-\u1049\u1050-\u109f\ua9e0-\ua9fe\uaa60-\uaa7f"  # Burmese
    "\u1780-\u17d3\u17d7\u17dc\u17dd\u17e0-\u17e9"  # Khmer
    "\u3005-\u3007\u3041-\u3096\u3099\u309a\u309d\u309e\u30a1-\u30fa\u30fc-\u30fe\u31f0-\u31ff"  # Kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
    "]+"
)


def divided(run: str) -> list[str]:
    """Return the words of a run of characters of these scripts."""
    try:
        from icu4py.breakers import WordBreaker
    except ImportError as error:
        raise MissingExtraError("icu4py", "segment", "divide text without spaces into words") from error
    return list(WordBreaker(run, "und"))
