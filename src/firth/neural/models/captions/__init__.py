"""Caption models: texts for feature vectors or grids of them."""
