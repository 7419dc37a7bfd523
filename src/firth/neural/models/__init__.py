"""Models: options, module, loss and prediction of each in one file."""
