// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/json/fault.hpp"

#include <fmt/format.h>

namespace mediarig::codec {
namespace {

std::string joined(const Path& path) {
    std::string text = path.parent == nullptr ? std::string() : joined(*path.parent);
    if (path.index) return text + fmt::format("[{}]", *path.index);
    if (!text.empty() && !path.name.empty()) text += '.';
    return text += path.name;
}

} // namespace

std::string Path::text() const {
    std::string whole = joined(*this);
    return whole.empty() ? "message" : whole;
}

void Fault::say(const Path& at, std::string_view why) {
    if (none()) detail_ = fmt::format("{}: {}", at.text(), why);
}

} // namespace mediarig::codec
