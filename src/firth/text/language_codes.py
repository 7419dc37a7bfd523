"""Codes of languages."""

import re

from firth.errors import OptionError, brief


def language_code(language: str) -> str:
    """Return a code of a language in lower case and without what follows it: "pt" for "pt-BR" and "PT".

    Raises:
        OptionError: it is no code, such as "German".
    """
    match = re.match(r"([a-z]{2,3})(?:[-_]|$)", language.lower()) if isinstance(language, str) else None
    if match is None:
        raise OptionError(f"language={brief(language)}: expected a code of ISO 639, such as 'de' for German, or 'tr'")
    return match[1]
