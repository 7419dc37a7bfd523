"""Training with a lagging encoder: many updates of the encoder before each one of the decoder.

What
    A decoder learns to ignore codes while the encoder lags behind: the posterior is then close to the prior, and stays
    there. Aggressive training updates the encoder alone until its loss stops to fall, then the decoder once, and so on,
    until the mutual information of codes and sentences stops to rise. Then both are updated together.
Objective
    The same as without.
Source
    He, Spokoyny, Neubig and Berg-Kirkpatrick 2019, "Lagging inference networks and posterior collapse in variational
    autoencoders", algorithm 1 and section 4.
Departures
    Each update takes the next batch of the epoch; the paper's program draws extra ones, so that its epochs have as many
    updates of the decoder as without. Losses are compared after `WINDOW` updates instead of 15 (10 in the paper).
    An update of the generator in the aggressive phase changes the decoder only, as in algorithm 1.
Cost
    That of usual training per update; the decoder learns later.
"""

import torch

from firth.neural.models.autoencoders.module import SentenceAutoencoder

WINDOW = 5  # updates of the encoder whose mean loss is compared with that of the ones before
# Places in the state, a buffer of the module, so that checkpoints hold it.
PHASE, BEST, UPDATES, NATS, WORDS, BEFORE = range(6)
JUDGED, ENDED = 1.0, 2.0


class LaggingInference:
    """Chooses which part of a module the next update trains."""

    def __init__(self, module: SentenceAutoencoder, most: int) -> None:
        self._module, self._most = module, most

    @property
    def _state(self) -> torch.Tensor:
        return self._module.lagging

    @property
    def aggressive(self) -> bool:
        """Whether the encoder is trained by itself."""
        return bool(self._state[PHASE] != ENDED)

    @property
    def of_encoder(self) -> bool:
        """Whether the next update is one of the encoder alone."""
        return self.aggressive and bool(self._state[UPDATES] >= 0)

    def begin(self) -> None:
        """Let the next update train one part, or both after the aggressive phase."""
        own = set(self._module.encoder.parameters())
        for parameter in self._module.parameters():
            parameter.requires_grad_(not self.aggressive or (parameter in own) == self.of_encoder)

    def record(self, nats: float, words: int) -> None:
        """Count an update with its loss, in sum, over so many words."""
        if not self.aggressive:
            return
        state = self._state
        if not self.of_encoder:
            state[UPDATES:] = 0.0
            return
        state[UPDATES] += 1
        state[NATS] += nats
        state[WORDS] += words
        if state[UPDATES] % WINDOW == 0:
            mean = state[NATS] / state[WORDS]
            if state[UPDATES] >= self._most or (state[BEFORE] and mean >= state[BEFORE]):
                state[UPDATES] = -1.0  # the decoder is next
            state[NATS], state[WORDS], state[BEFORE] = 0.0, 0.0, mean

    def judge(self, information: float) -> None:
        """End the aggressive phase if the mutual information is not above that of the last call."""
        state = self._state
        if state[PHASE] == JUDGED and information <= state[BEST]:
            state[PHASE] = ENDED
        elif state[PHASE] != ENDED:
            state[PHASE], state[BEST] = JUDGED, information

    def end(self) -> None:
        """Let all parameters have gradients again."""
        for parameter in self._module.parameters():
            parameter.requires_grad_(True)
