// SPDX-License-Identifier: GPL-3.0-or-later
/// A bare disk in memory that fails in the ways of real cards and readers, and the system that contains it.
#pragma once

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "host/workload/io/system.hpp"

namespace mediarig::tests {

/// A test changes the members before or during a job. Used by one transfer at a time.
class FaultyDisk {
public:
    explicit FaultyDisk(Bytes size) : bytes(size.count) {}

    /// Called before each transfer. Returns its errno, or 0 if the transfer succeeds.
    std::function<int(bool writing, std::uint64_t offset, std::size_t length)> fault;
    /// False: the write is accepted and dropped.
    std::function<bool(std::uint64_t offset)> keeps = [](std::uint64_t) { return true; };
    /// Bytes written last that reads return, whether the disk keeps them or not.
    std::uint64_t cache{};
    bool caches_only_lost{}; ///< the cache contains only data that the disk does not keep
    bool returns_zeros{};    ///< each read returns zeros
    bool known{true};        ///< false: the device is not known, and it cannot be tested whether the device responds
    std::uint64_t written{}, read{}, failed{};
    std::vector<std::byte> bytes;

    int write(std::span<const std::byte> from, std::uint64_t offset) {
        if (const int error = fails(true, offset, from.size()); error != 0) return error;
        for (std::size_t at = 0; at < from.size(); at += sector) {
            const bool kept = keeps(offset + at);
            if (kept) std::memcpy(bytes.data() + offset + at, from.data() + at, sector);
            if (cache > 0 && !(kept && caches_only_lost)) put_in_cache(offset + at, from.subspan(at, sector));
        }
        written += from.size();
        return 0;
    }
    int load(std::span<std::byte> into, std::uint64_t offset) {
        if (const int error = fails(false, offset, into.size()); error != 0) return error;
        std::memcpy(into.data(), bytes.data() + offset, into.size());
        for (std::size_t at = 0; at < into.size() && !cached_.empty(); at += sector)
            if (const auto found = cached_.find(offset + at); found != cached_.end())
                std::memcpy(into.data() + at, found->second.content.data(), sector);
        if (returns_zeros) std::ranges::fill(into, std::byte{0});
        read += into.size();
        return 0;
    }

    static constexpr std::size_t sector = 512;

private:
    struct CachedSector {
        std::uint64_t when{};
        std::array<std::byte, sector> content{};
    };
    void put_in_cache(std::uint64_t offset, std::span<const std::byte> from) {
        CachedSector& entry = cached_[offset];
        entry.when = ++time_;
        std::ranges::copy(from, entry.content.begin());
        order_.emplace_back(entry.when, offset);
        while (cached_.size() * sector > cache) {
            const auto [when, oldest] = order_.front();
            order_.pop_front();
            if (const auto found = cached_.find(oldest); found != cached_.end() && found->second.when == when)
                cached_.erase(found);
        }
    }
    std::unordered_map<std::uint64_t, CachedSector> cached_;    ///< by offset
    std::deque<std::pair<std::uint64_t, std::uint64_t>> order_; ///< time, offset
    std::uint64_t time_{};

    int fails(bool writing, std::uint64_t offset, std::size_t length) {
        const int error = fault ? fault(writing, offset, length) : 0;
        if (error != 0) ++failed;
        return error;
    }
};

class FaultySystem final : public workload::System {
public:
    explicit FaultySystem(FaultyDisk& disk) : disk_(disk) {}

    const workload::TickClock& clock() const override {
        static const workload::TickClock clock = workload::TickClock::monotonic();
        return clock;
    }
    Result<std::unique_ptr<workload::MediumFile>> reopen(int, workload::CachePolicy cache,
                                                         workload::SyncLevel) const override {
        return std::make_unique<File>(disk_, cache);
    }
    Result<Descriptor> open_directory(const std::string&) const override { return Descriptor{}; }
    Result<std::unique_ptr<workload::WorkFolder>> make_work_folder(const workload::JobTarget&) const override {
        return fail(Errc::bad_request, "this disk has no file system");
    }
    std::unique_ptr<workload::BackingDevice> backing_device(const workload::JobTarget&) const override {
        return std::make_unique<Device>(disk_);
    }
    bool forget_names() const override { return true; }
    Result<std::unique_ptr<workload::RequestQueue>> make_request_queue(std::uint32_t) const override {
        return fail(Errc::bad_request, "this system has no asynchronous requests");
    }
    Result<void> check_engine(workload::Engine) const override { return {}; }
    Result<workload::CellRunEnd> run_cell(workload::Engine, const workload::CellRun&) const override {
        return fail(Errc::bad_request, "this system runs no cells");
    }

    [[nodiscard]] static workload::JobTarget target() {
        workload::JobTarget target{.kind = workload::JobTarget::Kind::device, .path = "/dev/faulty"};
        target.device_fd = 0; // not used by this system
        return target;
    }

private:
    class File final : public workload::MediumFile {
    public:
        File(FaultyDisk& disk, workload::CachePolicy cache) : disk_(disk), cache_(cache) {}
        int fd() const override { return -1; }
        workload::CachePolicy used() const override { return cache_; }
        bool direct_refused() const override { return false; }
        Result<void> disable_direct() override { return {}; }
        Result<Bytes> size() const override { return Bytes{disk_.bytes.size()}; }
        bool served_by_user_space() const override { return false; }
        workload::TransferResult write(std::span<const std::byte> from, std::uint64_t offset) override {
            const int error = disk_.write(from, offset);
            return {.bytes = error == 0 ? from.size() : 0, .error = error};
        }
        workload::TransferResult read(std::span<std::byte> into, std::uint64_t offset) override {
            const int error = disk_.load(into, offset);
            return {.bytes = error == 0 ? into.size() : 0, .error = error};
        }
        int flush() const override { return 0; }
        workload::CacheDrop drop_cache(Bytes) const override { return {.error = 0, .left = 0_B}; }
        void expect_random() const override {}
        int forget(std::uint64_t, Bytes) const override { return 0; }

    private:
        FaultyDisk& disk_;
        workload::CachePolicy cache_;
    };

    /// Its size never changes, like that of a card reader without a media check.
    class Device final : public workload::BackingDevice {
    public:
        explicit Device(FaultyDisk& disk) : disk_(disk) {}
        std::optional<Totals> totals() const override { return std::nullopt; }
        std::optional<Sectors> sectors() const override { return Sectors{512_B, 512_B}; }
        bool gone() const override { return false; }
        bool responds() const override {
            if (!disk_.known) return true;
            std::vector<std::byte> block(4096);
            const std::uint64_t size = disk_.bytes.size();
            return std::ranges::any_of(std::array{std::uint64_t{0}, size / 2, size - block.size()},
                                       [&](std::uint64_t place) { return disk_.load(block, place) == 0; });
        }
        bool flush_and_drop() const override { return true; }
        int flush() const override { return 0; }
        bool known() const override { return true; }
        const std::string& node() const override { return node_; }

    private:
        FaultyDisk& disk_;
        std::string node_{"/dev/faulty"};
    };

    FaultyDisk& disk_;
};

} // namespace mediarig::tests
