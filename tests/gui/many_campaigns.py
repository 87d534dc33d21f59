#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""many_campaigns.py STORE COUNT: copies the first campaign of a store, with its devices and passes, until there are
COUNT of them; the devices of the copies belong to the lots "lot-0" to "lot-9" in turn."""
import sqlite3
import sys

store, count = sys.argv[1], int(sys.argv[2])
sql = sqlite3.connect(store)
sql.execute("CREATE TEMP TABLE copy AS WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < ?) "
            "SELECT n, printf('01936b00-0000-7000-8000-%012x', n) AS id FROM c", (count - 1,))
sql.execute("CREATE UNIQUE INDEX copy_by_id ON copy (id)")


def copies(table, changed, source):
    columns = [row[1] for row in sql.execute(f"PRAGMA table_info({table})") if row[1] not in ("number",)]
    columns = [name for name in columns if not (name == "id" and table != "campaign")]
    values = [changed.get(name, f"original.{name}") for name in columns]
    sql.execute(f"INSERT INTO {table} ({', '.join(columns)}) SELECT {', '.join(values)} FROM {source}")


first = "(SELECT id FROM campaign WHERE number = 1)"
copies("campaign", {"id": "copy.id", "name": "'copy ' || copy.n"}, "copy, campaign AS original WHERE original.number = 1")
copies("device", {"campaign": "copy.id", "lot": "'lot-' || (copy.n % 10)"},
       f"copy, device AS original WHERE original.campaign = {first}")
copies("pass", {"campaign": "copy.id",
                "device": "(SELECT mine.id FROM device AS mine JOIN device AS theirs ON theirs.id = original.device "
                          "WHERE mine.campaign = copy.id AND mine.key = theirs.key)"},
       f"copy, pass AS original WHERE original.campaign = {first}")
sql.commit()
