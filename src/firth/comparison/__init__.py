"""Several models of one corpus, trained and judged alike, side by side."""
