"""Judge vectors of any make with firth's own measures."""

import json
import sys

import firth

options = json.loads(sys.argv[1])
report = firth.evaluate(firth.load(options["vectors"]), data=options["data"])
print(json.dumps({"rows": [json.loads(line) for line in report.to_json().splitlines()]}))
