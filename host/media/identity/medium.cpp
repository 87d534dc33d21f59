// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/identity/medium.hpp"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "host/base/text.hpp"

namespace mediarig::media {
namespace {

/// FNV-1a, 64 bits: distinguishes names; not secure against an adversary.
std::uint64_t fnv1a(std::string_view text) {
    std::uint64_t hash = 0xcbf29ce484222325ull;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
    return hash;
}

bool file_name_safe(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
           c == '-';
}

/// Converts text to at most 64 safe characters. A changed text gets a hash, so that two names never become equal.
std::string key_part(std::string_view text) {
    constexpr std::size_t longest = 64;
    std::string safe;
    for (const char c : text.substr(0, longest)) safe += file_name_safe(c) ? c : '_';
    if (safe == text) return safe;
    return fmt::format("{}-{:08x}", safe, fnv1a(text) & 0xFFFFFFFFu);
}

std::string joined(std::string_view prefix, std::initializer_list<std::string_view> parts) {
    std::string key(prefix);
    for (const std::string_view part : parts) {
        if (!part.empty()) key += "-" + key_part(part);
    }
    return key;
}

std::string path_key(std::string_view kind, const std::string& path) {
    constexpr std::size_t longest = 64;
    std::string safe;
    for (std::string_view name = std::string_view(path).substr(path.find_last_of('/') + 1); !name.empty();) {
        const CodePoint point = first_code_point(name);
        const bool kept =
            point.valid && (is_letter_beyond_ascii(point.value) || (point.length == 1 && file_name_safe(name.front())));
        if (safe.size() + (kept ? point.length : 1) > longest) break;
        safe += kept ? name.substr(0, point.length) : "_";
        name.remove_prefix(point.length);
    }
    return fmt::format("{}-{}-{:016x}", kind, safe, fnv1a(path));
}

/// Suffix for the second and later logical units of one USB device, which are slots of a reader.
std::string lun_suffix(const Medium& medium, std::string_view form) {
    const std::uint64_t lun = medium.lun.value_or(0);
    return lun == 0 ? std::string() : fmt::format(fmt::runtime(form), lun);
}

std::string node_name(const Medium& medium) {
    return medium.node.substr(medium.node.find_last_of('/') + 1);
}

} // namespace

std::string presence_of(const Medium& medium) {
    if (medium.transport == Transport::image && medium.file)
        return fmt::format("file {}:{} {}", medium.file->device, medium.file->inode, medium.file_born_ns);
    return fmt::format("block {}:{} #{}", medium.number.major, medium.number.minor, medium.disk_sequence);
}

std::string device_key(const Medium& medium) {
    // Exclude the CID's last byte: it is the checksum, which some hosts replace by zero, and the key of a card must not
    // depend on the host.
    constexpr std::size_t cid_digits = 30;
    if (medium.sd && medium.sd->cid.size() >= cid_digits) return "sd-" + key_part(medium.sd->cid.substr(0, cid_digits));
    if (medium.transport == Transport::directory) return path_key("directory", medium.node);
    if (medium.transport == Transport::image) return path_key("image", medium.node);
    if (!medium.backing_file.empty()) return path_key("image", medium.backing_file);
    if (medium.usb) {
        const std::string base = joined("usb", {medium.usb->vendor_id, medium.usb->product_id});
        const std::string lun = lun_suffix(medium, "-lun{}");
        if (!medium.serial.empty()) return base + "-" + key_part(medium.serial) + lun;
        return base + "-at-" + key_part(medium.usb->port_path) + lun;
    }
    if (!medium.serial.empty()) return joined(name_of(medium.transport), {medium.vendor, medium.model, medium.serial});
    return joined(name_of(medium.transport), {medium.vendor, medium.model, node_name(medium)});
}

std::string confirmation_of(const Medium& medium) {
    if (!medium.serial.empty()) return medium.serial;
    if (!medium.backing_file.empty()) return medium.backing_file;
    return medium.node;
}

std::string port_confirmation_of(const Medium& medium) {
    if (!medium.usb || medium.usb->port_path.empty()) return {};
    return "usb port path " + medium.usb->port_path + lun_suffix(medium, " lun {}");
}

bool may_have_smart(const Medium& medium) {
    return medium.transport == Transport::usb || medium.transport == Transport::sata ||
           medium.transport == Transport::scsi || medium.transport == Transport::nvme;
}

bool may_have_card_health(const Medium& medium) {
    return node_name(medium).starts_with("mmcblk");
}

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blank{" \t\r\n\v\f\0", 7};
    const auto first = text.find_first_not_of(blank);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

std::string typeable(std::string_view raw) {
    return mediarig::printable(trimmed(raw), "?");
}

} // namespace mediarig::media
