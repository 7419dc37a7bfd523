"""Search over scores: what to write next, for every model that generates. NumPy only; no parameters live here."""
