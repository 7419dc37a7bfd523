from firth.language.comparison import compare_models as compare_models
from firth.language.text import UNK as UNK
from firth.language.text import held_out_text as held_out_text
from firth.language.text import training_text as training_text

__all__: list[str]
