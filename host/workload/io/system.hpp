// SPDX-License-Identifier: GPL-3.0-or-later
/// Port: a file or block device opened for a test the way the job asks, and how far that was possible. Called once an
/// opening, a cell or a chunk of a verify pass; an engine takes the descriptor and moves its bytes without it.
#pragma once

#include <array>
#include <cerrno>
#include <charconv>
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
#include "host/workload/io/engine.hpp"
#include "host/workload/io/job_control.hpp"
#include "host/workload/io/platform/clock.hpp"
#include "host/workload/spec.hpp"

namespace mediarig::workload {

/// What became of a transfer: the number of bytes moved, and the errno that ended it early (0: none).
struct Moved {
    std::size_t bytes{};
    int error{};
};

struct Dropped {
    int error{};               ///< errno of the write-back; 0 when it succeeded
    std::optional<Bytes> left; ///< still resident afterwards; nothing where the system does not tell
    [[nodiscard]] bool verified() const { return error == 0 && left && left->count == 0; }
};

class MediumFile {
public:
    virtual ~MediumFile() = default;

    /// For an engine; open as long as this lives and until give_up_direct().
    [[nodiscard]] virtual int fd() const = 0;
    [[nodiscard]] virtual CachePolicy used() const = 0;
    /// Direct access was asked for, and the file system refused it when opening or at the first transfer.
    [[nodiscard]] virtual bool direct_refused() const = 0;
    /// Goes on without direct access: some drivers accept it when opening and then refuse the transfer.
    [[nodiscard]] virtual Result<void> give_up_direct() = 0;
    /// The size of the device or file as the system has it.
    [[nodiscard]] virtual Result<Bytes> size() const = 0;
    /// True where the driver is a process that reads and writes the device through the device's own page cache (FUSE).
    [[nodiscard]] virtual bool served_by_user_space() const = 0;
    /// Where in its volume the first byte of the file lies, once it was written and flushed; nothing where the file
    /// system does not tell, and for a device.
    [[nodiscard]] virtual std::optional<Bytes> place() const { return std::nullopt; }

    /// Writes until all is written; a medium that takes nothing and says nothing counts as EIO.
    [[nodiscard]] virtual Moved write(std::span<const std::byte> bytes, std::uint64_t offset) = 0;
    /// Reads until all is read; the end of the file ends it early without an error.
    [[nodiscard]] virtual Moved read(std::span<std::byte> bytes, std::uint64_t offset) = 0;
    /// Everything written so far is on the medium when it returns 0, else errno.
    [[nodiscard]] virtual int flush() const = 0;
    /// And the file's attributes as well (its times).
    [[nodiscard]] virtual int flush_attributes() const { return flush(); }
    /// From now on read() and write() copy from and to a mapping of the first `length` bytes, to which the file is made
    /// to grow, and both flushes write the mapping back; until unmap(). An errno: this file system has no mappings
    /// (ENODEV, EINVAL), no room, no memory.
    [[nodiscard]] virtual int map(Bytes length) {
        (void)length;
        return ENODEV;
    }
    virtual void unmap() {}
    /// In how many pieces it lies on the medium; nothing where the file system does not tell.
    [[nodiscard]] virtual std::optional<std::uint64_t> pieces() const { return {}; }
    /// Writes back what is still in the page cache, then drops the pages of the first `size` bytes.
    [[nodiscard]] virtual Dropped drop_cache(Bytes size) const = 0;
    /// Before single requests here and there: nothing is to be read ahead of them.
    virtual void expect_random() const = 0;
    /// Drops the pages of a range if they are clean; checks nothing. 0 or errno.
    [[nodiscard]] virtual int forget(std::uint64_t offset, Bytes length) const = 0;
};

/// Port: a folder with numbered files and folders, within a job's work folder. Each call is a call or two of the system
/// on an open folder; nothing is followed that is a link. May be used by several threads at once.
class FileTree {
public:
    virtual ~FileTree() = default;

    /// The names in such a folder; nothing else is ever removed. Files are called as name_of_file has it.
    [[nodiscard]] static std::string folder_name(std::uint64_t index) { return "folder-" + std::to_string(index); }

    /// Null with an errno, or a folder.
    struct OpenedFolder {
        std::unique_ptr<FileTree> folder;
        int error{};
    };
    /// 0 or an errno.
    [[nodiscard]] virtual int make_folder(const std::string& name) const = 0;
    /// `path`: names of folders with slashes between them.
    [[nodiscard]] virtual OpenedFolder open_folder(const std::string& path) const = 0;

    /// Null with an errno, or a file.
    struct Opened {
        std::unique_ptr<MediumFile> file;
        int error{};
    };
    /// Makes a file that does not exist yet, or opens one, through the page cache.
    [[nodiscard]] virtual Opened create(const std::string& name, SyncLevel sync) const = 0;
    [[nodiscard]] virtual Opened open(const std::string& name) const = 0;

    // These answer 0 or an errno.
    [[nodiscard]] virtual int ask_attributes(const std::string& name) const = 0;
    [[nodiscard]] virtual int rename(const std::string& from, const std::string& to) const = 0;
    [[nodiscard]] virtual int remove(const std::string& name) const = 0;
    [[nodiscard]] virtual int remove_folder(const std::string& name) const = 0;
    /// What was changed in the whole file system is on the medium.
    [[nodiscard]] virtual int flush() const = 0;

    /// Tells the name of each entry, as they lie there; what is told of may be removed meanwhile. Ends where `each`
    /// says false. 0 or an errno.
    [[nodiscard]] virtual int list(const std::function<bool(const std::string& name)>& each) const = 0;

    struct Contents {
        std::uint64_t files{}, folders{};
        Bytes bytes; ///< of the files, as their attributes have it
        int error{}; ///< errno of what could not be read, 0 if all could
        bool operator==(const Contents&) const = default;
    };
    /// Lists it and all folders below it, and asks for the attributes of each entry.
    [[nodiscard]] virtual Contents walk() const = 0;
};

/// Port: a folder of the job's own on the medium: gone when the job ends, whatever happened. Made, filled, emptied and
/// removed through descriptors, so that nothing else is touched where somebody exchanges names meanwhile.

/// The destructor removes it.
class WorkFolder {
public:
    static constexpr const char* prefix = "mediarig-work-";
    /// The names of the files that jobs make in such a folder; nothing else is ever removed.
    static constexpr const char* span_file = "span.bin";
    [[nodiscard]] static std::string piece_file(std::uint64_t index) {
        std::array<char, 20> digits; // made for each of a million files
        char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), index).ptr;
        std::string name("piece-");
        name.append(digits.data(), static_cast<std::size_t>(end - digits.data())).append(".bin");
        return name;
    }

    virtual ~WorkFolder() = default;

    /// Makes a file that does not exist yet.
    [[nodiscard]] virtual Result<std::unique_ptr<MediumFile>> create_file(const std::string& name, CachePolicy cache,
                                                                          SyncLevel sync) const = 0;
    /// Opens a file that this job has made, never what a link leads to.
    [[nodiscard]] virtual Result<std::unique_ptr<MediumFile>> open_file(const std::string& name, CachePolicy cache,
                                                                        SyncLevel sync) const = 0;
    /// The folder itself, for jobs of many files and folders.
    [[nodiscard]] virtual Result<std::unique_ptr<FileTree>> tree() const = 0;
    /// Of the file system, as an ordinary user may use it; the largest number where it has no size of its own.
    [[nodiscard]] virtual Result<Bytes> free_space() const = 0;
    /// How many files and folders can still be made; nothing where the file system has no fixed number of them.
    [[nodiscard]] virtual std::optional<std::uint64_t> free_entries() const = 0;
    /// What a file takes is a multiple of this.
    [[nodiscard]] virtual Bytes allocation_unit() const = 0;
    /// The most bytes that a file may have; nothing where that is more than any test asks for.
    [[nodiscard]] virtual std::optional<Bytes> largest_file() const = 0;
    /// Removes the job's files in it and the folder. Fails with io_failed where something else lies in it, or where its
    /// name has become that of something else, which then stays. Done again by the destructor if it failed.
    [[nodiscard]] virtual Result<void> remove() = 0;
};

/// Port: what of this host lies below the device that is tested: a loop device stands on a file, whose file system
/// caches what it is given, and may be full. Neither may pass for the medium.
class HostBelow {
public:
    /// What may answer for the medium: nothing; the host's cache of a file; something that nobody knows.
    enum class Cache : std::uint8_t { none, of_file, unknown };

    virtual ~HostBelow() = default;

    /// Whether a cache of this host may answer for the medium.
    [[nodiscard]] bool caches() const { return cache_ != Cache::none; }
    /// Empties that cache; what the device itself still has to write must be written back before. True when it is
    /// certain that nothing is left in it, or there is none.
    [[nodiscard]] virtual bool drop() const = 0;

    /// What a failed write or flush of `length` bytes tells nothing about the medium for: the file is sparse and its
    /// file system has no room. Nothing where that is not so or not known.
    [[nodiscard]] virtual std::optional<Error> full(Bytes length) const = 0;

    /// About the speeds that were measured through that cache; only where there is one.
    [[nodiscard]] measure::Finding about_speed() const;
    /// Why what was read back is no proof, where drop() was false.
    [[nodiscard]] measure::Finding doubt() const;

protected:
    /// `path`: of the file below, for messages.
    HostBelow(Cache cache, std::string path) : cache_(cache), path_(std::move(path)) {}
    [[nodiscard]] Cache cache() const { return cache_; }
    [[nodiscard]] const std::string& path() const { return path_; }

private:
    Cache cache_;
    std::string path_;
};

/// Port: the block device underneath a test file: its counters, its own cache, and whether it is still there.
class BackingDevice {
public:
    virtual ~BackingDevice() = default;

    struct Totals {
        Bytes read;
        Bytes written;
    };
    /// What the block layer has moved so far. Nothing where the device keeps no counters.
    [[nodiscard]] virtual std::optional<Totals> totals() const = 0;

    struct Sectors {
        Bytes logical;  ///< direct transfers must be whole ones
        Bytes physical; ///< smaller writes make the device read, change and write
    };
    [[nodiscard]] virtual std::optional<Sectors> sectors() const = 0;

    /// True when it was there and is not any more, or says that it has no size (a reader without its card).
    [[nodiscard]] virtual bool gone() const = 0;

    /// Writes the device's own page cache, and that of the partition in use, back and empties it: what a file-system
    /// driver in user space has read and written lies there. False where the device is unknown or refuses. May take as
    /// long as the device needs.
    [[nodiscard]] virtual bool flush_and_drop() const = 0;
    /// Only writes it back; errno of the first that failed, 0 if none did.
    [[nodiscard]] virtual int flush() const = 0;

    [[nodiscard]] virtual bool known() const = 0;
    [[nodiscard]] virtual const std::string& node() const = 0; ///< for messages: "/dev/sdb"
    [[nodiscard]] virtual const HostBelow& below() const = 0;
};

/// Port: requests that a system carries out by itself while the caller goes on, each submitted alone, as programs of
/// the nineties make them (libaio). The engine of sweeps is another one (engine.hpp).
class RequestQueue {
public:
    /// Waits for what is still under way.
    virtual ~RequestQueue() = default;

    struct Request {
        int fd{-1};
        bool writing{};
        std::span<std::byte> bytes; ///< stays as it is until the request is done
        std::uint64_t offset{};
        std::uint64_t tag{}; ///< comes back with what became of it
    };
    struct Done {
        std::uint64_t tag{};
        Moved moved;
    };
    /// 0 or errno. No more may be under way than the queue was made for.
    [[nodiscard]] virtual int submit(const Request& request) = 0;
    /// Waits until so many are done and takes all that are; 0 or errno.
    [[nodiscard]] virtual int wait(std::uint32_t least, std::vector<Done>& done) = 0;
};

/// Port: what a job asks of the operating system. Asked when something is opened and when a cell begins; between two
/// transfers of a cell stands nothing of it.
class System {
public:
    virtual ~System() = default;

    /// The best clock of this machine; lives as long as the process. The first call may take some milliseconds.
    [[nodiscard]] virtual const TickClock& clock() const = 0;

    /// Opens what `fd` names once more, with flags of its own; `fd` stays as it is.
    [[nodiscard]] virtual Result<std::unique_ptr<MediumFile>> reopen(int fd, CachePolicy cache,
                                                                     SyncLevel sync) const = 0;
    /// The directory of a path, for Target::directory_fd. Links in the path are followed once, with the rights of the
    /// calling thread. Fails with bad_request, no_permission, io_failed.
    [[nodiscard]] virtual Result<Descriptor> open_directory(const std::string& path) const = 0;
    /// Makes a new folder in the directory of `target`, which must be open. First removes those that earlier jobs left
    /// behind because their process was killed. Fails with refused where others may write in it, no_permission,
    /// io_failed.
    [[nodiscard]] virtual Result<std::unique_ptr<WorkFolder>> make_work_folder(const Target& target) const = 0;
    /// What cannot be found out about it is answered with nothing; never null.
    [[nodiscard]] virtual std::unique_ptr<BackingDevice> backing_device(const Target& target) const = 0;

    /// Empties the cache of names and attributes, which is one for the whole machine. False where that is not allowed.
    [[nodiscard]] virtual bool forget_names() const = 0;

    /// For at most `depth` requests at a time. Fails with host_fault.
    [[nodiscard]] virtual Result<std::unique_ptr<RequestQueue>> make_request_queue(std::uint32_t depth) const = 0;

    /// Fails with bad_request where the system has no such engine, no_permission where it forbids it.
    [[nodiscard]] virtual Result<std::unique_ptr<IoEngine>> make_engine(Engine engine) const = 0;
};

} // namespace mediarig::workload
