// SPDX-License-Identifier: GPL-3.0-or-later
/// A small disk in memory that loses its power at a chosen write, and an undo file in memory that fails on request.
#pragma once

#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "common/split_mix.hpp"
#include "host/workload/io/undo_storage.hpp"
#include "host/workload/jobs/probe_sampler.hpp"

namespace mediarig::tests {

class CutDisk final : public workload::ProbedMedium {
public:
    static constexpr std::size_t unit = 512;
    static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
    enum class Caches : std::uint8_t { no, writes };

    /// Addresses wrap after `real` bytes. With a cache, writes reach the memory at a flush, in ascending order of their
    /// addresses; a loss of power keeps every second of them.
    CutDisk(Bytes claimed, Bytes real, Caches caches = Caches::no)
        : memory(static_cast<std::size_t>(real.count)), claimed_(claimed), caches_(caches) {
        SplitMix noise(real.count);
        for (std::size_t at = 0; at < memory.size(); at += sizeof(std::uint64_t)) {
            const std::uint64_t next = noise.next();
            std::memcpy(memory.data() + at, &next, sizeof next);
        }
    }

    Bytes size() const override { return claimed_; }
    Bytes sector() const override { return {unit}; }
    int write(std::span<const std::byte> bytes, std::uint64_t offset) override {
        if (!powered) return ENODEV;
        if (writes == cut_at) {
            // The first half of the sectors arrives.
            store(bytes.first(bytes.size() / unit / 2 * unit), offset);
            cut();
            return ENODEV;
        }
        ++writes;
        for (std::size_t at = 0; at < bytes.size(); at += unit)
            if (refuses.contains(offset + at)) return EIO;
        store(bytes, offset);
        return 0;
    }
    int read(std::span<std::byte> bytes, std::uint64_t offset) override {
        if (!powered) return ENODEV;
        for (std::size_t at = 0; at < bytes.size(); at += unit) {
            if (unreadable.contains(offset + at)) return EIO;
            const auto cached = cache_.find(offset + at);
            const std::byte* from = cached != cache_.end() ? cached->second.data() : place(offset + at);
            std::memcpy(bytes.data() + at, from, unit);
        }
        return 0;
    }
    int flush() override {
        if (!powered) return ENODEV;
        if (refuses_flush) return EIO;
        for (const auto& [offset, sector] : cache_) std::memcpy(place(offset), sector.data(), unit);
        cache_.clear();
        return 0;
    }
    bool gone(int error) override { return error == ENODEV; }

    void power_on() {
        powered = true;
        cut_at = never;
    }

    std::vector<std::byte> memory;
    std::set<std::uint64_t> unreadable, refuses; ///< sectors
    std::uint64_t writes{}, cut_at{never};       ///< the write with this index loses the power
    bool powered{true}, refuses_flush{};

private:
    std::byte* place(std::uint64_t offset) { return memory.data() + offset % memory.size(); }
    void store(std::span<const std::byte> bytes, std::uint64_t offset) {
        for (std::size_t at = 0; at < bytes.size(); at += unit) {
            if (caches_ == Caches::writes)
                std::memcpy(cache_[offset + at].data(), bytes.data() + at, unit);
            else
                std::memcpy(place(offset + at), bytes.data() + at, unit);
        }
    }
    void cut() {
        powered = false;
        bool kept = true;
        for (const auto& [offset, sector] : cache_)
            if (kept = !kept; kept) std::memcpy(place(offset), sector.data(), unit);
        cache_.clear();
    }

    Bytes claimed_;
    Caches caches_;
    std::map<std::uint64_t, std::array<std::byte, unit>> cache_;
};

class MemoryUndo final : public workload::UndoStorage {
public:
    Result<void> append(std::span<const std::byte> bytes) override {
        if (appends++ >= appends_at_most) {
            // A host that crashes has written a part of the batch.
            file.insert(file.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(bytes.size() * 2 / 3));
            return fail(Errc::host_fault, "the disk of this machine is full");
        }
        file.insert(file.end(), bytes.begin(), bytes.end());
        return {};
    }
    Result<void> shorten(std::uint64_t size) override {
        file.resize(static_cast<std::size_t>(size));
        return {};
    }
    Result<std::span<const std::byte>> contents() override { return std::span<const std::byte>(file); }
    Result<void> remove() override {
        file.clear();
        ++removals;
        return {};
    }
    std::string name() const override { return "card.undo"; }

    std::vector<std::byte> file;
    std::uint64_t appends{}, appends_at_most{CutDisk::never}, removals{};
};

} // namespace mediarig::tests
