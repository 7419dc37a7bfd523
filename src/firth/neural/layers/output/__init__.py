"""The output slot: hidden vectors to words, in seven kinds behind one face."""
