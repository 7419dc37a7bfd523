"""Several vectors a word, one a sense: found in contexts, in vectors, or in a dictionary."""
