// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/image/loop.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "host/media/image/image_file.hpp"

namespace mediarig::media {
namespace {

/// Which refusals of an image are wrong words of the caller, and which are for safety.
Result<void> check_image(const Medium& image) {
    if (image.refusals.empty()) return {};
    const Refusal& first = image.refusals.front();
    return fail(first.kind == RefusalKind::too_small ? Errc::bad_request : Errc::refused,
                fmt::format("{} cannot be attached: {}", image.node, first.detail));
}

} // namespace

Result<LoopDevice> attach_loop(const std::string& image) {
    const auto described = describe_image(image);
    if (!described) return fail(described.error());
    if (auto fit = check_image(*described); !fit) return fail(fit.error());

    const Descriptor file(::open(described->node.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
    if (!file)
        return fail(errno == EACCES || errno == EPERM ? Errc::no_permission : Errc::io_failed,
                    fmt::format("{} cannot be opened for writing: {}", described->node, std::strerror(errno)));
    // The loop device keeps this open file, and with it the lock: two of us never attach the same image.
    if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0)
        return fail(Errc::refused, described->node + " is locked by another program, perhaps attached already");
    auto attachment = attach_to_free_loop(file.get(), described->node, {});
    if (!attachment) return fail(std::move(attachment.error()));
    return LoopDevice(std::move(*attachment), described->node);
}

} // namespace mediarig::media
