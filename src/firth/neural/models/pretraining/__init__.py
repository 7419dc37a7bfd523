"""Contextual encoders that learn from raw text: masked, replaced-token and corrective language modelling."""
