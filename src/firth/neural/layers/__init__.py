"""One idea a file: tensors in, tensors out, flat keyword arguments; no tasks, vocabularies or devices."""
