# SPDX-License-Identifier: GPL-3.0-or-later
# Writes OUTPUT: the JSON FILES as an array of names and texts.
set(entries "")
foreach(file ${FILES})
    get_filename_component(name ${file} NAME_WE)
    file(READ ${file} text)
    string(APPEND entries "    CatalogueEntry{\"${name}\", R\"json(${text})json\"},\n")
endforeach()
list(LENGTH FILES count)
file(WRITE ${OUTPUT} "// Made by catalogue/embed.cmake.
#include \"host/lab/card/catalogue.hpp\"

namespace mediarig::lab {
namespace {
constexpr CatalogueEntry entries[${count}]{
${entries}};
} // namespace
std::span<const CatalogueEntry> catalogue() { return entries; }
} // namespace mediarig::lab
")
