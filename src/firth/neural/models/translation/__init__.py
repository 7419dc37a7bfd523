"""Translation: encoder-decoders from texts to texts."""
