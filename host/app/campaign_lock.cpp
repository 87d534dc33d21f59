// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/app/campaign_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace mediarig::app {

Result<CampaignLock> CampaignLock::take(const std::filesystem::path& store, const std::string& campaign) {
    const std::filesystem::path file = store.parent_path() / (campaign + ".lock");
    const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (descriptor < 0)
        return fail(Errc::store_failed, fmt::format("{} cannot be made: {}; choose another place with --store",
                                                    file.string(), std::strerror(errno)));
    if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
        const int cause = errno;
        ::close(descriptor);
        if (cause == EWOULDBLOCK)
            return fail(Errc::refused, fmt::format("campaign {} is running in another process; wait for its end, or "
                                                   "stop it there",
                                                   campaign));
        return fail(Errc::store_failed, fmt::format("{} cannot be locked: {}", file.string(), std::strerror(cause)));
    }
    CampaignLock lock(file, descriptor);
    // Between our open and our lock its owner may have ended and removed the file; then the next one makes another.
    struct stat status {};
    if (::fstat(descriptor, &status) == 0 && status.st_nlink == 0)
        return fail(Errc::refused, fmt::format("campaign {} has just ended in another process; try again", campaign));
    return lock;
}

CampaignLock::~CampaignLock() {
    if (descriptor_ < 0) return;
    // Unlinked while still held: whoever comes next makes a file of its own.
    ::unlink(file_.c_str());
    ::close(descriptor_);
}

} // namespace mediarig::app
