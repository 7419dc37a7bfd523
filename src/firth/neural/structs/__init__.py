"""Sums over all structures of one kind: tag sequences, segmentations, dependency trees."""
