// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/cli/commands/read_kept_data.hpp"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <ostream>

#include "host/base/text.hpp"
#include "host/cli/commands/scanned_medium.hpp"
#include "host/cli/text/text.hpp"
#include "host/report/text/kept_text.hpp"
#include "host/workload/io/linux/h2w_files.hpp"
#include "host/workload/json.hpp"

namespace mediarig::cli {
namespace {

std::chrono::sys_seconds present_time() {
    return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
}

int read_files(const Console& console, const KeptDataOptions& options) {
    const bool shows = console.terminal && !options.quiet;
    const auto found = workload::read_h2w_files(options.target, [&](Bytes read) {
        if (shows) console.err << fmt::format("\r\033[Kread {}", size_text(read)) << std::flush;
        return true;
    });
    if (shows) console.err << "\r\033[K" << std::flush;
    if (!found) return report(console, found.error());
    const workload::H2wCounts& counts = found->counts;
    nlohmann::json json{{"files", found->files},
                        {"missing", found->missing},
                        {"oldest", found->oldest},
                        {"good", counts.good.count},
                        {"changed", counts.changed.count},
                        {"overwritten", counts.overwritten.count},
                        {"corrupted", counts.corrupted.count},
                        {"unreadable", counts.unreadable.count},
                        {"cache_dropped", found->cache_dropped}};
    if (counts.first_lost) json["first_lost"] = counts.first_lost->count;
    const int failed = tell(console, options.facts, {{"mediarig_read_only", 1}, {"h2w", std::move(json)}},
                            [&] { console.out << report::h2w_text(*found, present_time(), console.columns); });
    if (failed != 0) return failed;
    return counts.lost() > 0_B ? 1 : 0;
}

int read_medium(const Console& console, const KeptDataOptions& options) {
    const auto found = scanned(console, options.agent, {.target = options.target, .kept_data = true}, options.quiet);
    if (!found) return report(console, found.error());
    if (!found->scan.kept) return report(console, Error{Errc::bad_format, "the agent has not compared the data"});
    const workload::KeptData& kept = *found->scan.kept;
    const std::string present = found->medium ? media::device_key(*found->medium) : "";
    const int failed =
        tell(console, options.facts, {{"mediarig_read_only", 1}, {"scan", workload::to_json(found->scan)}}, [&] {
            console.out << report::kept_text(kept, present, present_time(), console.columns);
            if (!found->scan.stopped.empty())
                console.out << paragraph("Stopped early: " + found->scan.stopped + ".", console.columns);
        });
    if (failed != 0) return failed;
    if (kept.damaged_bytes > 0_B) return 1;
    return found->scan.whole ? 0 : 3;
}

} // namespace

int read_kept_data(const Console& console, const KeptDataOptions& options) {
    if (auto possible = check_json_file(options.facts); !possible) return report(console, possible.error());
    std::error_code unknown;
    const bool folder = options.agent.how != "lab" && std::filesystem::is_directory(options.target, unknown);
    return folder ? read_files(console, options) : read_medium(console, options);
}

} // namespace mediarig::cli
