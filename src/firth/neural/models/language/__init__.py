"""Neural language models."""
