"""Coreference: mention pairs, mention ranking, cluster merging, and end-to-end spans."""
