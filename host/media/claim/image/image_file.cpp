// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/claim/image/image_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

#include "common/units.hpp"
#include "host/base/free_space.hpp"
#include "host/base/text.hpp"
#include "host/media/claim/image/image_lock.hpp"
#include "host/media/claim/linux/kernel/sysfs.hpp"
#include "host/media/identity/medium.hpp"

namespace mediarig::media {
namespace {

bool is_writable(const process::FoundFile& file, const process::Caller* caller) {
    const int flags = ::fcntl(file.descriptor.get(), F_GETFL);
    // Root may write every file, but refuse a file without any write permission: its owner protected it on purpose.
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

/// Without root rights the loop devices of other users may be unreadable, which gives unknown_state. Callers ignore
/// that refusal for a file of this user, who needs no permission of other users.
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

/// `caller`: rights to check; null for those of this process.
Result<Medium> describe(const process::FoundFile& file, const process::Caller* caller, const OwnDevices& own) {
    if (!S_ISREG(file.status.st_mode))
        return fail(Errc::bad_request, plain_text_of(file.path) + " is not an image file: it is not a regular file");
    if (!is_plain_text(file.path))
        return fail(Errc::bad_request,
                    fmt::format("{} has control or direction characters in its path, or is not valid UTF-8: rename it",
                                plain_text_of(file.path)));
    // A write to the path of an unplugged device creates a regular file in /dev, which is in memory.
    if (file.path.starts_with("/dev/") && !file.path.starts_with("/dev/shm/"))
        return fail(Errc::bad_request,
                    file.path + " is a file in the place of a device: was the device unplugged? Remove the file");
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
        medium.refusals.push_back(
            {RefusalKind::read_only,
             medium.node + " cannot be written by this user: change its permissions or attributes, or remount its file "
                           "system without ro, then try again"});
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
    // Use the kernel's path of the opened file: a directory in the path may have been replaced.
    std::error_code unknown;
    file.path = std::filesystem::read_symlink(fmt::format("/proc/self/fd/{}", file.descriptor.get()), unknown);
    if (unknown) return fail(cannot_use(path, unknown.value()));
    return describe(file, nullptr, own);
}

std::string plain_text_of(std::string_view path) {
    // The bars prevent typeable() from trimming the path.
    std::string text = typeable("|" + std::string(path) + "|");
    text = text.substr(1, text.size() - 2);
    constexpr std::array<std::string_view, 12> marks{"\xD8\x9C",     "\xE2\x80\x8E", "\xE2\x80\x8F", "\xE2\x80\xAA",
                                                     "\xE2\x80\xAB", "\xE2\x80\xAC", "\xE2\x80\xAD", "\xE2\x80\xAE",
                                                     "\xE2\x81\xA6", "\xE2\x81\xA7", "\xE2\x81\xA8", "\xE2\x81\xA9"};
    for (const std::string_view mark : marks) {
        for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark, at))
            text.replace(at, mark.size(), "?");
    }
    return text;
}

bool is_plain_text(std::string_view path) {
    return plain_text_of(path) == path;
}

namespace {

/// A suite writes at most a few MiB at once. With less free space than this, the next write may have failed for lack of
/// space.
constexpr Bytes longest_write = 4_MiB;

} // namespace

std::optional<Error> backing_file_fault(int image, Bytes end, const std::string& name) {
    struct stat file {};
    if (::fstat(image, &file) != 0) return std::nullopt;
    if (static_cast<std::uint64_t>(file.st_size) < end.count)
        return Error{Errc::host_fault, fmt::format("{} was truncated to {} bytes during the test: the results are "
                                                   "discarded; create it again, and try again",
                                                   name, file.st_size)};
    struct statx attributes {};
    if (::statx(image, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &attributes) == 0 &&
        (attributes.stx_attributes & (STATX_ATTR_IMMUTABLE | STATX_ATTR_APPEND)) != 0)
        return Error{Errc::host_fault, fmt::format("writes to {} were forbidden during the test (chattr +i or +a): the "
                                                   "results are discarded; allow them, and try again",
                                                   name)};
    return disk_full(image, longest_write, name);
}

ModificationWatch::ModificationWatch(int file, bool ours_is_direct)
    : events_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
    const std::string path = fmt::format("/proc/self/fd/{}", file);
    const std::uint32_t events = IN_CLOSE_WRITE | (ours_is_direct ? IN_MODIFY : 0);
    if (events_ && ::inotify_add_watch(events_.get(), path.c_str(), events) < 0) events_.close();
}

const char* ModificationWatch::seen() const {
    alignas(inotify_event) std::array<char, 4096> events{};
    ssize_t got = 0;
    while (events_ && (got = ::read(events_.get(), events.data(), events.size())) > 0) {
        inotify_event event{};
        for (std::size_t at = 0; at + sizeof event <= static_cast<std::size_t>(got); at += sizeof event + event.len) {
            std::memcpy(&event, events.data() + at, sizeof event);
            // The event queue overflowed, so writes have happened.
            modified_ = modified_ || (event.mask & (IN_MODIFY | IN_Q_OVERFLOW)) != 0;
            closed_ = closed_ || (event.mask & IN_CLOSE_WRITE) != 0;
        }
    }
    return modified_ ? "wrote to" : closed_ ? "had open for writing, or wrote through a loop device to" : nullptr;
}

} // namespace mediarig::media
