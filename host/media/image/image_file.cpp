// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/image/image_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "host/media/image/loop_table.hpp"
#include "host/media/linux/mount_table.hpp"
#include "host/media/linux/sysfs.hpp"
#include "host/media/text.hpp"

namespace mediarig::media {
namespace {

void refuse_swap_file(Medium& medium, const std::string& path) {
    const auto text = read_file_if_there("/proc/swaps");
    if (text && !*text) return;
    const auto swaps = text ? parse_swaps(**text) : Result<std::vector<SwapEntry>>(fail(text.error()));
    if (!swaps) {
        medium.refusals.push_back({RefusalKind::unknown_state, swaps.error().detail});
        return;
    }
    for (const SwapEntry& swap : *swaps) {
        if (swap.path == path) medium.refusals.push_back({RefusalKind::swap, medium.node + " is in use as swap"});
    }
}

void refuse_attached(Medium& medium, const struct stat& status) {
    const auto loop = loop_standing_on(status);
    if (!loop) {
        medium.refusals.push_back({RefusalKind::unknown_state, loop.error().detail});
    } else if (!loop->empty()) {
        medium.refusals.push_back({RefusalKind::held, fmt::format("{} is attached to {} already", medium.node, *loop)});
    }
}

} // namespace

Result<Medium> describe_image(const std::string& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0)
        return fail(errno == EACCES ? Errc::no_permission : Errc::bad_request,
                    fmt::format("{} cannot be used: {}", printable(path), std::strerror(errno)));
    if (!S_ISREG(status.st_mode))
        return fail(Errc::bad_request, printable(path) + " is not an image file: it is no regular file");
    const std::string real = real_path(path);
    if (real.empty()) return fail(Errc::io_failed, printable(path) + " has no absolute path");

    Medium medium;
    medium.node = printable(real);
    medium.transport = Transport::image;
    medium.size = {static_cast<std::uint64_t>(status.st_size)};
    constexpr mode_t any_write = S_IWUSR | S_IWGRP | S_IWOTH;
    // For root every file is writable: somebody who took the permission away from everybody meant it.
    medium.read_only = (status.st_mode & any_write) == 0 || ::access(real.c_str(), W_OK) != 0;

    refuse_attached(medium, status);
    refuse_swap_file(medium, real);
    if (medium.read_only) medium.refusals.push_back({RefusalKind::read_only, medium.node + " may not be written"});
    if (medium.size < 1_MiB)
        medium.refusals.push_back(
            {RefusalKind::too_small, fmt::format("{} has {} bytes, less than 1 MiB", medium.node, medium.size.count)});
    return medium;
}

} // namespace mediarig::media
