# SPDX-License-Identifier: GPL-3.0-or-later
"""check_by_schema.py SCHEMA PLANS: "good" or "bad" for each line of PLANS. Exit 77: no validator on this machine."""
import json
import sys

try:
    import jsonschema
except ImportError:
    sys.exit(77)

with open(sys.argv[1], encoding="utf-8") as file:
    schema = json.load(file)
jsonschema.Draft7Validator.check_schema(schema)
validator = jsonschema.Draft7Validator(schema)
with open(sys.argv[2], encoding="utf-8") as file:
    for line in file:
        print("good" if validator.is_valid(json.loads(line)) else "bad")
