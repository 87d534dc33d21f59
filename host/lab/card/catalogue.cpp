// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/card/catalogue.hpp"

#include <fmt/format.h>

#include <vector>

#include "host/base/json/reader.hpp"
#include "host/base/json/source.hpp"
#include "host/base/json/suggest.hpp"

namespace mediarig::lab {
namespace {

Result<std::string> text_of(const std::string& path) {
    return strict_json::read_file(path).map_error([](const Error& error) {
        return Error{Errc::bad_request, error.detail + ": name the file of a card model"};
    });
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
