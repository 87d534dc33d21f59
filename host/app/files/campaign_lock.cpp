// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/app/files/campaign_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "common/fnv1a.hpp"
#include "host/app/files/text_file.hpp"
#include "host/base/json/json_text.hpp"
#include "host/base/json/reader.hpp"
#include "host/base/json/source.hpp"

namespace mediarig::app {
namespace {

/// Byte of the lock file for this campaign, within the range of an offset. If two campaigns share a byte, one waits for
/// the other without further effect.
off_t byte_of(const std::string& campaign) {
    return static_cast<off_t>(fnv1a<std::uint64_t>(campaign) >> 2);
}

/// A lock on all bytes from `first` on if `length` is 0.
struct flock lock_on(off_t first, off_t length) {
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = first;
    lock.l_len = length;
    return lock;
}

struct flock lock_of(const std::string& campaign) {
    return lock_on(byte_of(campaign), 1);
}

/// True if a byte of this range outside `known` is locked. The kernel reports one lock in the range, not necessarily
/// the first.
bool is_other_locked(int file, off_t first, off_t length, const std::set<off_t>& known) {
    struct flock found = lock_on(first, length);
    if (::fcntl(file, F_OFD_GETLK, &found) != 0 || found.l_type == F_UNLCK) return false;
    const off_t at = found.l_start;
    if (!known.contains(at)) return true;
    const off_t behind = at + 1, end = first + length;
    return (at > first && is_other_locked(file, first, at - first, known)) ||
           (length == 0 ? is_other_locked(file, behind, 0, known)
                        : end > behind && is_other_locked(file, behind, end - behind, known));
}

std::string lock_file_of(const std::filesystem::path& store) {
    return store.string() + ".lock";
}

} // namespace

bool CampaignLock::is_held(const std::filesystem::path& store, const std::string& campaign) {
    const Descriptor opened(::open(lock_file_of(store).c_str(), O_RDONLY | O_CLOEXEC));
    struct flock asked = lock_of(campaign);
    return opened && ::fcntl(opened.get(), F_OFD_GETLK, &asked) == 0 && asked.l_type != F_UNLCK;
}

bool CampaignLock::any_other_is_held(const std::filesystem::path& store, const std::vector<std::string>& campaigns) {
    const Descriptor opened(::open(lock_file_of(store).c_str(), O_RDONLY | O_CLOEXEC));
    std::set<off_t> known;
    for (const std::string& campaign : campaigns) known.insert(byte_of(campaign));
    return opened && is_other_locked(opened.get(), 0, 0, known);
}

Result<CampaignLock> CampaignLock::take(const std::filesystem::path& store, const std::string& campaign) {
    const std::string file = lock_file_of(store);
    Descriptor opened(::open(file.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644));
    if (!opened)
        return fail(Errc::store_failed, fmt::format("{} cannot be made: {}; choose another place with --store", file,
                                                    std::strerror(errno)));
    struct flock wanted = lock_of(campaign);
    if (::fcntl(opened.get(), F_OFD_SETLK, &wanted) != 0) {
        if (errno == EAGAIN || errno == EACCES)
            return fail(Errc::refused, fmt::format("campaign {} is running in another process; wait for its end, or "
                                                   "stop it there",
                                                   campaign));
        return fail(Errc::store_failed, fmt::format("{} cannot be locked: {}; choose a store on a local disk with "
                                                    "--store",
                                                    file, std::strerror(errno)));
    }
    return CampaignLock(std::move(opened));
}

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
        if (const auto version = members.need("mediarig_station_lock", "use 1"))
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
    if (!lock)
        return fail(lock.error().code,
                    fmt::format("{}: {}; correct it, or remove it", file.string(), lock.error().detail));
    return std::optional(std::move(*lock));
}

Result<void> lock_station(const std::filesystem::path& store, const StationLock& lock) {
    // Another program's file of this name is kept.
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
            "this station has been locked since {}: {} of the golden medium {} is out of limits ({}); find and remove "
            "the cause, measure that medium again with --while-locked, then run mediarig rig control-chart --lock",
            (*lock)->since, (*lock)->cell, (*lock)->device, (*lock)->why));
}

} // namespace mediarig::app
