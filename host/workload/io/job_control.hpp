// SPDX-License-Identifier: GPL-3.0-or-later
/// The target, the control and the observer of a job, for the jobs and for the ports below them.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "host/base/descriptor.hpp"
#include "host/base/result.hpp"
#include "host/workload/io/failed_transfers.hpp"
#include "host/workload/io/undo_storage.hpp"
#include "host/workload/io/write_permit.hpp"
#include "host/workload/outcome.hpp"
#include "host/workload/spec.hpp"

namespace mediarig::workload {

/// The directory or device that the job tests.
struct JobTarget {
    enum class Kind : std::uint8_t { directory, device };
    Kind kind{};
    std::string path;             ///< a directory: the job creates its folder in it; else only for messages
    BorrowedDescriptor device_fd; ///< for `device`: open for reading and writing, claimed; not closed by the job
    /// The underlying block device, for byte counters and cache flushes. Open for reading; the job does not close it;
    /// -1 if unknown. It is never opened by name, because the name may belong to another device by now.
    BorrowedDescriptor backing_fd;
    std::string backing_device; ///< device name, only for messages, e.g. "/dev/sdb"
    /// The partition of that device that contains the file system, because a partition has a separate page cache. Same
    /// conditions as backing_fd; -1 if the file system occupies the whole device.
    BorrowedDescriptor partition_fd;
    /// For `directory`: open (O_PATH is sufficient); the job does not close it. -1: the job opens `path` with the
    /// rights of the calling thread.
    BorrowedDescriptor directory_fd;
    /// For `directory`: true if the agent has mounted the volume where no other user has access. Owners and modes of
    /// its files then have no meaning (exfat-fuse shows 0777 for all files) and are not checked.
    bool own_mount{false};
    /// For a loop device: the host file that contains its bytes. Open for reading; the job does not close it; -1 if
    /// missing or unknown. `host_path` is its path, for messages.
    BorrowedDescriptor host_file;
    std::string host_path;
    /// Cache of this host below the device. none: the host does not cache (the medium's own device node, or direct I/O
    /// that the file system supports). file: the host caches `host_file`. unknown: it cannot be determined.
    enum class HostCache : std::uint8_t { none, file, unknown };
    HostCache host_cache{HostCache::none};
    /// For `directory`: kills a file-system driver that does not respond; called by the watchdog of a cancelled job.
    /// Empty if there is no driver process.
    std::function<void()> end_driver{};
    /// Checks that the device is still the claimed one; used by JobControl::may_write. Empty if there is no claim to
    /// check.
    std::function<Result<void>()> still_claimed{};
    /// For a claimed device: makes the undo file of a test that keeps its data. Empty: such a test is refused.
    std::function<std::unique_ptr<UndoStorage>()> make_undo{};
    std::string medium_key{};  ///< names the medium in its undo file
    std::string medium_name{}; ///< names the medium in the labels of its data; empty: the data have no labels
};

/// Shared with the watching thread. All accesses are relaxed. The measured loop only stores, once per batch.
struct JobControl {
    WritePermit may_write;                    ///< set before the job starts; afterwards used only by the job's thread
    std::atomic<bool> cancel{false};          ///< obeyed within 100 ms, except during one blocked transfer
    std::atomic<std::uint64_t> bytes_done{0}; ///< total of the job, layout included
    std::atomic<std::uint64_t> bytes_total{0};
    std::atomic<std::uint32_t> cell_index{0};
    FailedTransfers failures; ///< and damaged reads, in order of their occurrence; the findings have the details
};

/// Receives the results of a job. Called on the job's thread, never inside a timed window.
class JobObserver {
public:
    virtual ~JobObserver() = default;
    virtual void on_phase(const std::string& name) = 0; ///< "layout", the id of a cell, "sync", "cleanup"
    virtual void on_cell(
        const CellResult& result) = 0; ///< each cell as soon as it is finished; a `cancelled` result gives its progress
    virtual void on_finding(const measure::Finding& finding) = 0; ///< each finding once, as soon as it is known
};

} // namespace mediarig::workload
