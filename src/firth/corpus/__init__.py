"""From text sources to an encoded corpus: token ids in a memory-mapped folder."""
