"""Summaries: encoder-decoders that copy."""
