// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/card/file_storage.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

namespace mediarig::lab {
namespace {

off_t as_off(std::uint64_t offset) {
    return static_cast<off_t>(offset);
}

class FileStorage final : public Storage {
public:
    FileStorage(int fd, std::string path, FileCaching caching) : fd_(fd), path_(std::move(path)), caching_(caching) {}
    FileStorage(const FileStorage&) = delete;
    FileStorage& operator=(const FileStorage&) = delete;
    ~FileStorage() override { ::close(fd_); }

    Result<void> read(std::uint64_t offset, std::span<std::byte> into) override {
        while (!into.empty()) {
            const ssize_t got = ::pread(fd_, into.data(), into.size(), as_off(offset));
            if (got < 0 && errno == EINTR) continue;
            if (got < 0) return failed("read");
            if (got == 0) return fail(Errc::io_failed, path_ + " was truncated while it was in use");
            if (auto dropped = drop_pages(offset, got); !dropped) return dropped;
            into = into.subspan(static_cast<std::size_t>(got));
            offset += static_cast<std::uint64_t>(got);
        }
        return {};
    }

    Result<void> write(std::uint64_t offset, std::span<const std::byte> from) override {
        while (!from.empty()) {
            const ssize_t put = ::pwrite(fd_, from.data(), from.size(), as_off(offset));
            if (put < 0 && errno == EINTR) continue;
            if (put < 0) return failed("write");
            if (auto dropped = drop_pages(offset, put); !dropped) return dropped;
            from = from.subspan(static_cast<std::size_t>(put));
            offset += static_cast<std::uint64_t>(put);
        }
        return {};
    }

    Result<void> clear(std::uint64_t offset, Bytes size) override {
        if (size == 0_B) return {};
        if (::fallocate(fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, as_off(offset), as_off(size.count)) == 0)
            return {};
        if (errno != EOPNOTSUPP) return failed("clear a part of");
        const std::vector<std::byte> zeros(std::size_t{1} << 20U);
        while (size > 0_B) {
            const std::size_t part = std::min<std::uint64_t>(zeros.size(), size.count);
            if (auto written = write(offset, std::span(zeros).first(part)); !written) return written;
            offset += part;
            size -= Bytes{part};
        }
        return {};
    }

private:
    /// Writes the pages of a range to the file and removes them from the page cache.
    Result<void> drop_pages(std::uint64_t offset, ssize_t size) const {
        if (caching_ == FileCaching::usual) return {};
        constexpr unsigned now = SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
        if (::sync_file_range(fd_, as_off(offset), size, now) != 0) return failed("write");
        ::posix_fadvise(fd_, as_off(offset), size, POSIX_FADV_DONTNEED);
        return {};
    }
    tl::unexpected<Error> failed(const char* what) const {
        return fail(Errc::io_failed, fmt::format("cannot {} {}: {}", what, path_, std::strerror(errno)));
    }
    int fd_;
    std::string path_;
    FileCaching caching_;
};

} // namespace

Result<std::unique_ptr<Storage>> open_file_storage(const std::string& path, Bytes size, FileCaching caching) {
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (fd < 0) {
        const Errc code = errno == EACCES || errno == EPERM ? Errc::no_permission : Errc::io_failed;
        return fail(code, fmt::format("cannot open the backing file {}: {}", path, std::strerror(errno)));
    }
    std::unique_ptr<Storage> storage = std::make_unique<FileStorage>(fd, path, caching);
    struct stat status {};
    if (::fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))
        return fail(Errc::bad_request, fmt::format("the backing file {} is not a regular file", path));
    // Two models on one file would corrupt each other's data.
    if (::flock(fd, LOCK_EX | LOCK_NB) != 0)
        return fail(Errc::refused, fmt::format("the backing file {} is in use by another medium", path));
    const auto length = static_cast<std::uint64_t>(status.st_size);
    if (length > size.count)
        return fail(Errc::bad_request,
                    fmt::format("the backing file {} holds {} bytes, more than the {} of this medium", path, length,
                                size.count));
    if (length < size.count && ::ftruncate(fd, as_off(size.count)) != 0)
        return fail(Errc::io_failed, fmt::format("cannot extend the backing file {} to {} bytes: {}", path, size.count,
                                                 std::strerror(errno)));
    return storage;
}

} // namespace mediarig::lab
