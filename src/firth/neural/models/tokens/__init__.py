"""Sentences as words: what taggers and parsers read."""
