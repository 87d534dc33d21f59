// SPDX-License-Identifier: GPL-3.0-or-later
/// What makes no sense is refused before anything is written.
#pragma once

#include <optional>

#include "host/workload/backing_device.hpp"
#include "host/workload/spec.hpp"

namespace mediarig::workload {

/// Fails with bad_request, naming the cell. `sectors` as the device says, nothing where that is unknown.
[[nodiscard]] Result<void> check_sweep(const JobSpec& job, std::optional<BackingDevice::Sectors> sectors);
[[nodiscard]] Result<void> check_verify(const JobSpec& job, std::optional<BackingDevice::Sectors> sectors);
[[nodiscard]] Result<void> check_mix(const JobSpec& job, std::optional<BackingDevice::Sectors> sectors);
[[nodiscard]] Result<void> check_files(const JobSpec& job);

} // namespace mediarig::workload
