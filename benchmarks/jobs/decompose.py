"""Decompose a matrix of PPMI with firth or with SciPy; `error` tells how right the components are."""

import json
import sys
import time

import numpy as np
from scipy.sparse.linalg import svds

import firth
from firth.counts.association import pmi
from firth.counts.factorise import factorise

options = json.loads(sys.argv[1])
corpus = firth.Corpus.build(options["text"], tokens="whitespace", min_count=options["min_count"], progress=False)
counts = firth.Cooccurrence(window=options["window"], max_words=options["max_words"]).count(corpus, progress=False)
matrix = pmi(counts, smoothing=0.75)
factorise(matrix[:200, :200], 5, threads=options["threads"])  # loads what is compiled
start = time.perf_counter()
if options["with"] == "scipy":
    left, values, right = svds(matrix, options["rank"])
    right = right.T
else:
    left, values, right = factorise(matrix, options["rank"], threads=options["threads"])
seconds = time.perf_counter() - start
error = np.linalg.norm(matrix.T @ left - right * values, axis=0).max() / values.max()
print(json.dumps({"seconds": seconds, "cells": int(matrix.nnz), "sum": float(values.sum()), "error": float(error)}))
