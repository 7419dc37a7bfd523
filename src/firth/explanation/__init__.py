"""Which words of a text a model's answer comes from: attributions of several kinds, and how far they agree."""
