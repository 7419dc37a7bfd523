"""Variational autoencoders: sentences as latent codes."""
