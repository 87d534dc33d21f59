// SPDX-License-Identifier: GPL-3.0-or-later
/// The buffer that a recorder needs on a medium, as text. Pure.
#pragma once

#include <optional>
#include <string>

#include "host/store/record.hpp"

namespace mediarig::report {

/// For each pass with a sequential write of at least ten seconds with samples: the highest rate of a recorder for
/// several sizes of its buffer, the buffer that typical recorders need, and the highest speed mark with which the
/// series is consistent. `wanted`: a rate whose buffer is also reported. A sentence if there is no such pass.
[[nodiscard]] std::string recorder_text(const store::CampaignView& campaign, unsigned width,
                                        std::optional<Rate> wanted = {});

} // namespace mediarig::report
