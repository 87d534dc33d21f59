// SPDX-License-Identifier: GPL-3.0-or-later
/// A claimed medium made into what a FormatSpec says: checked, wiped, with or without a partition table, one file
/// system, read back.
#pragma once

#include "host/media/format/linux/formatters.hpp"
#include "host/media/format/partition/linux/medium_view.hpp"

namespace mediarig::media {

/// Everything that can be known is looked at before anything is written. Fails with no_driver (tool missing; names the
/// package), bad_request (impossible parameter, medium too small), refused (the claim does not hold any more, or
/// somebody holds the medium): then nothing was written. Later with no_medium, io_failed (somebody holds a partition,
/// too), timed_out, cancelled.
[[nodiscard]] Result<FormatReport> format_medium(ErasableMedium& medium, Discovery& discovery,
                                                 const Formatters& formatters, const FormatSpec& spec,
                                                 const ToolSetting& setting = {}, const ViewAccess& access = {});

/// What a view of the medium is to formatters and checkers.
[[nodiscard]] FormatTarget ground_of(const ErasableMedium& medium, const MediumView& view);

} // namespace mediarig::media
