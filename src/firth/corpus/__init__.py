"""Tokens to an encoded corpus on disk: readers and the memory-mapped folder."""
