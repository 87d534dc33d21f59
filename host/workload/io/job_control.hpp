// SPDX-License-Identifier: GPL-3.0-or-later
/// The place of a job, its control and its observer: shared by the jobs and the ports below them.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "host/base/descriptor.hpp"
#include "host/base/result.hpp"
#include "host/workload/io/write_permit.hpp"
#include "host/workload/outcome.hpp"
#include "host/workload/spec.hpp"

namespace mediarig::workload {

/// Where the job works.
struct Target {
    enum class Kind : std::uint8_t { directory, device };
    Kind kind{};
    std::string path; ///< a directory: the job makes a folder of its own there and removes it; else only for messages
    BorrowedDescriptor device_fd; ///< for `device`: open for reading and writing, claimed; not closed by the job
    /// The block device underneath, for byte counters and cache flushing: open for reading, not closed by the job; -1
    /// where unknown. Never opened by its name, which may be another device's by now.
    BorrowedDescriptor backing_fd;
    std::string backing_device; ///< its name, only for messages: "/dev/sdb"
    /// Where the file system lies in a partition of that: the partition's own device, whose page cache is another one;
    /// in the same way. -1 where it has the whole device.
    BorrowedDescriptor partition_fd;
    /// For `directory`: open, O_PATH is enough; not closed by the job. -1: the job opens `path` with the rights of the
    /// calling thread.
    BorrowedDescriptor directory_fd;
    /// For `directory`: a volume that the agent has mounted where nobody else comes. Then owners and modes of its files
    /// mean nothing (exfat-fuse shows 0777 for all), and are not asked for.
    bool own_mount{false};
    /// The file of this host that the device is made of (a loop device's), open for reading, not closed by the job; -1
    /// where there is none or it is not known. With its path, for messages.
    BorrowedDescriptor host_file;
    std::string host_path;
    /// Whether this host caches below the device: it does not (a medium's own node; direct I/O that the file system
    /// really has), it caches `host_file`, or nobody can say.
    enum class CacheBelow : std::uint8_t { none, file, unknown };
    CacheBelow cache_below{CacheBelow::none};
    /// For `directory`: ends a file-system driver that does not answer, for who watches a cancelled job. Empty where
    /// there is nothing to end.
    std::function<void()> end_driver{};
    /// Of a claim: whether the device is still what was claimed; for JobControl::may_write. Empty where nobody asks.
    std::function<Result<void>()> still_claimed{};
};

/// Shared with the thread that watches. All relaxed; the measured loop only ever stores into it once per batch.
struct JobControl {
    WritePermit may_write;                    ///< set before the job begins, then of the job's thread alone
    std::atomic<bool> cancel{false};          ///< honoured within 100 ms, except inside one blocked transfer
    std::atomic<std::uint64_t> bytes_done{0}; ///< of the whole job, layout included
    std::atomic<std::uint64_t> bytes_total{0};
    std::atomic<std::uint32_t> cell_index{0};
};

/// Called on the job's thread, never inside a timed window.
class JobObserver {
public:
    virtual ~JobObserver() = default;
    virtual void on_phase(const std::string& name) = 0; ///< "layout", a cell's id, "sync", "cleanup"
    virtual void on_cell(
        const CellResult& result) = 0; ///< each as soon as it is finished; `cancelled` ones say how far it is
    virtual void on_finding(const measure::Finding& finding) = 0; ///< each once, as soon as it is known
};

} // namespace mediarig::workload
