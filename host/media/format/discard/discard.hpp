// SPDX-License-Identifier: GPL-3.0-or-later
/// Discards the contents of a medium and measures the effect. A device may accept the command and do nothing, and a
/// kernel may report success although the device refused. Therefore marks are written before and read back afterwards.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "common/units.hpp"
#include "host/base/result.hpp"

namespace mediarig::codec {
struct Path;
class DecodeError;
} // namespace mediarig::codec

namespace mediarig::media {

enum class DiscardEffect : std::uint8_t {
    none,     ///< the medium does not support discard
    zeros,    ///< every mark reads as zeros
    ones,     ///< every mark reads as bytes of FF, as erased flash does
    old_data, ///< every mark is unchanged: the medium may have accepted the command without visible effect
    mixed,    ///< marks differ, contain other data, or cannot be read
    unknown,  ///< no mark could be read back before the discard, so the effect is unknown
};

struct DiscardReport {
    bool taken{};                       ///< false: the medium does not support discard; other fields are unset
    Bytes length;                       ///< discarded bytes, from byte 0
    std::chrono::nanoseconds elapsed{}; ///< duration of the commands and of the flush after them
    /// Number of marks that read afterwards as zeros, as bytes of FF, unchanged, or as other data or not at all. Marks
    /// that could not be read back before the discard are not counted.
    std::uint32_t zeros{}, ones{}, kept{}, other{};
    bool operator==(const DiscardReport&) const = default;
};
[[nodiscard]] DiscardEffect effect_of(const DiscardReport& report);
/// "64.0 GB in 1.2 s, reads as zeros", "the medium does not support discard"; for the journal.
[[nodiscard]] std::string text_of(const DiscardReport& report);

[[nodiscard]] nlohmann::json to_json(const DiscardReport& report);
/// Fails with bad_format and names the member.
[[nodiscard]] Result<DiscardReport> discard_report_from_json(const nlohmann::json& json);
// See host/media/format_options.hpp.
void read_form(const nlohmann::json& from, const codec::Path& at, DiscardReport& report, codec::DecodeError& fault);
void check_form(const DiscardReport& report, const codec::Path& at, codec::DecodeError& fault);

/// Port: the medium. The adapter for a claimed device is linux/.
class Discardable {
public:
    virtual ~Discardable() = default;
    /// Writes at an offset of the medium. Fails with io_failed.
    [[nodiscard]] virtual Result<void> write(Bytes at, std::span<const std::byte> bytes) = 0;
    /// Reads at an offset of the medium. Fails with io_failed.
    [[nodiscard]] virtual Result<void> read(Bytes at, std::span<std::byte> bytes) = 0;
    /// Flushes writes to the medium and drops the cache, so that the next read reaches the medium.
    [[nodiscard]] virtual Result<void> drop_cached_data() = 0;
    /// Returns false if the medium does not support discard. Fails with io_failed, and with refused if the device has
    /// changed.
    [[nodiscard]] virtual Result<bool> discard(Bytes at, Bytes length) = 0;
};

struct DiscardTerms {
    Bytes size;                  ///< size of the medium
    Bytes granularity;           ///< unit of the medium's discards; 0 if unknown
    std::uint64_t start_value{}; ///< seed of the marks; different for each discard, so that old marks do not match
    const std::atomic<bool>* cancel{}; ///< may be null
};
/// Length of a mark. One mark is in the middle of each of `mark_count` equal parts of the medium.
inline constexpr Bytes mark_length = 4_KiB;
inline constexpr std::uint32_t mark_count = 8;
/// Approximate length of one discard command; cancellation is checked between commands.
inline constexpr Bytes discard_piece = 1_GiB;

/// Discards the whole medium. Fails with cancelled, io_failed and the errors of Discardable; ranges discarded before
/// the failure stay discarded. A mark that cannot be written or read is not a failure.
[[nodiscard]] Result<DiscardReport> discard_all(Discardable& medium, const DiscardTerms& terms);

} // namespace mediarig::media
