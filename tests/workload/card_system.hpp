// SPDX-License-Identifier: GPL-3.0-or-later
/// A system whose only medium is a card model with a simple file system, on a clock that advances by the card's time: a
/// stall of a minute costs nothing.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "host/lab/card/card_model.hpp"
#include "host/workload/io/system.hpp"

namespace mediarig::tests {

/// Virtual time of this process, CLOCK_MONOTONIC: transfers of the card and sleeping advance it, real time does not.
std::chrono::nanoseconds virtual_time();
void advance_time(std::chrono::nanoseconds by);

/// Fault of the card after a number of requests.
struct CardFault {
    enum class Kind : std::uint8_t {
        none,
        dies,      ///< fails all requests from then on
        read_only, ///< refuses all writes
        stalls,    ///< one read takes a minute
        no_flush,  ///< refuses each flush after half a minute
    };
    Kind kind{};
    std::uint64_t after{};
};

/// The card with its files. Names are in memory, but each change of one writes to the card, and each lookup reads from
/// it, as for folder entries.
class CardVolume {
public:
    /// If `keeps` is false, written data are discarded, and a read leaves the buffer unchanged. This is sufficient to
    /// measure times.
    CardVolume(const lab::CardConfig& config, CardFault fault, bool keeps = true);

    int read(std::uint64_t offset, std::span<std::byte> into);
    int write(std::uint64_t offset, std::span<const std::byte> from);
    int flush();
    int change_name();
    int check_name();

    [[nodiscard]] std::uint64_t requests() const { return requests_; }
    [[nodiscard]] bool gone() const { return dead_; }
    [[nodiscard]] Bytes claimed() const { return config_.claimed; }
    [[nodiscard]] const lab::CardStats& stats() const { return stats_; }

    struct File {
        std::vector<std::uint64_t> chunks; ///< offsets on the card
        Bytes size;
    };
    static constexpr std::uint64_t chunk = 65536;
    static constexpr std::uint64_t names_at = 0, files_from = 1 << 20;
    /// Returns ENOSPC without free space.
    int grow(File& file, std::uint64_t size);
    void release(File& file);
    [[nodiscard]] std::uint64_t free_bytes() const;

    std::recursive_mutex mutex; ///< protects all members here
    std::map<std::string, std::shared_ptr<File>> files;
    std::set<std::string> folders;

private:
    class Pages;
    void meet_fault();
    int finished(const Result<lab::Outcome>& outcome, bool writing);

    lab::CardConfig config_;
    std::shared_ptr<Pages> pages_;
    lab::CardModel card_;
    CardFault fault_;
    lab::CardStats stats_;
    std::uint64_t requests_{}, next_chunk_{files_from};
    std::vector<std::uint64_t> free_;
    bool dead_{}, read_only_{};
};

class CardSystem final : public workload::System {
public:
    /// `processor_wait`: share of the time in which processes of the host wait for a processor; empty: unknown.
    explicit CardSystem(CardVolume& volume, std::optional<double> processor_wait = {})
        : volume_(volume), processor_wait_(processor_wait) {}

    const workload::TickClock& clock() const override;
    Result<std::unique_ptr<workload::MediumFile>> reopen(int fd, workload::CachePolicy cache,
                                                         workload::SyncLevel sync) const override;
    Result<Descriptor> open_directory(const std::string&) const override { return Descriptor{}; }
    Result<std::unique_ptr<workload::WorkFolder>> make_work_folder(const workload::JobTarget& target) const override;
    std::unique_ptr<workload::BackingDevice> backing_device(const workload::JobTarget& target) const override;
    bool forget_names() const override { return true; }
    Result<std::unique_ptr<workload::RequestQueue>> make_request_queue(std::uint32_t) const override {
        return fail(Errc::bad_request, "this system has no asynchronous requests");
    }
    std::optional<workload::HostCounters> host_counters() const override;
    Result<void> check_engine(workload::Engine) const override { return {}; }
    /// Makes sequential requests for any depth, because a card has one queue. There is only the test's file.
    Result<workload::CellRunEnd> run_cell(workload::Engine engine, const workload::CellRun& run) const override;

private:
    CardVolume& volume_;
    std::optional<double> processor_wait_;
};

} // namespace mediarig::tests
