from firth.text.augmentations import Synonyms as Synonyms
from firth.text.augmentations import chain as chain
from firth.text.augmentations import reorder as reorder
from firth.text.byte_pairs import BytePairEncoding as BytePairEncoding
from firth.text.fingerprints import fingerprint as fingerprint
from firth.text.fingerprints import passage_fingerprints as passage_fingerprints
from firth.text.running_text import sentences_and_tokens as sentences_and_tokens
from firth.text.sentence_ends import sentence_spans as sentence_spans
from firth.text.sentence_ends import split_sentences as split_sentences
from firth.text.tokenise import unicode_tokens as unicode_tokens

__all__: list[str]
