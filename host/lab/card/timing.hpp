// SPDX-License-Identifier: GPL-3.0-or-later
/// How long a medium takes for what it is asked. Pure: the time is passed in, nothing waits.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>

#include "host/lab/card/config.hpp"
#include "host/lab/card/flash.hpp"

namespace mediarig::lab {

/// Since the medium was made.
using Moment = std::chrono::nanoseconds;

/// Caps that somebody sets while the medium runs.
struct Throttle {
    std::optional<Rate> read{}, write{};
    bool operator==(const Throttle&) const = default;
};

class Timing {
public:
    enum class Transfer : std::uint8_t { read, write };

    explicit Timing(const CardConfig& config);

    /// A transfer that begins at `now`. Requests come one after the other: an earlier `now` than the end of the last
    /// request counts as that end. Needs a range inside the claimed size.
    std::chrono::nanoseconds transfer(Transfer kind, std::uint64_t offset, Bytes size, Moment now);
    std::chrono::nanoseconds flush(Moment now);
    /// Trimming, and requests that are refused: the overhead of a command alone.
    std::chrono::nanoseconds command(Moment now);

    void throttle(const Throttle& throttle) { throttle_ = throttle; }
    [[nodiscard]] const Throttle& throttle() const { return throttle_; }
    /// The ambient one where no heat is modelled.
    [[nodiscard]] double celsius() const { return celsius_; }
    [[nodiscard]] std::optional<Bytes> slc_room() const;

private:
    /// What a finished command's last unit costs, which whoever comes next has to wait for.
    [[nodiscard]] std::chrono::nanoseconds settle();
    void rest_until(Moment now);
    void busy_for(std::chrono::nanoseconds took, Bytes moved);
    void cool(std::chrono::nanoseconds time);
    [[nodiscard]] std::chrono::nanoseconds move_head(std::uint64_t offset);
    [[nodiscard]] double rate_at(std::uint64_t offset) const;
    /// Seconds for the data alone.
    [[nodiscard]] double data_seconds(Transfer kind, std::uint64_t offset, Bytes size,
                                      const std::optional<Rate>& own_rate);

    CardConfig config_;
    Throttle throttle_;
    Moment free_at_{};
    std::optional<Transfer> last_kind_{};
    std::array<std::optional<std::uint64_t>, 2> next_offset_{}; ///< where the last read, the last write ended
    std::uint64_t head_{};                                      ///< of a disk: where its last request ended
    SplitMix rotation_;
    std::optional<SlcState> slc_;
    std::optional<CollectionState> collection_;
    std::optional<EraseUnitState> erase_units_;
    std::optional<ProgramUnitState> program_units_;
    double celsius_;
    bool throttled_by_heat_{false};
};

} // namespace mediarig::lab
