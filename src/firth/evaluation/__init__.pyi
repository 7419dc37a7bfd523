from firth.evaluation.answers import score_answers as score_answers
from firth.evaluation.categorisation import v_measure as v_measure
from firth.evaluation.conll2018 import PipelineScore as PipelineScore
from firth.evaluation.conll2018 import PipelineScores as PipelineScores
from firth.evaluation.conll2018 import score_pipeline as score_pipeline
from firth.evaluation.context import ENCODERS as ENCODERS
from firth.evaluation.context import best_threshold as best_threshold
from firth.evaluation.context import pair_cosines as pair_cosines
from firth.evaluation.context import senses_in_context as senses_in_context
from firth.evaluation.coreference import coreference_intervals as coreference_intervals
from firth.evaluation.coreference import score_coreference as score_coreference
from firth.evaluation.gap import score_gap as score_gap
from firth.evaluation.linear import logistic_path as logistic_path
from firth.evaluation.probing import pair_offsets as pair_offsets
from firth.evaluation.probing import probe as probe
from firth.evaluation.selection import fit_classifier as fit_classifier
from firth.evaluation.selection import stratified_folds as stratified_folds
from firth.evaluation.sense_induction import adjusted_rand as adjusted_rand
from firth.evaluation.sense_induction import paired_f as paired_f
from firth.evaluation.sense_induction import score_sense_induction as score_sense_induction
from firth.evaluation.significance import wilson_interval as wilson_interval
from firth.evaluation.similarity import spearman as spearman
from firth.evaluation.suite import EvaluationOptions as EvaluationOptions
from firth.evaluation.suite import Space as Space
from firth.evaluation.tags import score_tags as score_tags
from firth.evaluation.tfidf import baseline_correct as baseline_correct

__all__: list[str]
