// SPDX-License-Identifier: GPL-3.0-or-later
/// Formats a claimed medium by a FormatSpec: checks, wipes, writes a partition table if requested, makes one file
/// system, reads it back.
#pragma once

#include "host/media/format/linux/formatters.hpp"
#include "host/media/format/partition/linux/medium_view.hpp"

namespace mediarig::media {

/// Makes all possible checks before the first write. If nothing was written, fails with no_driver (tool missing; names
/// the package), bad_request (impossible parameter, medium too small), refused (the claim is no longer valid, or
/// another process holds the medium). Later failures: no_medium, io_failed (also if another process holds a partition),
/// timed_out, cancelled.
[[nodiscard]] Result<FormatReport> format_medium(ErasableMedium& medium, Discovery& discovery,
                                                 const Formatters& formatters, const FormatSpec& spec,
                                                 const ToolSetting& setting = {}, const ViewAccess& access = {});

/// A view of the medium as a target for formatters and checkers.
[[nodiscard]] FormatTarget format_target(const ErasableMedium& medium, const MediumView& view);

} // namespace mediarig::media
