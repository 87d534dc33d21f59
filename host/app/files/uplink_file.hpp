// SPDX-License-Identifier: GPL-3.0-or-later
/// Measured throughput of uplinks, in "uplinks.json" next to the store.
#pragma once

#include <filesystem>
#include <vector>

#include "host/base/result.hpp"
#include "host/campaign/resources/transfers.hpp"
#include "host/campaign/resources/uplink/ceilings.hpp"
#include "host/campaign/resources/uplink/meter.hpp"
#include "host/store/record.hpp"

namespace mediarig::app {

[[nodiscard]] std::filesystem::path uplink_file(const std::filesystem::path& store);

/// Returns no values if the file is missing. Fails with bad_request (names the fault), io_failed.
[[nodiscard]] Result<std::vector<uplink::Ceiling>> load_ceilings(const std::filesystem::path& store);
/// Returns the values of this machine, by uplink.
[[nodiscard]] std::map<std::string, double> ceilings_of(const std::vector<uplink::Ceiling>& all,
                                                        const std::string& machine);
/// Stores the measured values, which replace earlier values of the same uplinks. Fails like load_ceilings() and
/// write_text().
[[nodiscard]] Result<void> keep_ceilings(const std::filesystem::path& store, const std::string& machine,
                                         const std::vector<uplink::MeasuredCeiling>& measured, store::TimePoint now);

} // namespace mediarig::app
