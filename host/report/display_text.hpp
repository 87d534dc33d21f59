// SPDX-License-Identifier: GPL-3.0-or-later
/// Figures and names as people read them: MB/s and GB are decimal, KB of block sizes is 2^10 bytes.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "common/units.hpp"
#include "host/store/record.hpp"
#include "host/text.hpp"
#include "host/workload/names.hpp"

namespace mediarig::report {

/// "S.Read", "S.Write", "R.Read", "R.Write": the columns of a block-size table.
[[nodiscard]] std::string_view column_title(workload::Access access);
/// "sequential read", …
[[nodiscard]] std::string_view text_for(workload::Access access);
/// What a medium does there: "reads", "writes", "reads at random", "writes at random".
[[nodiscard]] std::string_view verb_for(workload::Access access);
/// "QuickBench" for "quickbench"; suites without a published original as they are.
[[nodiscard]] std::string suite_title(std::string_view suite);
/// Whether a pass of that format works on the bare device.
[[nodiscard]] bool is_raw(std::string_view format);
/// plan::title_of_format: "exFAT" for "exfat", "exFAT-2" for "exfat-2".
[[nodiscard]] std::string format_title(std::string_view format);
using workload::block_title;
/// "85 µs", "1.24 ms", "2.50 s".
[[nodiscard]] std::string latency_text(std::chrono::nanoseconds time);
/// "2026-11-20 21:04:05 UTC".
[[nodiscard]] std::string time_text(store::TimePoint time);
/// "1 h 02 min", "4 min 10 s", "12 s".
[[nodiscard]] std::string duration_text(std::chrono::nanoseconds time);
/// "SanDisk Extreme Pro": the vendor once, where the model begins with it, too.
[[nodiscard]] std::string model_text(const media::Medium& medium);
/// "64.4 GB"; of a directory "29.2 GB free": it has no size of its own.
[[nodiscard]] std::string medium_size_text(const media::Medium& medium);
/// "SanDisk Extreme Pro, 63.9 GB, USB 5000 Mbit/s uas".
[[nodiscard]] std::string identity_text(const media::Medium& medium);

} // namespace mediarig::report
