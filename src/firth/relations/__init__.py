"""How two words are related beyond being alike: antonyms."""
