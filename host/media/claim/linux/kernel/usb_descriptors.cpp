// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/claim/linux/kernel/usb_descriptors.hpp"

#include <algorithm>
#include <cstdint>

namespace mediarig::media {
namespace {

unsigned byte_at(std::string_view data, std::size_t index) {
    return static_cast<unsigned char>(data[index]);
}

std::uint32_t little_endian(std::string_view data, std::size_t at, std::size_t bytes) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < bytes; ++i) value |= static_cast<std::uint32_t>(byte_at(data, at + i)) << 8 * i;
    return value;
}

/// Calls `visit` with each descriptor (length, type, …), up to the first descriptor that exceeds the data.
template <class Visit>
void for_each_descriptor(std::string_view data, Visit visit) {
    while (data.size() >= 2) {
        const std::size_t length = byte_at(data, 0);
        if (length < 2 || length > data.size()) return;
        visit(data.substr(0, length));
        data.remove_prefix(length);
    }
}

double super_speed(std::string_view capability) {
    constexpr std::size_t shortest = 6;
    if (capability.size() < shortest) return 0;
    const std::uint32_t speeds = little_endian(capability, 4, 2);
    return (speeds & 8u) != 0 ? 5000 : (speeds & 4u) != 0 ? 480 : (speeds & 2u) != 0 ? 12 : 0;
}

double super_speed_plus(std::string_view capability) {
    constexpr std::size_t first = 12, each = 4;
    double fastest = 0;
    for (std::size_t at = first; at + each <= capability.size(); at += each) {
        const std::uint32_t attribute = little_endian(capability, at, each);
        constexpr double mbit_of_exponent[] = {1e-6, 1e-3, 1, 1e3};
        const double mbit = (attribute >> 16) * mbit_of_exponent[attribute >> 4 & 3u];
        // 80 Gbit/s is the fastest speed of any USB version; ignore higher values.
        if (mbit <= 80'000) fastest = std::max(fastest, mbit);
    }
    return fastest;
}

} // namespace

UsbStorageOffers storage_offers_in(std::string_view descriptors) {
    UsbStorageOffers offers;
    for_each_descriptor(descriptors, [&](std::string_view descriptor) {
        constexpr unsigned interface = 4, mass_storage = 0x08, scsi = 0x06, bot = 0x50, uas = 0x62;
        constexpr std::size_t length = 9;
        if (byte_at(descriptor, 1) != interface || descriptor.size() < length) return;
        if (byte_at(descriptor, 5) != mass_storage || byte_at(descriptor, 6) != scsi) return;
        offers.bot = offers.bot || byte_at(descriptor, 7) == bot;
        offers.uas = offers.uas || byte_at(descriptor, 7) == uas;
    });
    return offers;
}

double capable_speed_in(std::string_view bos) {
    double fastest = 0;
    for_each_descriptor(bos, [&](std::string_view descriptor) {
        constexpr unsigned device_capability = 0x10, super = 0x03, super_plus = 0x0A;
        if (byte_at(descriptor, 1) != device_capability || descriptor.size() < 3) return;
        if (byte_at(descriptor, 2) == super) fastest = std::max(fastest, super_speed(descriptor));
        if (byte_at(descriptor, 2) == super_plus) fastest = std::max(fastest, super_speed_plus(descriptor));
    });
    return fastest;
}

} // namespace mediarig::media
