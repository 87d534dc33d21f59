// SPDX-License-Identifier: GPL-3.0-or-later
/// Flash states that slow down writes: full fast cache, garbage collection, partially written units. Each model
/// receives events and returns a cost. Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>

#include "common/split_mix.hpp"
#include "host/lab/card/config.hpp"

namespace mediarig::lab {

class SlcState {
public:
    explicit SlcState(const SlcCache& cache) : cache_(cache) {}
    /// Accounts for idle time.
    void rest(std::chrono::nanoseconds idle);
    [[nodiscard]] Bytes free_space() const;
    void fill(Bytes written);
    [[nodiscard]] const SlcCache& cache() const { return cache_; }

private:
    SlcCache cache_;
    double filled_{}; ///< bytes; a fraction, because recovery is a rate
};

class CollectionState {
public:
    CollectionState(const GarbageCollection& collection, std::uint64_t start_value);
    /// Returns the delay of a write of `written` bytes; mostly 0.
    std::chrono::nanoseconds write(Bytes written);

private:
    /// Returns `value` varied by at most the jitter.
    double varied(double value);
    GarbageCollection collection_;
    SplitMix draws_;
    double until_next_; ///< bytes until the next stall
};

class EraseUnitState {
public:
    explicit EraseUnitState(const EraseUnit& unit) : unit_(unit) {}
    /// Returns the number of units that must be copied because of this write.
    std::uint64_t write(std::uint64_t offset, Bytes size);
    [[nodiscard]] const EraseUnit& unit() const { return unit_; }

private:
    struct Open {
        std::uint64_t index;     ///< number of the unit
        std::uint64_t filled_to; ///< offset on the medium
    };
    std::uint64_t write_in_unit(std::uint64_t index, std::uint64_t from, std::uint64_t to);
    EraseUnit unit_;
    std::deque<Open> open_; ///< most recently written at the back
};

class ProgramUnitState {
public:
    explicit ProgramUnitState(const ProgramUnit& unit) : unit_(unit) {}
    /// Returns the number of units found to be partially written. `goes_on`: the write belongs to the same command as
    /// the last one and starts at its end. The last unit of a command is counted only when the command is known to be
    /// complete.
    std::uint64_t write(std::uint64_t offset, Bytes size, bool goes_on);
    /// Ends the last command: returns 1 if its last unit is partially written.
    std::uint64_t settle();
    [[nodiscard]] const ProgramUnit& unit() const { return unit_; }

private:
    ProgramUnit unit_;
    bool open_{};           ///< the current command began its last unit and has not filled it yet
    bool from_its_start_{}; ///< the open unit was written from its start
};

} // namespace mediarig::lab
