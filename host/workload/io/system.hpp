// SPDX-License-Identifier: GPL-3.0-or-later
/// Port: the operating system below a job. `System` opens the other objects of this file, each of which holds an open
/// object of the operating system: file, folder, device, queue. No object is called between two transfers of a cell.
#pragma once

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/units.hpp"
#include "host/base/descriptor.hpp"
#include "host/base/result.hpp"
#include "host/measure/finding.hpp"
#include "host/workload/io/cell_run.hpp"
#include "host/workload/io/job_control.hpp"
#include "host/workload/io/platform/clock.hpp"
#include "host/workload/outcome.hpp"
#include "host/workload/spec.hpp"

namespace mediarig::workload {

/// Result of a transfer: the number of bytes moved, and the errno that ended it early (0: none).
struct TransferResult {
    std::size_t bytes{};
    int error{};
};

struct CacheDrop {
    int error{};               ///< errno of the write-back; 0 on success
    std::optional<Bytes> left; ///< amount that is still in memory afterwards; empty if the system does not report it
    [[nodiscard]] bool verified() const { return error == 0 && left && left->count == 0; }
};

/// A file or block device that is opened with the options of the job, and the options that were granted. Its functions
/// are called once per opening, per cell or per chunk of a verify pass; an engine takes the descriptor and transfers
/// the bytes directly.
class MediumFile {
public:
    virtual ~MediumFile() = default;

    /// The descriptor for an engine; valid during the lifetime of this object and until disable_direct().
    [[nodiscard]] virtual int fd() const = 0;
    [[nodiscard]] virtual CachePolicy used() const = 0;
    /// Returns true if direct access was requested and the file system refused it, on open or at the first transfer.
    [[nodiscard]] virtual bool direct_refused() const = 0;
    /// Continues without direct access: some drivers accept it on open and then refuse the transfer.
    [[nodiscard]] virtual Result<void> disable_direct() = 0;
    /// The size of the device or file according to the system.
    [[nodiscard]] virtual Result<Bytes> size() const = 0;
    /// Returns true if the driver is a process that accesses the device through the device's page cache (FUSE).
    [[nodiscard]] virtual bool served_by_user_space() const = 0;
    /// Offset in the volume of the first byte of the file, after it was written and flushed. Returns nothing if the
    /// file system does not report it, and for a device.
    [[nodiscard]] virtual std::optional<Bytes> place() const { return std::nullopt; }

    /// Repeats until all bytes are written. A write of 0 bytes without an error counts as EIO.
    [[nodiscard]] virtual TransferResult write(std::span<const std::byte> bytes, std::uint64_t offset) = 0;
    /// Repeats until all bytes are read. At the end of the file, the read ends early and without an error.
    [[nodiscard]] virtual TransferResult read(std::span<std::byte> bytes, std::uint64_t offset) = 0;
    /// Writes everything to the medium. Returns 0 or an errno.
    [[nodiscard]] virtual int flush() const = 0;
    /// Removes all data of a file. Does nothing on a device. Returns 0 or an errno.
    [[nodiscard]] virtual int truncate() { return 0; }
    /// Also writes the file's attributes (its times).
    [[nodiscard]] virtual int flush_attributes() const { return flush(); }
    /// From now on read() and write() copy from and to a mapping of the first `length` bytes, until unmap(). The file
    /// grows to that length, and both flushes write the mapping back. Returns an errno if the file system has no
    /// mappings (ENODEV, EINVAL), no space or no memory.
    [[nodiscard]] virtual int map(Bytes length) {
        (void)length;
        return ENODEV;
    }
    virtual void unmap() {}
    /// Number of pieces of the file on the medium; empty if the file system does not report it.
    [[nodiscard]] virtual std::optional<std::uint64_t> pieces() const { return {}; }
    /// Writes back dirty pages, then drops the pages of the first `size` bytes.
    [[nodiscard]] virtual CacheDrop drop_cache(Bytes size) const = 0;
    /// Disables read-ahead before single random requests.
    virtual void expect_random() const = 0;
    /// Drops the clean pages of a range without a check of the result. Returns 0 or an errno.
    [[nodiscard]] virtual int forget(std::uint64_t offset, Bytes length) const = 0;
};

/// A folder with numbered files and folders (work_names.hpp), inside a job's work folder. Its functions are called for
/// each of a million files, so a failure is an errno and not an Error with a text. Each call makes one or two system
/// calls on an open folder and never follows a link. Several threads may use the object at once.
class FileTree {
public:
    virtual ~FileTree() = default;

    /// The folder, or null with an errno.
    struct OpenedFolder {
        std::unique_ptr<FileTree> folder;
        int error{};
    };
    /// Returns 0 or an errno.
    [[nodiscard]] virtual int make_folder(const std::string& name) const = 0;
    /// `path`: names of folders, separated by slashes.
    [[nodiscard]] virtual OpenedFolder open_folder(const std::string& path) const = 0;

    /// The file, or null with an errno.
    struct OpenedFile {
        std::unique_ptr<MediumFile> file;
        int error{};
    };
    /// Creates a new file, or opens an existing one, through the page cache.
    [[nodiscard]] virtual OpenedFile create(const std::string& name, SyncLevel sync) const = 0;
    [[nodiscard]] virtual OpenedFile open(const std::string& name) const = 0;

    // These return 0 or an errno.
    [[nodiscard]] virtual int ask_attributes(const std::string& name) const = 0;
    [[nodiscard]] virtual int rename(const std::string& from, const std::string& to) const = 0;
    [[nodiscard]] virtual int remove(const std::string& name) const = 0;
    [[nodiscard]] virtual int remove_folder(const std::string& name) const = 0;
    /// Writes all changes of the whole file system to the medium.
    [[nodiscard]] virtual int flush() const = 0;

    /// Calls `each` with the name of each entry, in directory order. The entry may be removed in the call. Ends if
    /// `each` returns false. Returns 0 or an errno.
    [[nodiscard]] virtual int list(const std::function<bool(const std::string& name)>& each) const = 0;

    struct Contents {
        std::uint64_t files{}, folders{};
        Bytes bytes; ///< total size of the files, from their attributes
        int error{}; ///< errno of the first failed read, 0 if there was none
        bool operator==(const Contents&) const = default;
    };
    /// Lists the folder and all folders below it, and reads the attributes of each entry.
    [[nodiscard]] virtual Contents walk() const = 0;
};

/// A private folder of the job on the medium. The destructor removes it in every case. It is created, filled,
/// emptied and removed through descriptors, so no other object is affected if a process exchanges names during the job.
class WorkFolder {
public:
    static constexpr const char* prefix = "mediarig-work-";

    virtual ~WorkFolder() = default;

    /// Creates a new file; an existing name is an error.
    [[nodiscard]] virtual Result<std::unique_ptr<MediumFile>> create_file(const std::string& name, CachePolicy cache,
                                                                          SyncLevel sync) const = 0;
    /// Opens a file that this job has created. Never follows a link.
    [[nodiscard]] virtual Result<std::unique_ptr<MediumFile>> open_file(const std::string& name, CachePolicy cache,
                                                                        SyncLevel sync) const = 0;
    /// The folder itself, for jobs with many files and folders.
    [[nodiscard]] virtual Result<std::unique_ptr<FileTree>> tree() const = 0;
    /// Free space of the file system for an ordinary user; the largest number if the file system has no fixed size.
    [[nodiscard]] virtual Result<Bytes> free_space() const = 0;
    /// Number of files and folders that can still be created; empty if the file system has no fixed limit.
    [[nodiscard]] virtual std::optional<std::uint64_t> free_entries() const = 0;
    /// True if the file system stores no modes, so that other users can write in this folder as in any other.
    [[nodiscard]] virtual bool open_to_others() const { return false; }
    /// The allocated size of a file is a multiple of this.
    [[nodiscard]] virtual Bytes allocation_unit() const = 0;
    /// The maximum size of a file in bytes; empty if it exceeds the needs of all tests.
    [[nodiscard]] virtual std::optional<Bytes> largest_file() const = 0;
    /// Removes the job's files and the folder. Fails with io_failed if the folder contains other entries, or if its
    /// name now belongs to another object, which is then kept. The destructor tries again after a failure.
    [[nodiscard]] virtual Result<void> remove() = 0;
};

/// The block device underneath a test file: its counters, its caches and its presence. A loop device is backed by a
/// file of this host, whose file system caches writes and may be full. Neither effect may be attributed to the medium.
class BackingDevice {
public:
    /// The cache of this host below the device that may serve reads instead of the medium: none, the cache of a file,
    /// or an unknown one.
    enum class HostCache : std::uint8_t { none, of_file, unknown };

    virtual ~BackingDevice() = default;

    struct Totals {
        Bytes read;
        Bytes written;
    };
    /// Bytes that the block layer has transferred so far. Returns nothing if the device has no counters.
    [[nodiscard]] virtual std::optional<Totals> totals() const = 0;

    struct Sectors {
        Bytes logical;  ///< alignment of direct transfers
        Bytes physical; ///< smaller writes cause a read-modify-write in the device
    };
    [[nodiscard]] virtual std::optional<Sectors> sectors() const = 0;

    /// Returns true if the device was present and is now missing, or reports no size (a reader without its card).
    [[nodiscard]] virtual bool gone() const = 0;

    /// True if the medium answers at any place: its size and sequence number are unchanged in a newly opened
    /// descriptor, and one of several reads past all caches of this host succeeds. Called after failed transfers. True
    /// if that is unknown.
    [[nodiscard]] virtual bool responds() const { return !gone(); }

    /// Writes back and drops the page cache of the device and of the partition in use: a file-system driver in user
    /// space reads and writes through these caches. Returns false if the device is unknown or refuses. May take as long
    /// as the device needs.
    [[nodiscard]] virtual bool flush_and_drop() const = 0;
    /// Writes back the same caches as flush_and_drop() without dropping them. Returns the errno of the first failure, 0
    /// if there was none.
    [[nodiscard]] virtual int flush() const = 0;

    [[nodiscard]] virtual bool known() const = 0;
    [[nodiscard]] virtual const std::string& node() const = 0; ///< for messages, e.g. "/dev/sdb"

    /// Returns true if a cache of this host may serve reads instead of the medium.
    [[nodiscard]] bool host_caches() const { return host_cache_ != HostCache::none; }
    /// Empties the cache of this host below the device. The caller must write back the device's own cache first.
    /// Returns true if the cache is certainly empty or does not exist.
    [[nodiscard]] virtual bool drop_host_cache() const { return !host_caches(); }
    /// The error of this host that explains a failed write or flush of `length` bytes: the file is sparse and its file
    /// system is full. Returns nothing if that is not the case or unknown.
    [[nodiscard]] virtual std::optional<Error> host_full(Bytes length) const {
        (void)length;
        return std::nullopt;
    }
    /// The finding about speeds that were measured through the host's cache. Requires host_caches().
    [[nodiscard]] measure::Finding finding_about_speed() const;
    /// The finding about a directory of the user whose storage is this host's memory, or is cached by it below a loop
    /// device. Empty for any other storage, and if the caller stated the cache below the device.
    [[nodiscard]] virtual std::optional<measure::Finding> finding_about_directory() const { return std::nullopt; }
    /// The reason why data that were read back from a directory of the user are no proof, because memory of this host
    /// may have served them: the cache of a file below a loop device, or the page cache, which `emptied` describes.
    /// `served`: by a process (FUSE). Empty for any other storage, and if the directory is in memory: then memory is
    /// the medium.
    [[nodiscard]] virtual std::optional<measure::Finding> finding_about_directory_read_back(bool emptied,
                                                                                            bool served) const {
        (void)emptied, (void)served;
        return std::nullopt;
    }
    /// The reason why the read-back is no proof after drop_host_cache() returned false.
    [[nodiscard]] measure::Finding finding_about_read_back() const;

protected:
    BackingDevice() = default;
    /// `host_path`: the file below the device, for messages.
    BackingDevice(HostCache cache, std::string host_path) : host_cache_(cache), host_path_(std::move(host_path)) {}
    [[nodiscard]] HostCache host_cache() const { return host_cache_; }
    [[nodiscard]] const std::string& host_path() const { return host_path_; }

private:
    HostCache host_cache_{HostCache::none};
    std::string host_path_;
};

/// Sends asynchronous requests to the kernel, each with a separate call, as older programs do (libaio). Sweeps use
/// run_cell().
class RequestQueue {
public:
    /// Waits for all requests in flight.
    virtual ~RequestQueue() = default;

    struct Request {
        int fd{-1};
        bool writing{};
        std::span<std::byte> bytes; ///< must remain unchanged until the request is done
        std::uint64_t offset{};
        std::uint64_t tag{}; ///< returned with the result
    };
    struct IoCompletion {
        std::uint64_t tag{};
        TransferResult moved;
    };
    /// Returns 0 or an errno. The number of requests in flight must not exceed the depth of the queue.
    [[nodiscard]] virtual int submit(const Request& request) = 0;
    /// Waits until at least `least` requests are done and collects all that are. Returns 0 or an errno.
    [[nodiscard]] virtual int wait(std::uint32_t least, std::vector<IoCompletion>& done) = 0;
};

/// Counters of this host since it started; HostLoad is the difference of two. Values that the system does not report
/// are empty.
struct HostCounters {
    std::chrono::nanoseconds at{}; ///< monotonic time of the reading
    std::optional<std::chrono::nanoseconds> processor_waits{}, memory_waits{}, io_waits{}, stolen{};
    std::optional<std::uint64_t> involuntary_switches{};
};
[[nodiscard]] HostLoad load_between(const HostCounters& before, const HostCounters& after);

/// The services that a job needs from the operating system.
class System {
public:
    virtual ~System() = default;

    /// The best clock of this machine; valid for the lifetime of the process. The first call may take some
    /// milliseconds.
    [[nodiscard]] virtual const TickClock& clock() const = 0;

    /// Opens the file of `fd` a second time with separate flags; `fd` remains unchanged.
    [[nodiscard]] virtual Result<std::unique_ptr<MediumFile>> reopen(int fd, CachePolicy cache,
                                                                     SyncLevel sync) const = 0;
    /// Opens the directory of a path, for JobTarget::directory_fd. Links in the path are followed once, with the rights
    /// of the calling thread. Fails with bad_request, no_permission, io_failed.
    [[nodiscard]] virtual Result<Descriptor> open_directory(const std::string& path) const = 0;
    /// Creates a new folder in the directory of `target`, which must be open. First removes the folders of earlier jobs
    /// whose process was killed. Fails with refused if other users can write in it although the file system stores
    /// modes, no_permission, io_failed.
    [[nodiscard]] virtual Result<std::unique_ptr<WorkFolder>> make_work_folder(const JobTarget& target) const = 0;
    /// Never null. Unknown facts of the device are empty.
    [[nodiscard]] virtual std::unique_ptr<BackingDevice> backing_device(const JobTarget& target) const = 0;

    /// Read before and after each cell, outside its clock. Returns nothing if the system reports no load.
    [[nodiscard]] virtual std::optional<HostCounters> host_counters() const { return std::nullopt; }

    /// Empties the cache of names and attributes of the whole machine. Returns false if that is not allowed.
    [[nodiscard]] virtual bool forget_names() const = 0;

    /// A queue for at most `depth` requests at a time. Fails with host_fault.
    [[nodiscard]] virtual Result<std::unique_ptr<RequestQueue>> make_request_queue(std::uint32_t depth) const = 0;

    /// Fails with bad_request if the system has no such engine, no_permission if it forbids it.
    [[nodiscard]] virtual Result<void> check_engine(Engine engine) const = 0;
    /// Transfers the bytes of one cell in a loop of the engine. Ends when all operations were tried, when the time
    /// limit is reached, on cancel, or when the error policy stops the job. Every submitted transfer has completed when
    /// it returns. Fails with io_failed if the engine itself cannot work (memory, ring), and as check_engine().
    [[nodiscard]] virtual Result<CellRunEnd> run_cell(Engine engine, const CellRun& run) const = 0;
};

} // namespace mediarig::workload
