"""Training on several machines: workers that own shards, and what they tell one another."""
