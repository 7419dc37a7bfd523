"""Strings that spaCy numbers by a fixed list instead of by their hash, such as "num", "root" and "mark".

The list is spaCy 3's; it grows at its end only. The number of a string is its place.
"""

_FLAGS = """IS_ALPHA IS_ASCII IS_DIGIT IS_LOWER IS_PUNCT IS_SPACE IS_TITLE IS_UPPER LIKE_URL LIKE_NUM LIKE_EMAIL IS_STOP
IS_OOV_DEPRECATED IS_BRACKET IS_QUOTE IS_LEFT_PUNCT IS_RIGHT_PUNCT IS_CURRENCY"""
_ATTRIBUTES = """ID
ORTH LOWER NORM SHAPE PREFIX SUFFIX LENGTH CLUSTER LEMMA POS TAG DEP ENT_IOB ENT_TYPE HEAD SENT_START
SPACY PROB LANG ADJ ADP ADV AUX CONJ CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X EOL SPACE"""
_LABELS = """PERSON NORP FACILITY ORG GPE LOC PRODUCT EVENT WORK_OF_ART LANGUAGE LAW DATE TIME PERCENT MONEY QUANTITY
ORDINAL CARDINAL acomp advcl advmod agent amod appos attr aux auxpass cc ccomp complm conj cop csubj csubjpass dep det
dobj expl hmod hyph infmod intj iobj mark meta neg nmod nn npadvmod nsubj nsubjpass num number oprd obj obl parataxis
partmod pcomp pobj poss possessive preconj prep prt punct quantmod relcl rcmod root xcomp acl ENT_KB_ID MORPH ENT_ID IDX
_"""

SYMBOLS = [
    "",
    *_FLAGS.split(),
    *(f"FLAG{number}" for number in range(19, 64)),
    *_ATTRIBUTES.split(),
    *(f"DEPRECATED{number:03}" for number in range(1, 277)),
    *_LABELS.split(),
]
NUMBERS = {symbol: number for number, symbol in enumerate(SYMBOLS)}
