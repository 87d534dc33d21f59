// SPDX-License-Identifier: GPL-3.0-or-later
/// A simulated system: one medium in memory, and an engine that moves its bytes at once. Possible failures are members.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "host/workload/io/system.hpp"

namespace mediarig::tests {

class FakeSystem : public workload::System {
public:
    // Behaviour of this system. A test changes the part of interest.
    bool refuses_direct_transfers{false}; ///< accepts direct access when opening, then answers EINVAL
    bool cache_can_be_emptied{true};
    std::optional<Bytes> largest_file{};
    Bytes free_space{std::uint64_t{1} << 30};
    std::optional<std::uint64_t> entries{};
    std::optional<Error> engine_missing{};
    std::uint64_t worker_switches{0}; ///< number of switches in each cell

    mutable std::vector<std::string> log; ///< "make folder", "create span.bin", "remove folder", …

    const workload::TickClock& clock() const override {
        static const workload::TickClock clock = workload::TickClock::monotonic();
        return clock;
    }
    Result<std::unique_ptr<workload::MediumFile>> reopen(int, workload::CachePolicy cache,
                                                         workload::SyncLevel) const override {
        return std::make_unique<File>(*this, cache);
    }
    Result<Descriptor> open_directory(const std::string&) const override { return Descriptor{}; }
    Result<std::unique_ptr<workload::WorkFolder>> make_work_folder(const workload::JobTarget&) const override {
        log.emplace_back("make folder");
        return std::make_unique<Folder>(*this);
    }
    std::unique_ptr<workload::BackingDevice> backing_device(const workload::JobTarget&) const override {
        return std::make_unique<Device>();
    }
    bool forget_names() const override { return cache_can_be_emptied; }
    Result<std::unique_ptr<workload::RequestQueue>> make_request_queue(std::uint32_t) const override {
        return fail(Errc::host_fault, "a fake has no asynchronous requests");
    }
    Result<void> check_engine(workload::Engine) const override {
        return engine_missing ? Result<void>(fail(*engine_missing)) : Result<void>();
    }
    Result<workload::CellRunEnd> run_cell(workload::Engine, const workload::CellRun& run) const override {
        const auto& clock = run.recorder.clock();
        workload::Ticks now = clock.now();
        run.recorder.begin(now);
        for (std::uint64_t i = 0; i < run.operations; ++i) {
            const workload::Ticks start = now;
            now = clock.now();
            run.recorder.completed(start, now);
        }
        run.recorder.pause(now);
        run.control.bytes_done.fetch_add(run.operations * run.cell.block.count, std::memory_order_relaxed);
        return workload::CellRunEnd{.end = workload::CellEnd::volume, .worker_switches = worker_switches};
    }

private:
    class File final : public workload::MediumFile {
    public:
        File(const FakeSystem& system, workload::CachePolicy cache) : system_(system), used_(cache) {}
        int fd() const override { return -1; }
        workload::CachePolicy used() const override { return used_; }
        bool direct_refused() const override { return refused_; }
        Result<void> disable_direct() override {
            used_ = workload::CachePolicy::dropped;
            refused_ = true;
            return {};
        }
        Result<Bytes> size() const override { return Bytes{bytes_.size()}; }
        bool served_by_user_space() const override { return false; }
        workload::TransferResult write(std::span<const std::byte> bytes, std::uint64_t offset) override {
            if (system_.refuses_direct_transfers && used_ == workload::CachePolicy::direct) return {0, EINVAL};
            if (bytes_.size() < offset + bytes.size()) bytes_.resize(offset + bytes.size());
            std::ranges::copy(bytes, bytes_.begin() + static_cast<std::ptrdiff_t>(offset));
            return {bytes.size(), 0};
        }
        workload::TransferResult read(std::span<std::byte> bytes, std::uint64_t offset) override {
            const std::size_t there = offset < bytes_.size() ? bytes_.size() - offset : 0;
            const std::size_t count = std::min(there, bytes.size());
            std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(offset), count, bytes.begin());
            return {count, 0};
        }
        int flush() const override { return 0; }
        workload::CacheDrop drop_cache(Bytes size) const override {
            return {.error = 0, .left = system_.cache_can_be_emptied ? Bytes{} : size};
        }
        void expect_random() const override {}
        int forget(std::uint64_t, Bytes) const override { return 0; }

    private:
        const FakeSystem& system_;
        workload::CachePolicy used_;
        bool refused_{};
        std::vector<std::byte> bytes_;
    };

    class Folder final : public workload::WorkFolder {
    public:
        explicit Folder(const FakeSystem& system) : system_(system) {}
        Result<std::unique_ptr<workload::MediumFile>> create_file(const std::string& name, workload::CachePolicy cache,
                                                                  workload::SyncLevel) const override {
            system_.log.push_back("create " + name);
            return std::make_unique<File>(system_, cache);
        }
        Result<std::unique_ptr<workload::MediumFile>> open_file(const std::string& name, workload::CachePolicy,
                                                                workload::SyncLevel) const override {
            return fail(Errc::io_failed, name + " is not kept: a fake has one file");
        }
        Result<std::unique_ptr<workload::FileTree>> tree() const override {
            return fail(Errc::io_failed, "a fake has no folders");
        }
        Result<Bytes> free_space() const override { return system_.free_space; }
        std::optional<std::uint64_t> free_entries() const override { return system_.entries; }
        Bytes allocation_unit() const override { return 4_KiB; }
        std::optional<Bytes> largest_file() const override { return system_.largest_file; }
        Result<void> remove() override {
            system_.log.emplace_back("remove folder");
            return {};
        }

    private:
        const FakeSystem& system_;
    };

    class Device final : public workload::BackingDevice {
    public:
        std::optional<Totals> totals() const override { return {}; }
        std::optional<Sectors> sectors() const override { return Sectors{512_B, 4_KiB}; }
        bool gone() const override { return false; }
        bool flush_and_drop() const override { return true; }
        int flush() const override { return 0; }
        bool known() const override { return false; }
        const std::string& node() const override { return node_; }

    private:
        std::string node_;
    };
};

} // namespace mediarig::tests
