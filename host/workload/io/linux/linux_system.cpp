// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/io/linux/linux_system.hpp"

#include <fstream>

#include "host/workload/io/linux/aio_queue.hpp"
#include "host/workload/io/linux/backing_device.hpp"
#include "host/workload/io/linux/host_counters.hpp"
#include "host/workload/io/linux/medium_file.hpp"
#include "host/workload/io/linux/on_heap.hpp"
#include "host/workload/io/linux/work_folder.hpp"
#include "host/workload/io/psync/psync_engine.hpp"
#include "host/workload/io/uring/uring_engine.hpp"

namespace mediarig::workload {
namespace {

/// The kernel selects another clock source if the counters of several processors disagree.
bool kernel_trusts_counter() {
    std::ifstream file("/sys/devices/system/clocksource/clocksource0/current_clocksource");
    std::string source;
    file >> source;
    return source == "tsc" || source == "kvm-clock" || source == "hyperv_clocksource_tsc_page";
}

TickClock best_clock() {
    if (kernel_trusts_counter())
        if (const auto counter = TickClock::counter()) return *counter;
    return TickClock::monotonic();
}

class LinuxSystem final : public System {
public:
    const TickClock& clock() const override {
        static const TickClock best = best_clock();
        return best;
    }
    Result<std::unique_ptr<MediumFile>> reopen(int fd, CachePolicy cache, SyncLevel sync) const override {
        return on_heap<MediumFile>(LinuxMediumFile::reopen(fd, cache, sync));
    }
    Result<Descriptor> open_directory(const std::string& path) const override { return workload::open_directory(path); }
    Result<std::unique_ptr<WorkFolder>> make_work_folder(const JobTarget& target) const override {
        return on_heap<WorkFolder>(LinuxWorkFolder::create(target));
    }
    std::unique_ptr<BackingDevice> backing_device(const JobTarget& target) const override {
        return std::make_unique<LinuxBackingDevice>(LinuxBackingDevice::of(target));
    }
    std::optional<HostCounters> host_counters() const override { return read_host_counters(); }
    bool forget_names() const override {
        // "2" drops unreferenced dentries and inodes; proc(5).
        std::ofstream file("/proc/sys/vm/drop_caches");
        return static_cast<bool>(file << "2" << std::flush);
    }
    Result<std::unique_ptr<RequestQueue>> make_request_queue(std::uint32_t depth) const override {
        return make_aio_queue(depth);
    }
    Result<void> check_engine(Engine engine) const override {
        return engine == Engine::uring ? check_uring() : Result<void>{};
    }
    Result<CellRunEnd> run_cell(Engine engine, const CellRun& run) const override {
        return engine == Engine::uring ? run_uring(run) : run_psync(run);
    }
};

} // namespace

const System& linux_system() {
    static const LinuxSystem system;
    return system;
}

} // namespace mediarig::workload
