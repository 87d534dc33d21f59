// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/image/image_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

#include "host/media/image/file_users.hpp"
#include "host/media/image/plain_path.hpp"
#include "host/media/linux/kernel/sysfs.hpp"
#include "host/text.hpp"

namespace mediarig::media {
namespace {

bool is_writable(const process::FoundFile& file, const process::Caller* caller) {
    const int flags = ::fcntl(file.descriptor.get(), F_GETFL);
    // For root every file is writable: somebody who took the permission away from everybody meant it.
    constexpr mode_t any_write = S_IWUSR | S_IWGRP | S_IWOTH;
    if (flags < 0 || (file.status.st_mode & any_write) == 0) return false;
    if ((flags & O_PATH) == 0 && (flags & O_ACCMODE) == O_RDWR) return true;
    const std::string self = fmt::format("/proc/self/fd/{}", file.descriptor.get());
    std::optional<process::CallerRights> rights;
    if (caller != nullptr) {
        auto taken = process::CallerRights::of(*caller);
        if (!taken) return false;
        rights.emplace(std::move(*taken));
    }
    return ::faccessat(AT_FDCWD, self.c_str(), W_OK, AT_EACCESS) == 0;
}

/// Without root, other people's loop devices may be closed to us; on the caller's own file nobody else has a say.
bool belongs_to_this_user(const process::FoundFile& file) {
    return ::geteuid() != 0 && file.status.st_uid == ::geteuid();
}

Result<void> refuse_users(Medium& medium, const process::FoundFile& file, const OwnDevices& own) {
    auto uses = kernel_uses_of(*medium.file, medium.node, own);
    if (!uses) return fail(uses.error());
    for (Refusal& refusal : *uses) {
        if (refusal.kind == RefusalKind::unknown_state && belongs_to_this_user(file)) continue;
        medium.refusals.push_back(std::move(refusal));
    }
    return {};
}

Error cannot_use(const std::string& path, int error) {
    return {error == EACCES ? Errc::no_permission : Errc::bad_request,
            fmt::format("{} cannot be used: {}", plain_text_of(path), std::strerror(error))};
}

} // namespace

namespace {

std::uint64_t birth_time_of(int file) {
    struct statx status {};
    if (::statx(file, "", AT_EMPTY_PATH, STATX_BTIME, &status) != 0 || (status.stx_mask & STATX_BTIME) == 0) return 0;
    return static_cast<std::uint64_t>(status.stx_btime.tv_sec) * 1'000'000'000 + status.stx_btime.tv_nsec;
}

/// `caller`: null for this process itself.
Result<Medium> describe(const process::FoundFile& file, const process::Caller* caller, const OwnDevices& own) {
    if (!S_ISREG(file.status.st_mode))
        return fail(Errc::bad_request, plain_text_of(file.path) + " is not an image file: it is not a regular file");
    if (!is_plain_text(file.path))
        return fail(Errc::bad_request,
                    fmt::format("{} has control or direction characters in its path, or bytes that are no UTF-8: "
                                "rename it",
                                plain_text_of(file.path)));
    // What is written to a device that was pulled out meanwhile makes such a file, in memory.
    if (file.path.starts_with("/dev/") && !file.path.starts_with("/dev/shm/"))
        return fail(Errc::bad_request, file.path +
                                           " is a file where a device should be: was that pulled out? Remove "
                                           "the file");
    if (file.status.st_nlink == 0)
        return fail(Errc::bad_request, file.path + " was removed: name a file that has a name");

    Medium medium;
    medium.node = file.path;
    medium.file = FileIdentity{file.status.st_dev, file.status.st_ino};
    medium.file_born_ns = birth_time_of(file.descriptor.get());
    medium.transport = Transport::image;
    medium.size = {static_cast<std::uint64_t>(file.status.st_size)};
    medium.read_only = !is_writable(file, caller);

    if (auto judged = refuse_users(medium, file, own); !judged)
        medium.refusals.push_back({RefusalKind::unknown_state, judged.error().detail});
    if (medium.read_only)
        medium.refusals.push_back({RefusalKind::read_only, medium.node + " is write-protected for this user"});
    if (medium.size < 1_MiB)
        medium.refusals.push_back(
            {RefusalKind::too_small, fmt::format("{} has {}, less than 1 MiB", medium.node, size_text(medium.size))});
    return medium;
}

} // namespace

Result<Medium> describe_image(const process::FoundFile& file, const process::Caller& caller) {
    return describe(file, &caller, {});
}

Result<void> check_typed_path(const std::string& typed, const std::string& real) {
    if (!typed.starts_with("/dev/") || real.starts_with("/dev/")) return {};
    return fail(Errc::bad_request, fmt::format("{} is not a device, it leads to {}: name an image file by its own path",
                                               plain_text_of(typed), plain_text_of(real)));
}

Result<Medium> describe_image(const std::string& path, const OwnDevices& own) {
    const std::string real = real_path(path);
    if (real.empty()) return fail(cannot_use(path, errno));
    if (auto named = check_typed_path(path, real); !named) return fail(named.error());
    process::FoundFile file{
        .descriptor = Descriptor(::open(real.c_str(), O_PATH | O_CLOEXEC | O_NOFOLLOW)), .status = {}, .path = real};
    if (!file.descriptor || ::fstat(file.descriptor.get(), &file.status) != 0) return fail(cannot_use(path, errno));
    // As the kernel names what was opened: a folder on the way may have been exchanged since.
    std::error_code unknown;
    file.path = std::filesystem::read_symlink(fmt::format("/proc/self/fd/{}", file.descriptor.get()), unknown);
    if (unknown) return fail(cannot_use(path, unknown.value()));
    return describe(file, nullptr, own);
}

} // namespace mediarig::media
