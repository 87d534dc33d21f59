// SPDX-License-Identifier: GPL-3.0-or-later
/// The formatters of this build, and the selection of one formatter.
#pragma once

#include <memory>
#include <vector>

#include "host/media/format/format.hpp"
#include "host/media/format/linux/tool.hpp"

namespace mediarig::media {

using Formatters = std::vector<std::unique_ptr<Formatter>>;

[[nodiscard]] Formatters make_formatters(const ToolSetting& setting = {});

/// The formatter for `fs`; `formatters` keeps ownership. Fails with no_driver: "not available in this build: …", with
/// the next step for the user.
[[nodiscard]] Result<Formatter*> select_formatter(const Formatters& formatters, FileSystem fs);

} // namespace mediarig::media
