// SPDX-License-Identifier: GPL-3.0-or-later
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "tests/workload/card_system.hpp"

namespace {
constexpr std::int64_t second = 1'000'000'000, time_of_a_call = 100; // ns
std::atomic<std::int64_t> passed{0};                                 // ns
} // namespace

// Replaces the function of the C library in the whole program. CLOCK_MONOTONIC is independent of the machine's load.
extern "C" int clock_gettime(clockid_t clock, timespec* now) noexcept {
    if (clock != CLOCK_MONOTONIC) return static_cast<int>(syscall(SYS_clock_gettime, clock, now));
    const std::int64_t ns = second + passed.fetch_add(time_of_a_call, std::memory_order_relaxed);
    *now = {.tv_sec = ns / second, .tv_nsec = ns % second};
    return 0;
}
extern "C" int nanosleep(const timespec* wanted, timespec*) {
    passed.fetch_add(wanted->tv_sec * second + wanted->tv_nsec, std::memory_order_relaxed);
    // Gives the processor to other threads.
    const timespec moment{.tv_sec = 0, .tv_nsec = 10'000};
    return static_cast<int>(syscall(SYS_nanosleep, &moment, nullptr));
}

namespace mediarig::tests {

std::chrono::nanoseconds virtual_time() {
    return std::chrono::nanoseconds(passed.load(std::memory_order_relaxed));
}
void advance_time(std::chrono::nanoseconds by) {
    passed.fetch_add(by.count(), std::memory_order_relaxed);
}

/// The stored data. Unwritten ranges take no memory.
class CardVolume::Pages final : public lab::Storage {
public:
    explicit Pages(bool keeps) : keeps_(keeps) {}
    Result<void> read(std::uint64_t offset, std::span<std::byte> into) override {
        if (!keeps_) return {};
        each(offset, into.size(), [&](std::uint64_t page, std::size_t at, std::size_t from, std::size_t size) {
            const auto found = pages_.find(page);
            if (found == pages_.end())
                std::memset(into.data() + from, 0, size);
            else
                std::memcpy(into.data() + from, found->second->data() + at, size);
        });
        return {};
    }
    Result<void> write(std::uint64_t offset, std::span<const std::byte> from) override {
        if (!keeps_) return {};
        each(offset, from.size(), [&](std::uint64_t page, std::size_t at, std::size_t first, std::size_t size) {
            auto& kept = pages_[page];
            if (!kept) kept = std::make_unique<Page>();
            std::memcpy(kept->data() + at, from.data() + first, size);
        });
        return {};
    }
    Result<void> clear(std::uint64_t offset, Bytes size) override {
        if (!keeps_) return {};
        const std::vector<std::byte> zeros(size.count);
        return write(offset, zeros);
    }

private:
    using Page = std::array<std::byte, 65536>;
    template <class Part>
    static void each(std::uint64_t offset, std::size_t length, Part part) {
        for (std::size_t done = 0; done < length;) {
            const std::size_t at = offset % sizeof(Page), size = std::min(sizeof(Page) - at, length - done);
            part(offset / sizeof(Page), at, done, size);
            done += size;
            offset += size;
        }
    }
    std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
    bool keeps_;
};

CardVolume::CardVolume(const lab::CardConfig& config, CardFault fault, bool keeps)
    : config_(config), pages_(std::make_shared<Pages>(keeps)), card_(config, *pages_), fault_(fault) {}

void CardVolume::meet_fault() {
    if (++requests_ != fault_.after) return;
    if (fault_.kind == CardFault::Kind::dies) {
        (void)card_.power_cut(lab::Loss::all);
        dead_ = true;
    }
    if (fault_.kind == CardFault::Kind::read_only)
        card_.add_bad_sectors({.sectors = {.first = {}, .count = config_.claimed / lab::sector_size},
                               .fail_reads = false,
                               .fail_writes = true});
}

/// The error that the kernel returns for the device, or a file system for an error of its device.
int CardVolume::finished(const Result<lab::Outcome>& outcome, bool writing) {
    if (!outcome) return EIO;
    advance_time(outcome->took);
    stats_ = card_.stats();
    switch (outcome->status) {
        case lab::Outcome::Status::good:
            return 0;
        case lab::Outcome::Status::no_power:
            return ENODEV;
        case lab::Outcome::Status::bad_sector:
        case lab::Outcome::Status::out_of_range:
            break;
    }
    read_only_ = read_only_ || writing;
    return EIO;
}

int CardVolume::read(std::uint64_t offset, std::span<std::byte> into) {
    const std::lock_guard guard(mutex);
    meet_fault();
    // The first read after the fault gets a rate at which it takes a minute.
    const bool stalls = fault_.kind == CardFault::Kind::stalls && requests_ >= fault_.after;
    if (stalls) card_.throttle({.read = Rate{static_cast<double>(into.size()) / 60}, .write = {}});
    const int error = finished(card_.read(offset, into, virtual_time()), false);
    if (stalls) {
        card_.throttle({});
        fault_ = {};
    }
    return error;
}

int CardVolume::write(std::uint64_t offset, std::span<const std::byte> from) {
    const std::lock_guard guard(mutex);
    meet_fault();
    return finished(card_.write(offset, from, lab::Durability::through, virtual_time()), true);
}

int CardVolume::flush() {
    const std::lock_guard guard(mutex);
    if (fault_.kind == CardFault::Kind::no_flush) {
        advance_time(std::chrono::seconds(30));
        return EIO;
    }
    return finished(card_.flush(virtual_time()), false);
}

int CardVolume::change_name() {
    if (read_only_ && !dead_) return EROFS;
    return write(names_at, std::array<std::byte, 512>{});
}

int CardVolume::check_name() {
    std::array<std::byte, 512> entry;
    return read(names_at, entry);
}

int CardVolume::grow(File& file, std::uint64_t size) {
    while (file.chunks.size() * chunk < size) {
        if (!free_.empty()) {
            file.chunks.push_back(free_.back());
            free_.pop_back();
        } else if (next_chunk_ + chunk <= config_.claimed.count) {
            file.chunks.push_back(next_chunk_);
            next_chunk_ += chunk;
        } else {
            return ENOSPC;
        }
    }
    return 0;
}

void CardVolume::release(File& file) {
    free_.insert(free_.end(), file.chunks.rbegin(), file.chunks.rend());
    file = {};
}

std::uint64_t CardVolume::free_bytes() const {
    return config_.claimed.count - next_chunk_ + free_.size() * chunk;
}

} // namespace mediarig::tests
