// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/workload/card_system.hpp"

#include <algorithm>
#include <cerrno>

namespace mediarig::tests {
namespace {

using namespace workload;

constexpr std::uint64_t sector = 512;

/// Requests whole sectors around the given range. `move` receives the pieces in order of their position on the card.
class OnCard : public MediumFile {
public:
    OnCard(CardVolume& volume, CachePolicy cache) : volume_(volume), used_(cache) {}
    int fd() const override { return -1; }
    CachePolicy used() const override { return used_; }
    bool direct_refused() const override { return false; }
    Result<void> disable_direct() override { return {}; }
    bool served_by_user_space() const override { return false; }
    int flush() const override { return volume_.flush(); }
    CacheDrop drop_cache(Bytes) const override { return {.error = volume_.flush(), .left = 0_B}; }
    void expect_random() const override {}
    int forget(std::uint64_t, Bytes) const override { return 0; }

    TransferResult read(std::span<std::byte> bytes, std::uint64_t offset) override {
        const std::lock_guard guard(volume_.mutex);
        const std::uint64_t end = std::min<std::uint64_t>(offset + bytes.size(), extent());
        const std::size_t length = end > offset ? static_cast<std::size_t>(end - offset) : 0;
        TransferResult moved;
        while (moved.bytes < length && moved.error == 0) {
            const auto [place, free_space] = piece(offset + moved.bytes);
            const std::size_t size = std::min<std::size_t>(free_space, length - moved.bytes);
            const std::uint64_t first = place / sector * sector, skipped = place - first;
            window_.resize((skipped + size + sector - 1) / sector * sector);
            moved.error = volume_.read(first, window_);
            if (moved.error != 0) break;
            std::copy_n(window_.begin() + static_cast<std::ptrdiff_t>(skipped), size,
                        bytes.begin() + static_cast<std::ptrdiff_t>(moved.bytes));
            moved.bytes += size;
        }
        return moved;
    }
    TransferResult write(std::span<const std::byte> bytes, std::uint64_t offset) override {
        const std::lock_guard guard(volume_.mutex);
        TransferResult moved{.bytes = 0, .error = reach(offset + bytes.size())};
        while (moved.bytes < bytes.size() && moved.error == 0) {
            const auto [place, free_space] = piece(offset + moved.bytes);
            const std::size_t size = std::min<std::size_t>(free_space, bytes.size() - moved.bytes);
            const std::uint64_t first = place / sector * sector, skipped = place - first;
            window_.resize((skipped + size + sector - 1) / sector * sector);
            if (skipped != 0 || window_.size() != size) moved.error = volume_.read(first, window_);
            std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(moved.bytes), size,
                        window_.begin() + static_cast<std::ptrdiff_t>(skipped));
            if (moved.error == 0) moved.error = volume_.write(first, window_);
            if (moved.error == 0) moved.bytes += size;
        }
        return moved;
    }

protected:
    struct Piece {
        std::uint64_t place, free_space;
    };
    /// Returns the size of the file, which limits reads.
    [[nodiscard]] virtual std::uint64_t extent() const = 0;
    /// Extends the file to at least this size.
    [[nodiscard]] virtual int reach(std::uint64_t size) = 0;
    [[nodiscard]] virtual Piece piece(std::uint64_t offset) const = 0;
    CardVolume& volume_;

private:
    CachePolicy used_;
    std::vector<std::byte> window_;
};

class WholeCard final : public OnCard {
public:
    using OnCard::OnCard;
    Result<Bytes> size() const override { return volume_.claimed(); }

protected:
    std::uint64_t extent() const override { return volume_.claimed().count; }
    int reach(std::uint64_t size) override { return size <= extent() ? 0 : ENOSPC; }
    Piece piece(std::uint64_t offset) const override { return {offset, extent() - offset}; }
};

class CardFile final : public OnCard {
public:
    CardFile(CardVolume& volume, CachePolicy cache, std::shared_ptr<CardVolume::File> file)
        : OnCard(volume, cache), file_(std::move(file)) {}
    Result<Bytes> size() const override { return file_->size; }
    std::optional<std::uint64_t> pieces() const override {
        std::uint64_t count = 0;
        for (std::size_t i = 0; i < file_->chunks.size(); ++i)
            count += i == 0 || file_->chunks[i] != file_->chunks[i - 1] + CardVolume::chunk ? 1 : 0;
        return count;
    }

protected:
    std::uint64_t extent() const override { return file_->size.count; }
    int reach(std::uint64_t size) override {
        if (size <= file_->size.count) return 0;
        if (const int error = volume_.grow(*file_, size); error != 0) return error;
        file_->size = Bytes{size};
        return 0;
    }
    Piece piece(std::uint64_t offset) const override {
        std::uint64_t index = offset / CardVolume::chunk, free_space = CardVolume::chunk - offset % CardVolume::chunk;
        const std::uint64_t place = file_->chunks[index] + offset % CardVolume::chunk;
        // Adjacent pieces are one request.
        while (++index < file_->chunks.size() && file_->chunks[index] == place + free_space)
            free_space += CardVolume::chunk;
        return {place, free_space};
    }

private:
    std::shared_ptr<CardVolume::File> file_;
};

class CardFolder final : public FileTree {
public:
    CardFolder(CardVolume& volume, std::string path) : volume_(volume), path_(std::move(path)) {}
    int make_folder(const std::string& name) const override {
        const std::lock_guard guard(volume_.mutex);
        if (volume_.folders.contains(path_ + name + "/")) return EEXIST;
        const int error = volume_.change_name();
        if (error == 0) volume_.folders.insert(path_ + name + "/");
        return error;
    }
    OpenedFolder open_folder(const std::string& path) const override {
        const std::lock_guard guard(volume_.mutex);
        if (const int error = volume_.check_name(); error != 0) return {nullptr, error};
        if (!volume_.folders.contains(path_ + path + "/")) return {nullptr, ENOENT};
        return {std::make_unique<CardFolder>(volume_, path_ + path + "/"), 0};
    }
    OpenedFile create(const std::string& name, SyncLevel) const override {
        const std::lock_guard guard(volume_.mutex);
        if (volume_.files.contains(path_ + name)) return {nullptr, EEXIST};
        if (const int error = volume_.change_name(); error != 0) return {nullptr, error};
        const auto file = std::make_shared<CardVolume::File>();
        volume_.files.emplace(path_ + name, file);
        return {std::make_unique<CardFile>(volume_, CachePolicy::dropped, file), 0};
    }
    OpenedFile open(const std::string& name) const override {
        const std::lock_guard guard(volume_.mutex);
        if (const int error = volume_.check_name(); error != 0) return {nullptr, error};
        const auto found = volume_.files.find(path_ + name);
        if (found == volume_.files.end()) return {nullptr, ENOENT};
        return {std::make_unique<CardFile>(volume_, CachePolicy::dropped, found->second), 0};
    }
    int ask_attributes(const std::string& name) const override {
        const std::lock_guard guard(volume_.mutex);
        const int error = volume_.check_name();
        return error != 0 || volume_.files.contains(path_ + name) ? error : ENOENT;
    }
    int rename(const std::string& from, const std::string& to) const override {
        const std::lock_guard guard(volume_.mutex);
        const auto found = volume_.files.find(path_ + from);
        if (found == volume_.files.end()) return ENOENT;
        if (const int error = volume_.change_name(); error != 0) return error;
        const auto file = found->second;
        volume_.files.erase(found);
        auto& place = volume_.files[path_ + to];
        if (place) volume_.release(*place);
        place = file;
        return 0;
    }
    int remove(const std::string& name) const override {
        const std::lock_guard guard(volume_.mutex);
        const auto found = volume_.files.find(path_ + name);
        if (found == volume_.files.end()) return ENOENT;
        if (const int error = volume_.change_name(); error != 0) return error;
        volume_.release(*found->second);
        volume_.files.erase(found);
        return 0;
    }
    int remove_folder(const std::string& name) const override {
        const std::lock_guard guard(volume_.mutex);
        if (const int error = volume_.change_name(); error != 0) return error;
        return volume_.folders.erase(path_ + name + "/") != 0 ? 0 : ENOENT;
    }
    int flush() const override { return volume_.flush(); }
    int list(const std::function<bool(const std::string& name)>& each) const override {
        std::vector<std::string> names;
        {
            const std::lock_guard guard(volume_.mutex);
            if (const int error = volume_.check_name(); error != 0) return error;
            for (const auto& [name, file] : volume_.files)
                if (name.starts_with(path_)) names.push_back(name.substr(path_.size()));
        }
        for (const std::string& name : names)
            if (!each(name)) break;
        return 0;
    }
    Contents walk() const override {
        const std::lock_guard guard(volume_.mutex);
        Contents all;
        for (const auto& [name, file] : volume_.files) {
            if (const int error = volume_.check_name(); error != 0) all.error = error;
            ++all.files;
            all.bytes += file->size;
        }
        all.folders = volume_.folders.size();
        return all;
    }

private:
    CardVolume& volume_;
    std::string path_;
};

class CardWorkFolder final : public WorkFolder {
public:
    explicit CardWorkFolder(CardVolume& volume) : volume_(volume), root_(volume, "") {}
    Result<std::unique_ptr<MediumFile>> create_file(const std::string& name, CachePolicy cache,
                                                    SyncLevel sync) const override {
        if (const auto made = root_.create(name, sync); made.error != 0)
            return fail(Errc::io_failed, name + " cannot be made: errno " + std::to_string(made.error));
        return open_file(name, cache, sync);
    }
    Result<std::unique_ptr<MediumFile>> open_file(const std::string& name, CachePolicy cache,
                                                  SyncLevel) const override {
        const auto found = volume_.files.find(name);
        if (found == volume_.files.end()) return fail(Errc::io_failed, name + " is not there");
        return std::make_unique<CardFile>(volume_, cache, found->second);
    }
    Result<std::unique_ptr<FileTree>> tree() const override { return std::make_unique<CardFolder>(volume_, ""); }
    Result<Bytes> free_space() const override { return Bytes{volume_.free_bytes()}; }
    std::optional<std::uint64_t> free_entries() const override { return {}; }
    Bytes allocation_unit() const override { return Bytes{CardVolume::chunk}; }
    std::optional<Bytes> largest_file() const override { return {}; }
    Result<void> remove() override {
        while (!volume_.files.empty())
            if (const int error = root_.remove(volume_.files.begin()->first); error != 0)
                return fail(Errc::io_failed, "the files of the test cannot be removed: errno " + std::to_string(error));
        volume_.folders.clear();
        return {};
    }

private:
    CardVolume& volume_;
    CardFolder root_;
};

class CardReader final : public BackingDevice {
public:
    explicit CardReader(CardVolume& volume) : volume_(volume) {}
    std::optional<Totals> totals() const override {
        return Totals{.read = Bytes{volume_.stats().of(lab::BlockRequest::read).bytes},
                      .written = Bytes{volume_.stats().of(lab::BlockRequest::write).bytes}};
    }
    std::optional<Sectors> sectors() const override { return Sectors{512_B, 512_B}; }
    bool gone() const override { return volume_.gone(); }
    bool flush_and_drop() const override { return !volume_.gone(); }
    int flush() const override { return volume_.gone() ? EIO : 0; }
    bool known() const override { return true; }
    const std::string& node() const override { return node_; }

private:
    CardVolume& volume_;
    std::string node_{"/dev/card"};
};

} // namespace

std::optional<workload::HostCounters> CardSystem::host_counters() const {
    if (!processor_wait_) return std::nullopt;
    const std::chrono::nanoseconds now = virtual_time();
    return workload::HostCounters{.at = now,
                                  .processor_waits = std::chrono::nanoseconds(
                                      static_cast<std::int64_t>(*processor_wait_ * static_cast<double>(now.count())))};
}

const TickClock& CardSystem::clock() const {
    static const TickClock clock = TickClock::monotonic();
    return clock;
}
Result<std::unique_ptr<MediumFile>> CardSystem::reopen(int, CachePolicy cache, SyncLevel) const {
    return std::make_unique<WholeCard>(volume_, cache);
}
Result<std::unique_ptr<WorkFolder>> CardSystem::make_work_folder(const JobTarget&) const {
    return std::make_unique<CardWorkFolder>(volume_);
}
std::unique_ptr<BackingDevice> CardSystem::backing_device(const JobTarget&) const {
    return std::make_unique<CardReader>(volume_);
}
Result<CellRunEnd> CardSystem::run_cell(Engine, const CellRun& run) const {
    std::unique_ptr<MediumFile> file;
    if (volume_.files.empty())
        file = std::make_unique<WholeCard>(volume_, CachePolicy::direct);
    else
        file = std::make_unique<CardFile>(volume_, CachePolicy::direct, volume_.files.begin()->second);
    const TickClock& clock = run.recorder.clock();
    const bool writing = writes(run.cell.access);
    std::vector<std::byte> buffer(run.cell.block.count);
    const Ticks begin = clock.now();
    const CellBounds bounds(run.cell, run.operations, clock, begin);
    run.recorder.begin(begin);
    run.recorder.pause(begin);
    for (std::uint64_t i = 0; !bounds.volume_done(i, clock.now()); ++i) {
        if (clock.now() >= bounds.limit(i)) return CellRunEnd{.end = CellEnd::time};
        std::uint64_t offset = 0;
        run.offsets.fill(std::span(&offset, 1));
        if (writing) run.payload.fill(buffer, offset);
        const Ticks start = clock.now();
        const TransferResult moved = writing ? file->write(buffer, offset) : file->read(buffer, offset);
        const Ticks finish = clock.now();
        run.recorder.resume(start);
        run.recorder.pause(finish);
        run.control.bytes_done.fetch_add(buffer.size(), std::memory_order_relaxed);
        if (moved.error == 0 && moved.bytes == buffer.size())
            run.recorder.completed(start, finish);
        else if (!(moved.error != 0 ? run.errors.failed(writing, offset, buffer.size(), moved.error)
                                    : run.errors.record_short_transfer(writing, offset, buffer.size(), moved.bytes)))
            return CellRunEnd{.end = CellEnd::error};
    }
    return CellRunEnd{.end = CellEnd::volume};
}

} // namespace mediarig::tests
