// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/signature.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace mediarig::media {
namespace {

bool is_member(const Signature& signature) {
    constexpr std::string_view suffix = "_member";
    if (signature.usage == "raid" || signature.type.ends_with(suffix)) return true;
    // Types that libblkid files under "other" or "filesystem" although they are parts of something larger.
    constexpr std::array<std::string_view, 9> parts{"bcache",          "bcachefs",       "drbd",
                                                    "DM_snapshot_cow", "DM_verity_hash", "DM_integrity",
                                                    "stratis",         "VMFS",           "ceph_bluestore"};
    return std::find(parts.begin(), parts.end(), signature.type) != parts.end();
}

bool is_encrypted(const Signature& signature) {
    constexpr std::array<std::string_view, 3> kinds{"crypto_LUKS", "BitLocker", "cs_fvault2"};
    return signature.usage == "crypto" || std::find(kinds.begin(), kinds.end(), signature.type) != kinds.end();
}

} // namespace

std::optional<Refusal> refusal_for(const Signature& signature, const std::string& carrier) {
    const std::string label = signature.label.empty() ? "" : fmt::format(" '{}'", signature.label);
    if (is_encrypted(signature)) {
        return Refusal{RefusalKind::encrypted,
                       fmt::format("{} holds {} data{}; if nobody needs it, clear it with 'wipefs -a'", carrier,
                                   signature.type, label)};
    }
    if (is_member(signature)) {
        return Refusal{RefusalKind::raid_member,
                       fmt::format("{} carries the signature {}{}; if it is stale, clear it with 'wipefs -a'", carrier,
                                   signature.type, label)};
    }
    if (signature.devices > 1) {
        return Refusal{RefusalKind::raid_member, fmt::format("{} is one of {} devices of the {} file system{}", carrier,
                                                             signature.devices, signature.type, label)};
    }
    return std::nullopt;
}

} // namespace mediarig::media
