"""Neural lattice language models: texts whose segmentation into chunks is summed over."""
