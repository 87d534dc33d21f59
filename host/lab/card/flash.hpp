// SPDX-License-Identifier: GPL-3.0-or-later
/// The states of flash that make a write slow: a fast cache that is full, tidying up, units written in parts.
/// Each is fed with what happens and answers with a cost. Pure.
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
    /// The medium was idle for so long.
    void rest(std::chrono::nanoseconds idle);
    [[nodiscard]] Bytes room() const;
    void fill(Bytes written);
    [[nodiscard]] const SlcCache& cache() const { return cache_; }

private:
    SlcCache cache_;
    double filled_{}; ///< bytes; fractions, because recovery is a rate
};

class CollectionState {
public:
    CollectionState(const GarbageCollection& collection, std::uint64_t start_value);
    /// How long a write of so much waits; mostly 0.
    std::chrono::nanoseconds write(Bytes written);

private:
    /// `value`, more or less by up to the jitter.
    double varied(double value);
    GarbageCollection collection_;
    SplitMix draws_;
    double until_next_; ///< bytes
};

class EraseUnitState {
public:
    explicit EraseUnitState(const EraseUnit& unit) : unit_(unit) {}
    /// How many units have to be copied because of this write.
    std::uint64_t write(std::uint64_t offset, Bytes size);
    [[nodiscard]] const EraseUnit& unit() const { return unit_; }

private:
    struct Open {
        std::uint64_t index;     ///< of the unit
        std::uint64_t filled_to; ///< offset on the medium
    };
    std::uint64_t write_in_unit(std::uint64_t index, std::uint64_t from, std::uint64_t to);
    EraseUnit unit_;
    std::deque<Open> open_; ///< the one written last at the back
};

class ProgramUnitState {
public:
    explicit ProgramUnitState(const ProgramUnit& unit) : unit_(unit) {}
    /// How many units are found to be written in part now. `goes_on`: part of the same command as the last write, which
    /// ended here. The last unit of a command is decided about when the command is known to be over.
    std::uint64_t write(std::uint64_t offset, Bytes size, bool goes_on);
    /// The last command is over: 1 if it left its last unit unfilled.
    std::uint64_t settle();
    [[nodiscard]] const ProgramUnit& unit() const { return unit_; }

private:
    ProgramUnit unit_;
    bool open_{};           ///< a command has begun the unit in which it ended so far, and not filled it
    bool from_its_start_{}; ///< of the open unit
};

} // namespace mediarig::lab
