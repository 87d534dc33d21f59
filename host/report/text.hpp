// SPDX-License-Identifier: GPL-3.0-or-later
/// Text from people and media, made safe for where it is going. A medium may call itself anything.
#pragma once

#include <string>
#include <string_view>

#include "host/text.hpp"

namespace mediarig::report {

/// printable(), with & < > " ' as entities: fit for HTML text and quoted attributes.
[[nodiscard]] std::string html_escaped(std::string_view text);

} // namespace mediarig::report
