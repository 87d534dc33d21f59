// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/app/station_lock.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "host/app/text_file.hpp"
#include "host/json/json_text.hpp"
#include "host/strict_json/reader.hpp"
#include "host/strict_json/source.hpp"

namespace mediarig::app {
namespace {

constexpr std::size_t longest_line = 1'000;

std::filesystem::path lock_file(const std::filesystem::path& store) {
    return store.parent_path() / "station-lock.json";
}

Result<StationLock> parse_lock(std::string_view text) {
    strict_json::Faults faults;
    StationLock lock;
    if (const auto tree = strict_json::read_source(text, faults)) {
        strict_json::Members members({&*tree, "", &faults});
        if (const auto version = members.need("mediarig_station_lock", "say 1"))
            (void)strict_json::read_count(*version, {1, 1});
        const auto read = [&](std::string_view name, std::string& out) {
            if (const auto node = members.need(name, "add it"))
                out = strict_json::read_line(*node, longest_line).value_or("");
        };
        read("device", lock.device);
        read("cell", lock.cell);
        read("why", lock.why);
        read("since", lock.since);
        members.refuse_unknown();
    }
    if (faults.count() > 0) return fail(Errc::bad_request, faults.take().front());
    return lock;
}

} // namespace

Result<std::optional<StationLock>> station_lock(const std::filesystem::path& store) {
    const std::filesystem::path file = lock_file(store);
    std::error_code unknown;
    if (std::filesystem::status(file, unknown).type() == std::filesystem::file_type::not_found)
        return std::optional<StationLock>{};
    const auto text = read_text(file);
    if (!text) return fail(text.error());
    auto lock = parse_lock(*text);
    if (!lock) return fail(lock.error().code, fmt::format("{}: {}", file.string(), lock.error().detail));
    return std::optional(std::move(*lock));
}

Result<void> lock_station(const std::filesystem::path& store, const StationLock& lock) {
    // Another program's file of this name stays.
    if (const auto before = station_lock(store); !before) return fail(before.error());
    const nlohmann::json json{{"mediarig_station_lock", 1},
                              {"device", lock.device},
                              {"cell", lock.cell},
                              {"why", lock.why},
                              {"since", lock.since}};
    return write_text(lock_file(store), codec::json_text(json) + '\n', Existing::known);
}

Result<void> unlock_station(const std::filesystem::path& store, const std::string& device, const std::string& cell) {
    const auto lock = station_lock(store);
    if (!lock) return fail(lock.error());
    if (!*lock || (*lock)->device != device || (*lock)->cell != cell) return {};
    std::error_code error;
    std::filesystem::remove(lock_file(store), error);
    if (!error) return {};
    return fail(Errc::io_failed, fmt::format("{} cannot be removed: {}", lock_file(store).string(), error.message()));
}

Result<void> check_station_free(const std::filesystem::path& store) {
    const auto lock = station_lock(store);
    if (!lock) return fail(lock.error());
    if (!*lock) return {};
    return fail(
        Errc::refused,
        fmt::format(
            "this station has been locked since {}: {} of the golden medium {} is out of limits ({}); correct it, "
            "measure that medium with --while-locked, and run mediarig rig control-chart --lock again",
            (*lock)->since, (*lock)->cell, (*lock)->device, (*lock)->why));
}

} // namespace mediarig::app
