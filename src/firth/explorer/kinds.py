"""Classes of models that addresses need, as "module:class", so that none is imported before it is needed."""

WORD_VECTORS = "firth.vectors.word_vectors:WordVectors"
SUBWORD_VECTORS = "firth.vectors.subword_vectors:SubwordVectors"
DOCUMENT_VECTORS = "firth.vectors.document_vectors:DocumentVectors"
SENSE_VECTORS = "firth.vectors.sense_vectors:SenseVectors"
CORPUS = "firth.corpus.encoded:Corpus"
TEXT_SPACE = "firth.explorer.text_space:TextSpace"
CLASSIFIER = "firth.classify.classifier:Classifier"
LABEL_MODEL = "firth.neural.models.classification.predict:LabelModel"
LANGUAGE_MODEL = "firth.language.model:LanguageModel"
NEURAL_LANGUAGE_MODEL = "firth.neural.models.language.predict:NeuralLanguageModel"
PRETRAINED_ENCODER = "firth.neural.models.pretraining.encoder_model:PretrainedEncoder"
SENTENCE_ENCODER = "firth.neural.models.sentences.predict:SentenceEncoder"
CONTEXT_MODEL = "firth.neural.models.context2vec.predict:ContextModel"
TAGGER = "firth.neural.models.tagging.predict:TaggerModel"
PARSER = "firth.neural.models.parsers.predict:ParserModel"
CHAINS = (
    "firth.neural.models.coreference.predict:CoreferenceModel",
    "firth.neural.models.coreference.predict:SpanCoreferenceModel",
)
TRANSLATOR = "firth.neural.models.translation.predict:TranslationModel"
SUMMARIZER = "firth.neural.models.summaries.predict:SummaryModel"
READER = "firth.neural.models.reading.predict:ReadingModel"

WORDS = (WORD_VECTORS, SUBWORD_VECTORS)
TEXT_ENCODERS = (DOCUMENT_VECTORS, CLASSIFIER, LABEL_MODEL, PRETRAINED_ENCODER, SENTENCE_ENCODER)
LABELS = (CLASSIFIER, LABEL_MODEL)
SUBSTITUTES = (PRETRAINED_ENCODER, CONTEXT_MODEL)
EXPLAINED = (*LABELS, NEURAL_LANGUAGE_MODEL)
