from firth.neural.layers.contrastive import alignment as alignment
from firth.neural.layers.contrastive import uniformity as uniformity
from firth.neural.layers.embedding import WordEmbedding as WordEmbedding
from firth.neural.layers.scheduled_sampling import FeedingOptions as FeedingOptions
from firth.neural.layers.scheduled_sampling import inverse_sigmoid_share as inverse_sigmoid_share
from firth.neural.layers.scheduled_sampling import scheduled_scores as scheduled_scores
from firth.neural.models.language.language_model import language_task as language_task
from firth.neural.models.lattices.lattice_lm import lattice_task as lattice_task
from firth.neural.models.lattices.module import frequent_chunks as frequent_chunks
from firth.neural.models.sentences.predict import SentenceEncoder as SentenceEncoder
from firth.neural.models.tagging.tag_set import learn_tag_set as learn_tag_set
from firth.neural.training.batching import Buckets as Buckets
from firth.neural.training.devices import new_module as new_module
from firth.neural.training.loop import fit as fit
from firth.neural.training.options import RunConfig as RunConfig
from firth.neural.training.schedules import TrainingProgress as TrainingProgress
from firth.neural.training.task import StepOutput as StepOutput

__all__: list[str]
