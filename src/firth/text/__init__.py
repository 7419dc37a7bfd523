"""Raw text to tokens: tokenisers and sentence splitters."""
