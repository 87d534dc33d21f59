// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/card/catalogue.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "host/strict_json/faults.hpp"
#include "host/strict_json/source.hpp"
#include "host/strict_json/suggest.hpp"

namespace mediarig::lab {
namespace {

Result<std::string> text_of(const std::string& path) {
    std::error_code unknown;
    // A device may never end, and a FIFO never begin.
    if (std::filesystem::exists(path, unknown) && !std::filesystem::is_regular_file(path, unknown))
        return fail(Errc::bad_request, fmt::format("{} is not a regular file: name the file of a card model", path));
    std::ifstream file(path, std::ios::binary);
    std::string text;
    if (file) {
        text.resize(strict_json::largest_text + 1);
        file.read(text.data(), static_cast<std::streamsize>(text.size()));
        text.resize(static_cast<std::size_t>(file.gcount()));
    }
    if (!file.eof() && text.size() <= strict_json::largest_text)
        return fail(Errc::bad_request, fmt::format("cannot read the card model {}", path));
    if (text.size() > strict_json::largest_text)
        return fail(Errc::bad_request, fmt::format("{} is too large for a card model", path));
    return text;
}

} // namespace

Result<std::string> find_card_config(const std::string& name_or_file) {
    if (name_or_file.find('/') != std::string::npos || name_or_file.ends_with(".json")) return text_of(name_or_file);
    std::vector<std::string_view> names;
    for (const CatalogueEntry& entry : catalogue()) {
        if (entry.name == name_or_file) return std::string(entry.text);
        names.push_back(entry.name);
    }
    return fail(Errc::bad_request, fmt::format("no card model is named \"{}\"{}", strict_json::excerpt(name_or_file),
                                               strict_json::hint(name_or_file, names)));
}

} // namespace mediarig::lab
