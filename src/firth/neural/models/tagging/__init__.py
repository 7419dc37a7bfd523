"""Tags of words: parts of speech, entities, chunks."""
