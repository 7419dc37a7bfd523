"""Latent predictor networks: texts of generated characters and copied fields."""
