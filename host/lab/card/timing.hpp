// SPDX-License-Identifier: GPL-3.0-or-later
/// Duration of the requests of a medium. Pure: the time is a parameter, nothing waits.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>

#include "host/lab/card/config.hpp"
#include "host/lab/card/flash.hpp"

namespace mediarig::lab {

/// Time since the medium was created.
using Moment = std::chrono::nanoseconds;

/// Rate limits set at run time.
struct Throttle {
    std::optional<Rate> read{}, write{};
    bool operator==(const Throttle&) const = default;
};

class Timing {
public:
    enum class Transfer : std::uint8_t { read, write };

    explicit Timing(const CardConfig& config);

    /// Returns the duration of a transfer that begins at `now`. Requests are sequential: if `now` is before the end of
    /// the last request, that end is used. The range must be inside the claimed size.
    std::chrono::nanoseconds transfer(Transfer kind, std::uint64_t offset, Bytes size, Moment now);
    std::chrono::nanoseconds flush(Moment now);
    /// Returns the duration of a trim or of a refused request: only the command overhead.
    std::chrono::nanoseconds command(Moment now);

    void throttle(const Throttle& throttle) { throttle_ = throttle; }
    [[nodiscard]] const Throttle& throttle() const { return throttle_; }
    /// Returns the ambient temperature if no heat is modelled.
    [[nodiscard]] double celsius() const { return celsius_; }
    [[nodiscard]] std::optional<Bytes> slc_free_space() const;

private:
    /// Returns the cost of the last unit of a finished command; the next request has to wait for it.
    [[nodiscard]] std::chrono::nanoseconds settle();
    void rest_until(Moment now);
    void busy_for(std::chrono::nanoseconds took, Bytes moved);
    void cool(std::chrono::nanoseconds time);
    [[nodiscard]] std::chrono::nanoseconds move_head(std::uint64_t offset);
    [[nodiscard]] double rate_at(std::uint64_t offset) const;
    /// Returns the seconds for the data alone.
    [[nodiscard]] double data_seconds(Transfer kind, std::uint64_t offset, Bytes size,
                                      const std::optional<Rate>& own_rate);

    CardConfig config_;
    Throttle throttle_;
    Moment free_at_{};
    std::optional<Transfer> last_kind_{};
    std::array<std::optional<std::uint64_t>, 2> next_offset_{}; ///< end of the last read and of the last write
    std::uint64_t head_{};                                      ///< head of a disk: end of the last request
    SplitMix rotation_;
    std::optional<SlcState> slc_;
    std::optional<CollectionState> collection_;
    std::optional<EraseUnitState> erase_units_;
    std::optional<ProgramUnitState> program_units_;
    double celsius_;
    bool throttled_by_heat_{false};
};

} // namespace mediarig::lab
