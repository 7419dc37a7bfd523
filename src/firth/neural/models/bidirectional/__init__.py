"""Bidirectional language models: a forward and a backward one over the same characters."""
