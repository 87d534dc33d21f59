// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/app/campaign_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

namespace mediarig::app {
namespace {

/// Which byte of the file is the campaign's: FNV-1a, in the range of an offset. Two campaigns that meet there would
/// only keep each other waiting.
off_t byte_of(const std::string& campaign) {
    std::uint64_t hash = 14695981039346656037ull;
    for (const char c : campaign) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ull;
    return static_cast<off_t>(hash >> 2);
}

struct flock lock_of(const std::string& campaign) {
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = byte_of(campaign);
    lock.l_len = 1;
    return lock;
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

Result<CampaignLock> CampaignLock::take(const std::filesystem::path& store, const std::string& campaign) {
    const std::string file = lock_file_of(store);
    Descriptor opened(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
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

} // namespace mediarig::app
