// SPDX-License-Identifier: GPL-3.0-or-later
/// Damages one field at a time, and collects the faults that the inspector reports.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <string>
#include <vector>

#include "host/media/inspect/inspect.hpp"
#include "tests/catch.hpp"
#include "tests/media/inspect/image.hpp"

namespace mediarig::test {

using Catch::Matchers::StartsWith;

struct Damage {
    const char* field;      ///< name of the field in the specification, which the complaint must contain
    std::uint64_t named_at; ///< the offset that the complaint must contain
    std::uint64_t offset;   ///< offset of the damage
    std::vector<int> bytes;
};

/// All reported faults.
inline std::string complaints(const Image& image, std::uint32_t sector = 512) {
    const auto report = media::inspect(image.descriptor(), image.size(), sector);
    if (!report) return report.error().detail;
    std::string all = report->problem;
    for (const media::InspectedVolume& volume : report->volumes) all += '\n' + volume.problem;
    return all.find_first_not_of('\n') == std::string::npos ? "" : all;
}

using MakeImage = std::function<Image()>;
/// Corrects data that depend on a damaged field (checksums, copies), so that the field itself is checked.
using Mend = std::function<void(Image&, const Damage&)>;

inline void is_named_each_time(const MakeImage& healthy, const std::vector<Damage>& damages, const Mend& mend,
                               std::uint32_t sector = 512) {
    {
        const Image image = healthy();
        CHECK(complaints(image, sector).empty());
    }
    for (const Damage& damage : damages) {
        Image image = healthy();
        INFO(damage.field << " at byte " << damage.offset);
        CHECK(image.read(damage.offset, damage.bytes.size()) != [&] {
            std::vector<std::byte> bytes;
            for (const int byte : damage.bytes) bytes.push_back(static_cast<std::byte>(byte));
            return bytes;
        }()); // the field must change, otherwise there is no damage
        image.write(damage.offset, damage.bytes);
        mend(image, damage);
        const std::string said = complaints(image, sector);
        CHECK_THAT(said, ContainsSubstring(damage.field));
        CHECK_THAT(said, ContainsSubstring(fmt::format("byte {}", damage.named_at)));
    }
}

inline void is_not_noticed_once(const MakeImage& healthy, const std::vector<Damage>& changes, const Mend& mend,
                                std::uint32_t sector = 512) {
    for (const Damage& change : changes) {
        Image image = healthy();
        INFO(change.field << " at byte " << change.offset);
        image.write(change.offset, change.bytes);
        mend(image, change);
        CHECK(complaints(image, sector).empty());
    }
}

inline std::vector<int> be16(unsigned value) {
    return {static_cast<int>(value >> 8 & 0xFF), static_cast<int>(value & 0xFF)};
}
inline std::vector<int> be32(std::uint32_t value) {
    return {static_cast<int>(value >> 24), static_cast<int>(value >> 16 & 0xFF), static_cast<int>(value >> 8 & 0xFF),
            static_cast<int>(value & 0xFF)};
}
inline std::vector<int> be64(std::uint64_t value) {
    std::vector<int> bytes = be32(static_cast<std::uint32_t>(value >> 32));
    const std::vector<int> low = be32(static_cast<std::uint32_t>(value));
    bytes.insert(bytes.end(), low.begin(), low.end());
    return bytes;
}

} // namespace mediarig::test
