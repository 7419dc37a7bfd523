"""Training on several machines: workers that own shards, and their messages."""
