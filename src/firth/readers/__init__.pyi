from firth.readers.brackets import bracketed as bracketed
from firth.readers.brackets import parse_bracketed as parse_bracketed
from firth.readers.brackets import read_bracketed as read_bracketed
from firth.readers.brown import read_brown as read_brown
from firth.readers.columns import read_columns as read_columns
from firth.readers.conllu import DependencySentence as DependencySentence
from firth.readers.conllu import read_conllu as read_conllu
from firth.readers.conllu import write_conllu as write_conllu
from firth.readers.gap import GapExample as GapExample
from firth.readers.gap import read_gap as read_gap
from firth.readers.labelled_sentences import read_labelled_sentences as read_labelled_sentences
from firth.readers.questions import Answer as Answer
from firth.readers.questions import Question as Question
from firth.readers.questions import read_questions as read_questions
from firth.readers.questions import write_questions as write_questions
from firth.readers.scored_pairs import read_scored_pairs as read_scored_pairs
from firth.readers.sentence_pairs import read_sentence_pairs as read_sentence_pairs
from firth.readers.sentence_pairs import read_split_pairs as read_split_pairs
from firth.readers.text_groups import TextGroup as TextGroup
from firth.readers.text_groups import entailed_groups as entailed_groups
from firth.readers.tree import Tree as Tree
from firth.readers.tree import check_words as check_words
from firth.readers.words_in_context import read_sense_key as read_sense_key
from firth.readers.words_in_context import read_words_in_context as read_words_in_context

__all__: list[str]
