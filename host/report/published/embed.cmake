# SPDX-License-Identifier: GPL-3.0-or-later
# Writes OUTPUT: the JSON FILE as the text that tables.cpp parses.
file(READ ${FILE} text)
file(WRITE ${OUTPUT} "// Made by published/embed.cmake; do not edit.
namespace mediarig::published {
const char* tables_text();
const char* tables_text() { return R\"json(${text})json\"; }
} // namespace mediarig::published
")
