"""Indexes for nearest neighbour search with one interface: exact, hyperplane hashing (LSH) or HNSW graphs."""
