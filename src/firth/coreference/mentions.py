"""Mentions of a document: their heads, whether they are names, common nouns or pronouns, and what they agree in.

Heads come from the dependency tree where a sentence has one: the head of a mention is the word whose own head lies
outside. Without trees it is the last word before the first preposition, relative word or comma. Gender, number and
animacy come from `firth.coreference.word_lists`, which are English; "" stands for unknown.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from firth.coreference import word_lists as lists
from firth.documents.document import Document, Span, check_document

KINDS = ("name", "noun", "pronoun")
_POSSESSIVE_ENDS = ("'s", "’s", "'", "’")


@dataclass(frozen=True)
class Mention:
    """A mention with the properties of its words.

    Attributes:
        start: number of its first token in the document, from 0.
        end: number of the token after its last.
        sentence: number of its sentence, from 0.
        words: its tokens in lower case.
        head: its head in lower case.
        head_token: number of the head in the document.
        kind: "name", "noun" or "pronoun".
        group: group of a pronoun, such as "he" of "his"; else "".
        person: 1, 2 or 3; 3 for names and nouns, 0 where a pronoun has none.
        number: "singular", "plural" or "".
        gender: "male", "female", "neuter" or "".
        animacy: "animate", "inanimate" or "".
    """

    start: int
    end: int
    sentence: int
    words: tuple[str, ...]
    head: str
    head_token: int
    kind: str
    group: str
    person: int
    number: str
    gender: str
    animacy: str

    @property
    def span(self) -> Span:
        """Its first token and the one after its last."""
        return self.start, self.end

    @property
    def text(self) -> str:
        """Its words in lower case, with spaces between them."""
        return " ".join(self.words)


def read_mentions(document: Document, spans: Iterable[Span] | None = None) -> list[Mention]:
    """Return mentions in the order of the text, the longer of two with one start first.

    Args:
        spans: of the mentions; None for those of the document's chains.
    """
    check_document(document)
    chosen = document.mentions if spans is None else sorted(set(spans), key=lambda span: (span[0], -span[1]))
    sentence_of = [number for number, sentence in enumerate(document.sentences) for _ in sentence.words]
    heads = [head for sentence in document.sentences for head in sentence.heads or (0,) * len(sentence)]
    tags = [tag for sentence in document.sentences for tag in sentence.tags]
    return [_mention(document, span, sentence_of[span[0]], heads, tags) for span in chosen]


def agree(first: Mention, second: Mention) -> bool:
    """Return whether number, gender and animacy of two mentions may be those of one referent; unknown ones may."""
    if {first.number, second.number} == {"singular", "plural"}:
        group = first if first.number == "singular" else second
        if group.head not in lists.GROUP:
            return False
    if first.gender and second.gender and first.gender != second.gender:
        return False
    return not (first.animacy and second.animacy and first.animacy != second.animacy)


def _mention(document: Document, span: Span, sentence: int, heads: Sequence[int], tags: Sequence[str]) -> Mention:
    start, end = span
    tokens = document.tokens[start:end]
    words = tuple(token.lower() for token in tokens)
    at = start + _head(words, [heads[token] for token in range(start, end)], start - document.sentence_starts[sentence])
    head = document.tokens[at].lower()
    pronoun = lists.PRONOUNS.get(words[0]) if len(words) == 1 else None
    if pronoun is not None:
        return Mention(start, end, sentence, words, head, at, "pronoun", *pronoun)
    kind = _kind(document.tokens[at], tags[at], at == document.sentence_starts[sentence])
    number, gender, animacy = _agreement(words, words[: at - start + 1], kind)
    return Mention(start, end, sentence, words, head, at, kind, "", 3, number, gender, animacy)


def _head(words: Sequence[str], heads: Sequence[int], offset: int) -> int:
    """Return the number in the mention of its head; `heads` count from 1 in the sentence, 0 for none."""
    inside = range(offset + 1, offset + len(words) + 1)
    if any(heads):
        outside = [number for number, head in enumerate(heads) if head not in inside]
        if outside:
            return outside[0]
    last = next((number for number, word in enumerate(words) if number and word in lists.AFTER_HEAD), len(words)) - 1
    while last > 0 and (words[last] in _POSSESSIVE_ENDS or not words[last][0].isalnum()):
        last -= 1
    return last


def _kind(head: str, tag: str, first: bool) -> str:
    if tag != "_":
        return "name" if tag == "PROPN" else "noun"
    # The first word of a sentence is always written with a capital.
    is_name = head.lower() in lists.MALE_NAMES or head.lower() in lists.FEMALE_NAMES
    capital = head[:1].isupper() and (is_name or not first)
    return "name" if capital else "noun"


def _agreement(words: Sequence[str], before: Sequence[str], kind: str) -> tuple[str, str, str]:
    """Return number, gender and animacy; `before` are the words up to the head."""
    head, kept_words = before[-1], [word for word in before if word not in lists.POSSESSIVE]
    # A possessor is another referent: "Mrs. Reed 's brother".
    cut = next((n for n in range(len(kept_words) - 1, -1, -1) if kept_words[n] in _POSSESSIVE_ENDS), -1)
    own = set(kept_words[cut + 1 :])
    male, female = bool(own & lists.MALE), bool(own & lists.FEMALE)
    if kind == "name" and not (male or female):
        male, female = bool(own & lists.MALE_NAMES), bool(own & lists.FEMALE_NAMES)
    gender = "" if male == female else "male" if male else "female"
    animate = bool(gender) or bool(own & lists.PEOPLE)
    plural = head in lists.PLURAL or (
        kind == "noun" and head.endswith("s") and not head.endswith(("ss", "us", "is")) and len(head) > 3
    )
    plural = plural or "and" in words
    unknown = kind == "name" or head in lists.GROUP
    return "plural" if plural else "" if unknown and not gender else "singular", gender, "animate" if animate else ""
