"""Words and punctuation marks that can be joined to the text again.

What: words are runs of letters and digits, with hyphens, apostrophes and points inside; every other visible character
    is a token of its own. A token that stands next to another without a space carries the mark `￭` on that side; of a
    word and a punctuation mark it is the latter that carries it, so that a word has one form wherever it stands.
Objective: join_marked(split_marked(text)) is the text, with runs of white space as one space.
Source: the joiner annotation of OpenNMT's tokenizer.
Departures: none that matters for text without the mark itself, which is read as a space.
Cost: one pass of a regular expression.
"""

import re
from collections.abc import Iterable

JOINER = "￭"
_TOKEN = re.compile(r"\w+(?:['’.\-]\w+)*|[^\w\s]")


def split_marked(text: str) -> list[str]:
    """Return the tokens of a text.

    >>> split_marked("Don't (ever) say 3.5!")
    ["Don't", '(￭', 'ever', '￭)', 'say', '3.5', '￭!']
    """
    text = text.replace(JOINER, " ")
    tokens = list[str]()
    end, is_word = -1, False  # of the token before
    for match in _TOKEN.finditer(text):
        token, word = match[0], _is_word(match[0])
        if match.start() == end:
            if word and not is_word:
                tokens[-1] += JOINER
            else:
                token = JOINER + token
        tokens.append(token)
        end, is_word = match.end(), word
    return tokens


def join_marked(tokens: Iterable[str]) -> str:
    """Return the text of tokens.

    >>> join_marked(["(￭", "yes", "￭)", "￭!"])
    '(yes)!'
    """
    parts = list[str]()
    joined = True
    for token in tokens:
        if not joined and not token.startswith(JOINER):
            parts.append(" ")
        joined = token.endswith(JOINER)
        parts.append(token.strip(JOINER))
    return "".join(parts)


def _is_word(token: str) -> bool:
    return token[0].isalnum() or token[0] == "_" or len(token) > 1
