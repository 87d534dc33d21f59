// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/claim/signature.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace mediarig::media {
namespace {

template <std::size_t size>
bool is_one_of(const std::array<std::string_view, size>& types, const std::string& type) {
    return std::find(types.begin(), types.end(), type) != types.end();
}

/// True for a member of a larger volume. libblkid calls the first group of types file systems. The second group is for
/// udev, which may give no usage.
bool is_part(const Signature& signature) {
    constexpr std::array<std::string_view, 10> called_file_systems{
        "VMFS", "oracleasm", "ocfs", "ocfs2", "gfs", "gfs2", "mpool", "nss", "drbdproxy_datalog", "bcachefs"};
    constexpr std::array<std::string_view, 12> others{"bcache",
                                                      "drbd",
                                                      "DM_snapshot_cow",
                                                      "drbdmanage_control_volume",
                                                      "stratis",
                                                      "ceph_bluestore",
                                                      "jbd",
                                                      "xfs_external_log",
                                                      "vdo",
                                                      "swsuspend",
                                                      "ubi",
                                                      "LVM1_member"};
    if (signature.usage == "raid" || signature.type.ends_with("_member")) return true;
    if (signature.usage == "other" && signature.type != "swap") return true;
    return is_one_of(called_file_systems, signature.type) || is_one_of(others, signature.type);
}

bool is_encrypted(const Signature& signature) {
    constexpr std::array<std::string_view, 5> kinds{"crypto_LUKS", "BitLocker", "cs_fvault2", "DM_verity_hash",
                                                    "DM_integrity"};
    return signature.usage == "crypto" || is_one_of(kinds, signature.type);
}

bool has_a_class(const Signature& signature) {
    constexpr std::array<std::string_view, 5> known{"", "filesystem", "raid", "crypto", "other"};
    return is_one_of(known, signature.usage);
}

/// The backing of a loop device may also be a disk.
bool is_image(const std::string& backing_file) {
    return !backing_file.empty() && !backing_file.starts_with("/dev/");
}

std::string listed(const std::vector<DeviceExtent>& ranges) {
    constexpr std::size_t most = 4;
    std::string text;
    for (std::size_t i = 0; i < std::min(most, ranges.size()); ++i)
        text += fmt::format("{}{} to {}", i == 0 ? "" : ", ", ranges[i].start.count,
                            (ranges[i].start + ranges[i].length).count);
    return ranges.size() > most ? fmt::format("{} and {} more places", text, ranges.size() - most) : text;
}

/// Media whose contents the user may declare unknown.
bool may_have_unknown_contents(const Medium& medium) {
    return medium.transport == Transport::usb || medium.transport == Transport::mmc ||
           (medium.transport == Transport::loop && is_image(medium.backing_file));
}

constexpr const char* declare_unknown =
    "if its contents are not needed, add --contents-unknown (\"contents_unknown\": true in a plan)";

/// Command that clears the signature. Without a node, a loop device makes the place accessible.
std::string clearing(const Signature& signature) {
    return signature.without_node
               ? fmt::format("'wipefs -a' on a loop device from 'losetup --offset {}'", signature.offset.count)
               : std::string("'wipefs -a'");
}

} // namespace

std::optional<Refusal> refusal_for(const Signature& signature, const std::string& carrier) {
    const std::string label = signature.label.empty() ? "" : fmt::format(" '{}'", signature.label);
    if (is_encrypted(signature)) {
        return Refusal{RefusalKind::encrypted,
                       fmt::format("{} holds {} data{}; if you do not need it, clear it with {}", carrier,
                                   signature.type, label, clearing(signature))};
    }
    if (is_part(signature)) {
        return Refusal{RefusalKind::raid_member,
                       fmt::format("{} carries the signature {}{}; if it is stale, clear it with {}", carrier,
                                   signature.type, label, clearing(signature))};
    }
    if (signature.devices > 1) {
        return Refusal{RefusalKind::raid_member, fmt::format("{} is one of {} devices of the {} file system{}", carrier,
                                                             signature.devices, signature.type, label)};
    }
    if (!has_a_class(signature)) {
        return Refusal{RefusalKind::unknown_state,
                       fmt::format("{} carries the signature {}{}, which belongs to no known format; if it is not "
                                   "needed, clear it with 'wipefs -a'",
                                   carrier, signature.type, label)};
    }
    if (signature.ambivalent) {
        return Refusal{
            RefusalKind::unknown_state,
            fmt::format("{} carries the signature {}{} and others; if they are not needed, clear them with 'wipefs -a'",
                        carrier, signature.type, label)};
    }
    return std::nullopt;
}

std::optional<Refusal> refusal_for_remains(const std::vector<Signature>& remains, const Medium& medium,
                                           Contents contents) {
    const bool permitted = may_have_unknown_contents(medium);
    if (permitted && contents == Contents::may_be_unknown) return std::nullopt;
    std::string found;
    RefusalKind kind{};
    for (const Signature& signature : remains) {
        if (!is_encrypted(signature) && !is_part(signature)) continue;
        if (found.empty()) kind = is_encrypted(signature) ? RefusalKind::encrypted : RefusalKind::raid_member;
        found += fmt::format("{}{} at byte {}", found.empty() ? "" : ", ", signature.type, signature.offset.count);
    }
    if (found.empty()) return std::nullopt;
    return Refusal{kind, fmt::format("it carries {}, which its partition table does not list; {}", found,
                                     permitted ? declare_unknown
                                               : "if it is not needed, clear it with 'wipefs -a' on a loop device from "
                                                 "'losetup --offset'")};
}

std::optional<Refusal> refusal_for(const std::vector<DeviceExtent>& unreadable, const Medium& medium,
                                   Contents contents) {
    if (unreadable.empty()) return std::nullopt;
    const std::string where = fmt::format("its signatures cannot be read at bytes {}: read errors", listed(unreadable));
    if (!may_have_unknown_contents(medium))
        return Refusal{RefusalKind::unknown_state,
                       where + "; --contents-unknown is only for media on USB and SD and for images"};
    if (contents == Contents::may_be_unknown) return std::nullopt;
    return Refusal{RefusalKind::unknown_state, where + "; " + declare_unknown};
}

} // namespace mediarig::media
