"""The next word of a language model as a function of the words before it, for `firth.explain`."""

from typing import Any

import torch

from firth.errors import OptionError, brief
from firth.inference.scorer import words_of
from firth.language.generation import TextGenerator
from firth.neural.explainable import EmbeddedText


def explainable_text(model: Any, text: str, target: str | None) -> EmbeddedText:
    """Return a text as attribution methods need it.

    The tokens are those of the text, after the token that stands before every text (the end of the sentence before).

    Args:
        model: a `NeuralLanguageModel`.
        text: the beginning of a text.
        target: the next token; None for the most probable one.

    Raises:
        OptionError: the text is empty, the target is not in the vocabulary, or the output layer gives no probabilities.
    """
    module, words = model.module, model.vocabulary.words
    if not module.output.normalised:
        raise OptionError(f"output={model.options.output!r} gives scores, not probabilities: nothing can be explained")
    prompt = TextGenerator.of(model).prompt(text)
    if not len(prompt):
        raise OptionError(f"text={brief(text)}: expected at least one word")
    (inputs,), unknown = model.prompt_inputs([prompt])
    ids = torch.tensor([module.bos, *inputs], device=model.device)

    def log_probs(ids: torch.Tensor) -> torch.Tensor:
        result: torch.Tensor = module.output.log_prob(module(ids, None, unknown)[0][:, -1])
        return result

    number = _number(model, target) if target is not None else None
    if number is None:
        with torch.no_grad():
            number = int(log_probs(ids[None])[0].argmax())
    tokens = [words[module.bos], *(words_of(prompt) or [words[i] for i in prompt])]
    return EmbeddedText(
        module, [module.embedding], ids, tokens, words[number], lambda ids: log_probs(ids)[:, number], from_last=True
    )


def _number(model: Any, target: str) -> int:
    if target not in model.vocabulary:
        raise OptionError(
            f"target={brief(target)}: not one of the model's {len(model.vocabulary):,} {model.rules.unit}"
        )
    return int(model.vocabulary.ids[target])
