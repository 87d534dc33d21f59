// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/io/linux/h2w_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <string>
#include <system_error>

#include "host/base/descriptor.hpp"
#include "host/workload/io/io_errors.hpp"
#include "host/workload/io/linux/medium_file.hpp"
#include "host/workload/io/platform/buffer.hpp"

namespace mediarig::workload {
namespace {

constexpr Bytes read_at_once{std::uint64_t{1} << 20};
constexpr std::size_t failed_block = 4096;

class H2wReader {
public:
    H2wReader(TransferBuffer buffer, const std::function<bool(Bytes)>& progress)
        : buffer_(std::move(buffer)), progress_(progress) {}

    Result<void> read(int folder, const std::string& name, std::uint64_t number) {
        // O_DIRECT is not available on each file system; the cache is emptied instead.
        auto file = LinuxMediumFile::open_existing(folder, name, CachePolicy::dropped, SyncLevel::none);
        if (!file) return fail(file.error());
        struct stat status {};
        if (::fstat(file->fd(), &status) != 0) return fail(error_from(errno, "read " + name));
        const Bytes size{static_cast<std::uint64_t>(status.st_size)};
        report.cache_dropped = file->drop_cache(size).verified() && report.cache_dropped;
        report.oldest = report.files == 0 ? status.st_mtime : std::min<std::int64_t>(report.oldest, status.st_mtime);
        ++report.files;
        const std::uint64_t base = (number - 1) * h2w_file_size.count;
        for (std::uint64_t at = 0; at < size.count; at += read_at_once.count) {
            const auto bytes =
                buffer_.bytes().first(static_cast<std::size_t>(std::min(read_at_once.count, size.count - at)));
            read_part(*file, bytes, at, base);
            read_ += Bytes{bytes.size()};
            if (!progress_(read_)) return fail(Errc::cancelled, "cancelled while the files were read");
        }
        return {};
    }

    H2wReport report;

private:
    void read_part(LinuxMediumFile& file, std::span<std::byte> bytes, std::uint64_t at, std::uint64_t base) {
        if (file.read(bytes, at).bytes == bytes.size()) {
            check(bytes, base + at);
            return;
        }
        for (std::size_t part = 0; part < bytes.size(); part += failed_block) {
            const auto block = bytes.subspan(part, std::min(failed_block, bytes.size() - part));
            if (file.read(block, at + part).bytes == block.size())
                check(block, base + at + part);
            else
                report.counts.add_unreadable({block.size()}, base + at + part);
        }
    }
    /// Ignores an incomplete sector at the end of a file, as f3read does.
    void check(std::span<const std::byte> bytes, std::uint64_t position) {
        for (std::size_t at = 0; at + h2w_sector_size <= bytes.size(); at += h2w_sector_size)
            report.counts.add(h2w_state(bytes.subspan(at).first<h2w_sector_size>(), position + at), position + at);
    }

    TransferBuffer buffer_;
    const std::function<bool(Bytes)>& progress_;
    Bytes read_;
};

} // namespace

Result<H2wReport> read_h2w_files(const std::filesystem::path& folder, const std::function<bool(Bytes)>& progress) {
    std::map<std::uint64_t, std::string> files;
    std::error_code failed;
    for (std::filesystem::directory_iterator entry(folder, failed), end; !failed && entry != end;
         entry.increment(failed)) {
        const std::string name = entry->path().filename().string();
        if (const auto number = h2w_number(name)) files.emplace(*number, name);
    }
    if (failed) return fail(error_from(failed.value(), "list " + folder.string()));
    if (files.empty())
        return fail(Errc::bad_request, folder.string() +
                                           " contains no file of H2testw or f3 (1.h2w): name the folder that contains "
                                           "them, or a device that was tested with verify");
    const Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!opened) return fail(error_from(errno, "open " + folder.string()));
    auto buffer = TransferBuffer::allocate(static_cast<std::size_t>(read_at_once.count));
    if (!buffer) return fail(buffer.error());
    H2wReader reader(std::move(*buffer), progress);
    for (const auto& [number, name] : files)
        if (auto done = reader.read(opened.get(), name, number); !done) return fail(done.error());
    reader.report.missing = files.rbegin()->first - files.size();
    return reader.report;
}

} // namespace mediarig::workload
