// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/image/cache_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <thread>

namespace mediarig::lab {

using namespace std::chrono_literals;

CacheLock::~CacheLock() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

Result<CacheLock> CacheLock::take(const ImageOptions& options, const Progress& progress) {
    const auto file = options.cache / "lock";
    const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (descriptor < 0)
        return fail(Errc::io_failed, fmt::format("cannot open {}: {}", file.string(), std::strerror(errno)));
    CacheLock lock(descriptor);
    const auto give_up = std::chrono::steady_clock::now() + options.lock_wait;
    for (bool told = false; ::flock(descriptor, LOCK_EX | LOCK_NB) != 0; told = true) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return fail(Errc::io_failed, fmt::format("cannot lock {}: {}", file.string(), std::strerror(errno)));
        if (!told) progress("another build of the guest image is running; waiting for it");
        if (options.cancel != nullptr && *options.cancel) return fail(Errc::cancelled, "the build was stopped");
        if (std::chrono::steady_clock::now() >= give_up)
            return fail(Errc::timed_out,
                        fmt::format("another build holds {} and has not ended: find it with 'fuser {}'", file.string(),
                                    file.string()));
        std::this_thread::sleep_for(100ms);
    }
    return lock;
}

} // namespace mediarig::lab
