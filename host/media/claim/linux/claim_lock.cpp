// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/claim/linux/claim_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "host/media/claim/claim.hpp"
#include "host/media/claim/linux/linux_media.hpp"

namespace mediarig::media {
namespace {

/// FNV-1a hash, reduced to the range of off_t. If two devices share a byte, one claim merely waits for the other.
off_t place_of(DeviceNumber number, std::uint64_t disk_sequence) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const std::uint64_t part : {std::uint64_t{number.major}, std::uint64_t{number.minor}, disk_sequence})
        for (int shift = 0; shift < 64; shift += 8) hash = (hash ^ (part >> shift & 0xff)) * 0x100000001b3;
    return static_cast<off_t>(hash >> 2);
}

} // namespace

Result<Descriptor> lock_claim(DeviceNumber number, std::uint64_t disk_sequence, const std::string& folder) {
    if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return Descriptor();
    const Descriptor place(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    struct stat status {};
    if (!place || ::fstat(place.get(), &status) != 0 || status.st_uid != ::geteuid() || (status.st_mode & 022) != 0) {
        if (place && status.st_uid == 0 && ::geteuid() != 0) return Descriptor();
        return fail(Errc::refused, folder + " is not a folder of this agent, another user made it: remove it");
    }
    Descriptor file(::openat(place.get(), "claims", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!file) return fail(Errc::io_failed, fmt::format("cannot open {}/claims: {}", folder, std::strerror(errno)));
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = place_of(number, disk_sequence);
    lock.l_len = 1;
    if (::fcntl(file.get(), F_OFD_SETLK, &lock) == 0) return file;
    if (errno == EAGAIN || errno == EACCES) return fail(Errc::refused, "another claim of mediarig holds it");
    return fail(Errc::io_failed, fmt::format("cannot lock {}/claims: {}", folder, std::strerror(errno)));
}

Result<ErasableMedium> claim_erasable(Discovery& discovery, const std::string& target, const std::string& confirmation,
                                      ClaimTerms terms) {
    const auto nodes = make_linux_nodes();
    return claim_erasable(discovery, *nodes, target, confirmation, std::move(terms));
}

} // namespace mediarig::media
