"""Shared compiled bricks: arrays in, arrays out."""
