"""British and American spellings: commands, flags and metrics are known by both."""

import re

_SPELLINGS = {"neighbor": "neighbour", "center": "centre", "color": "colour", "summaris": "summariz"} | {
    f"{stem}iz": f"{stem}is"
    for stem in ("categor", "equal", "factor", "initial", "neutral", "normal", "optim", "quant", "token")
}
_OTHER_SPELLING = re.compile("|".join(_SPELLINGS))


def one_spelling(name: str) -> str:
    """Return a command or flag in firth's spelling: `optimiser` for `optimizer`, `clip-norm` for `clip_norm`."""
    return _OTHER_SPELLING.sub(lambda match: _SPELLINGS[match[0]], name.replace("_", "-"))
