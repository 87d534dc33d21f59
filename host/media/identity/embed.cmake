# SPDX-License-Identifier: GPL-3.0-or-later
# Writes OUTPUT: the JSON FILE as the text that manufacturers.cpp parses.
file(READ ${FILE} text)
file(WRITE ${OUTPUT} "// Made by identity/embed.cmake; do not edit.
#include \"host/media/identity/manufacturers.hpp\"

namespace mediarig::media::detail {
const char* manufacturers_text() { return R\"json(${text})json\"; }
} // namespace mediarig::media::detail
")
