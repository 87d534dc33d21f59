// SPDX-License-Identifier: GPL-3.0-or-later
/// A card in memory with a false size in one of the known ways, which fails on request.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <unordered_map>

#include "host/workload/jobs/probe_sampler.hpp"

namespace mediarig::tests {

struct FakeCardSpec {
    enum class OverflowBehaviour : std::uint8_t {
        nothing,      ///< genuine: real == claimed
        wrap,         ///< overwrites lower addresses
        drop_zeros,   ///< drops writes, reads give zeros
        drop_ones,    ///< drops writes, reads give 0xff
        drop_old,     ///< drops writes, reads return lower addresses
        garbage,      ///< drops writes, reads give constant noise
        garbage_anew, ///< drops writes, reads give new noise each time
        errors,       ///< reads and writes fail
        read_errors,  ///< only reads fail
    };
    Bytes claimed, real;
    OverflowBehaviour beyond{OverflowBehaviour::nothing};
    /// Addresses wrap after this many bytes instead of after `real`. Between the two, `beyond` applies.
    Bytes modulus{};
    Bytes sector{512};
    Bytes cache{}; ///< volatile: serves reads of this number of bytes written last
    enum class Caches : std::uint8_t { everything, only_what_it_cannot_keep } caches{};
};

class FakeCard final : public workload::ProbedMedium {
public:
    explicit FakeCard(FakeCardSpec spec) : spec_(spec) {}

    Bytes size() const override { return spec_.claimed; }
    Bytes sector() const override { return spec_.sector; }
    int write(std::span<const std::byte> bytes, std::uint64_t offset) override;
    int read(std::span<std::byte> bytes, std::uint64_t offset) override;
    int flush() override {
        ++flushes;
        return 0;
    }
    bool gone(int error) override { return error == no_device; }

    static constexpr int no_device = 19; ///< ENODEV
    static constexpr std::uint64_t unit = 512;

    std::set<std::uint64_t> bad; ///< offsets of sectors that can be neither read nor written
    /// Called before each write with its offset. A test may change the card in this call.
    std::function<void(std::uint64_t offset)> when_written;
    /// Sectors lost at the first write and kept from the second on.
    std::set<std::uint64_t> loses_once;
    bool vanished{};
    bool read_only{}; ///< accepts writes and drops them
    std::uint64_t written{}, flushes{};
    /// The place in the memory of an address, instead of that address or of the wrapped one.
    std::function<std::uint64_t(std::uint64_t offset)> memory;
    /// The number of bytes after which the medium accepts and drops all writes.
    std::uint64_t stores_until{~std::uint64_t{0}};
    /// Former content of unwritten sectors.
    std::function<std::byte(std::uint64_t offset)> old = [](std::uint64_t) { return std::byte{0}; };

private:
    using Sector = std::array<std::byte, unit>;
    using Page = std::array<std::byte, 4096>;
    void store(std::uint64_t place, std::span<const std::byte> sector);
    void load(std::uint64_t place, std::span<std::byte> sector) const;
    void put_in_cache(std::uint64_t offset, std::span<const std::byte> sector);
    [[nodiscard]] std::uint64_t folded(std::uint64_t offset) const;
    void read_beyond(std::span<std::byte> sector, std::uint64_t offset);

    FakeCardSpec spec_;
    std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
    std::unordered_map<std::uint64_t, std::pair<std::uint64_t, Sector>> cached_; ///< offset -> time, content
    std::deque<std::pair<std::uint64_t, std::uint64_t>> order_;                  ///< time, offset
    std::uint64_t time_{};
};

} // namespace mediarig::tests
