// SPDX-License-Identifier: GPL-3.0-or-later
/// Filling the span before it is measured: every byte written once, in order, the same way on each file system. Space
/// that was only reserved would be read back without touching the medium.
#pragma once

#include "host/result.hpp"
#include "host/workload/io_errors.hpp"
#include "host/workload/job.hpp"
#include "host/workload/medium_file.hpp"
#include "host/workload/payload.hpp"

namespace mediarig::workload {

/// Writes the first `span` bytes of `file` in transfers of 1 MiB. Falls back from O_DIRECT where the driver accepts the
/// flag but not the transfer. False when errors said stop or the control says cancel; fails with io_failed on lack of
/// memory, and as the permit does.
[[nodiscard]] Result<bool> lay_out(MediumFile& file, Bytes span, const PayloadSource& payload, IoErrors& errors,
                                   JobControl& control);

} // namespace mediarig::workload
