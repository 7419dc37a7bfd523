"""From raw text to trees: a tokeniser, a tagger and a parser that one treebank trains."""
