// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/store/device_log_reader.hpp"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "host/store/log_lines.hpp"
#include "host/store/log_replay.hpp"

namespace mediarig::store {
namespace {

using nlohmann::json;

bool is_type(const json& line, const char* type) {
    const auto found = line.find("type");
    return found != line.end() && *found == type;
}

Result<void> check_version(const json& line) {
    const auto found = line.find("v");
    if (found == line.end() || !found->is_number_unsigned()) return fail(Errc::bad_format, "member 'v' is missing");
    const auto version = found->get<std::uint64_t>();
    if (version <= log_line::version) return {};
    return fail(Errc::store_failed,
                fmt::format("was written by another version of mediarig (log version {}, this one knows {})", version,
                            log_line::version));
}

/// Returns the number of torn lines.
Result<std::uint64_t> replay_file(const std::filesystem::path& path, LogReplay& replay) {
    std::ifstream file(path);
    if (!file)
        return fail(Errc::store_failed, fmt::format("cannot read the device log {}: does it exist?", path.string()));
    auto torn = replay_log(file, replay);
    if (!torn) return fail(torn.error().code, fmt::format("the device log {}: {}", path.string(), torn.error().detail));
    return torn;
}

} // namespace

Result<std::uint64_t> replay_log(std::istream& log, LogReplay& replay) {
    std::uint64_t torn = 0;
    std::uint64_t number = 0;
    // Lines that did not parse; forgiven when a crash explains them: the next good line says so, or the file ends
    // there.
    std::uint64_t unexplained = 0, first_unexplained = 0;
    std::string text;
    bool ended_by_newline = true;
    while (std::getline(log, text)) {
        ++number;
        ended_by_newline = !log.eof();
        const json line = json::parse(text, nullptr, false);
        if (!line.is_object()) {
            if (unexplained++ == 0) first_unexplained = number;
            continue;
        }
        if (auto known = check_version(line); !known)
            return fail(known.error().code, fmt::format("line {}: {}", number, known.error().detail));
        if (is_type(line, "torn")) {
            torn += std::exchange(unexplained, 0);
            continue;
        }
        if (unexplained > 0) break;
        if (auto applied = replay.apply(line); !applied)
            return fail(applied.error().code, fmt::format("line {}: {}", number, applied.error().detail));
    }
    if (log.bad()) return fail(Errc::store_failed, fmt::format("reading failed after line {}", number));
    if (unexplained > 0 && (log || ended_by_newline))
        return fail(
            Errc::bad_format,
            fmt::format("line {} is damaged, and not by a crash: everything before it reads well", first_unexplained));
    return torn + unexplained;
}

Result<DeviceHistory> read_device_log(const std::filesystem::path& path) {
    LogReplay replay;
    const auto torn = replay_file(path, replay);
    if (!torn) return fail(torn.error());
    DeviceHistory history = replay.finish();
    history.torn_lines = *torn;
    return history;
}

Result<std::vector<std::uint32_t>> read_raw_log(const std::filesystem::path& path, const std::string& campaign,
                                                const std::string& pass, const std::string& cell) {
    LogReplay replay(LogReplay::CellKey{campaign, pass, cell});
    if (const auto torn = replay_file(path, replay); !torn) return fail(torn.error());
    if (!replay.raw_log())
        return fail(Errc::bad_request, fmt::format("the device log {} holds no cell '{}' of pass '{}' of campaign '{}'",
                                                   path.string(), cell, pass, campaign));
    return *replay.raw_log();
}

} // namespace mediarig::store
