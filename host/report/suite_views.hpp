// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "host/report/tables.hpp"

namespace mediarig::report {

/// Of a suite's passes on one device under one format, which are all of one job; nullptr where there are none.
[[nodiscard]] const workload::JobSpec* job_of(const store::CampaignView& campaign, const Subject& subject,
                                              const std::string& suite);

/// Whether a process (FUSE) served the file system that the device had under this format.
[[nodiscard]] bool served_by_process(const store::DeviceView& device, const std::string& format);

/// What a suite makes of its own numbers (suites::Suite::view), a table for each device and format.
[[nodiscard]] std::vector<Table> views_of(const store::CampaignView& campaign, const Figures& figures,
                                          const std::string& suite);

} // namespace mediarig::report
