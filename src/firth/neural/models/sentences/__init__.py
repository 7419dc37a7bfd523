"""Sentence encoders that learn from raw text: a module that gives each sentence a vector, and its training."""
