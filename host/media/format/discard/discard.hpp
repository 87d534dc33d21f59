// SPDX-License-Identifier: GPL-3.0-or-later
/// Tells a medium that nothing on it is needed any more, and finds out what that does. A device may take the command
/// and do nothing, and a kernel may say that it was done where the device refused it, so the answer is never believed:
/// marks that were written before are read back.
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
class Fault;
} // namespace mediarig::codec

namespace mediarig::media {

enum class DiscardEffect : std::uint8_t {
    none,     ///< the medium takes no discard
    zeros,    ///< every mark reads as zeros
    ones,     ///< every mark reads as ones, as erased flash does
    old_data, ///< every mark is still there: the medium may have heard it, and shows nothing
    mixed,    ///< marks differ, or something else is read, or nothing can be
    unknown,  ///< no mark could be read back before it, so that nothing after it says anything
};

struct DiscardReport {
    bool taken{};                       ///< false: the medium takes none, and nothing else is told
    Bytes length;                       ///< what was discarded, from byte 0 on
    std::chrono::nanoseconds elapsed{}; ///< of the commands and of the flush behind them
    /// How many marks read afterwards as zeros, as ones, as what was written, as something else or not at all. Marks
    /// that could not be read back before it are none of them.
    std::uint32_t zeros{}, ones{}, kept{}, other{};
    bool operator==(const DiscardReport&) const = default;
};
[[nodiscard]] DiscardEffect effect_of(const DiscardReport& report);
/// "64.0 GB in 1.2 s, reads as zeros", "the medium takes no discard"; for the journal.
[[nodiscard]] std::string text_of(const DiscardReport& report);

[[nodiscard]] nlohmann::json to_json(const DiscardReport& report);
/// Fails with bad_format, naming the member.
[[nodiscard]] Result<DiscardReport> discard_report_from_json(const nlohmann::json& json);
// As in host/media/format_options.hpp.
void read_form(const nlohmann::json& from, const codec::Path& at, DiscardReport& report, codec::Fault& fault);
void check_form(const DiscardReport& report, const codec::Path& at, codec::Fault& fault);

/// Port: the medium. The adapter for a claimed device is linux/.
class Discardable {
public:
    virtual ~Discardable() = default;
    /// Fails with io_failed: the place cannot be written.
    [[nodiscard]] virtual Result<void> write(Bytes at, std::span<const std::byte> bytes) = 0;
    /// Fails with io_failed: the place cannot be read.
    [[nodiscard]] virtual Result<void> read(Bytes at, std::span<std::byte> bytes) = 0;
    /// What was written is on the medium, and the next read is answered by it.
    [[nodiscard]] virtual Result<void> settle() = 0;
    /// False: the medium takes no discard. Fails with io_failed, and with refused where the device is another one.
    [[nodiscard]] virtual Result<bool> discard(Bytes at, Bytes length) = 0;
};

struct DiscardTerms {
    Bytes size;                        ///< of the medium
    Bytes granularity;                 ///< of its discards; 0: not told
    std::uint64_t start_value{};       ///< of the marks: each discard has its own, so that old marks are none
    const std::atomic<bool>* cancel{}; ///< may be null
};
/// Marks are this long, in the middle of this many equal parts of the medium.
inline constexpr Bytes mark_length = 4_KiB;
inline constexpr std::uint32_t mark_count = 8;
/// About how much one command discards: between two of them somebody may stop it.
inline constexpr Bytes discard_piece = 1_GiB;

/// All of the medium, from its first byte to its last. Fails with cancelled, io_failed and as Discardable does; what
/// has been discarded by then stays so. A mark that cannot be written or read is no failure.
[[nodiscard]] Result<DiscardReport> discard_all(Discardable& medium, const DiscardTerms& terms);

} // namespace mediarig::media
