// SPDX-License-Identifier: GPL-3.0-or-later
/// A fuzzer's input as a medium: one file in memory, filled anew for each input.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>

#include "common/units.hpp"
#include "host/media/inspect/load.hpp"

namespace mediarig::fuzz {

/// The descriptor of a medium that holds exactly `bytes`.
inline int medium_with(media::Raw bytes) {
    static const int fd = ::memfd_create("medium", MFD_CLOEXEC);
    if (fd < 0 || ::ftruncate(fd, 0) != 0) std::abort();
    if (::pwrite(fd, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) std::abort();
    return fd;
}

} // namespace mediarig::fuzz
