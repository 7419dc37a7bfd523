"""Time the import of one library, the interpreter's own start apart; with a second argument, of all it exports too."""

import importlib
import json
import sys
import time

start = time.perf_counter()
library = importlib.import_module(sys.argv[1])
if sys.argv[2:] == ["all"]:
    for name in library.__all__:
        getattr(library, name)
print(json.dumps({"seconds": time.perf_counter() - start}))
