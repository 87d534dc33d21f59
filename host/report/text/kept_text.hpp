// SPDX-License-Identifier: GPL-3.0-or-later
/// Data of an earlier test that were read back, as text. Pure.
#pragma once

#include <chrono>
#include <string>

#include "host/workload/outcome.hpp"
#include "host/workload/payload/h2w.hpp"

namespace mediarig::report {

/// `present`: device_key of the medium that was read; empty if it is unknown.
[[nodiscard]] std::string kept_text(const workload::KeptData& kept, const std::string& present,
                                    std::chrono::sys_seconds now, unsigned width);
[[nodiscard]] std::string h2w_text(const workload::H2wReport& files, std::chrono::sys_seconds now, unsigned width);

} // namespace mediarig::report
