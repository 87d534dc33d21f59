// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/agent/linux/undo_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "host/base/descriptor.hpp"
#include "host/base/owned_folder.hpp"
#include "host/base/process/environment.hpp"
#include "host/base/replace_file.hpp"

namespace mediarig::agent {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view suffix = ".undo", new_suffix = ".undo.new";
constexpr const char* root_folder = "/var/lib/mediarig/undo";

class MappedBytes {
public:
    MappedBytes(void* address, std::size_t size) : address_(address), size_(size) {}
    MappedBytes(MappedBytes&& other) noexcept : address_(std::exchange(other.address_, nullptr)), size_(other.size_) {}
    MappedBytes& operator=(MappedBytes&&) = delete;
    MappedBytes(const MappedBytes&) = delete;
    MappedBytes& operator=(const MappedBytes&) = delete;
    ~MappedBytes() {
        if (address_ != nullptr) ::munmap(address_, size_);
    }
    [[nodiscard]] std::span<const std::byte> bytes() const { return {static_cast<const std::byte*>(address_), size_}; }

private:
    void* address_;
    std::size_t size_;
};

class LinuxUndoFile final : public workload::UndoStorage {
public:
    LinuxUndoFile(fs::path folder, const std::string& key)
        : folder_(std::move(folder)), path_(folder_ / (key + std::string(suffix))) {}

    Result<void> append(std::span<const std::byte> bytes) override {
        if (folder_.empty())
            return fail(Errc::host_fault,
                        "no folder for the undo file: set MEDIARIG_UNDO_DIR to a folder on a disk of this machine");
        if (!file_) return create(bytes);
        return write(bytes);
    }

    Result<void> shorten(std::uint64_t size) override {
        // Durable with the next append. Until then the removed entries are still true.
        if (::ftruncate(file_.get(), static_cast<off_t>(size)) != 0) return fail(failure("write", errno));
        size_ = size;
        return {};
    }

    Result<std::span<const std::byte>> contents() override {
        map_.reset();
        const Descriptor file(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
        struct stat status {};
        if (!file || ::fstat(file.get(), &status) != 0) return fail(failure("read", errno));
        const auto size = static_cast<std::size_t>(status.st_size);
        if (size == 0) return std::span<const std::byte>{};
        void* const address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
        if (address == MAP_FAILED) return fail(failure("read", errno));
        map_.emplace(address, size);
        return map_->bytes();
    }

    Result<void> remove() override {
        map_.reset();
        file_ = Descriptor();
        if (::unlink(path_.c_str()) != 0 && errno != ENOENT) return fail(failure("remove", errno));
        const Descriptor folder(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        if (folder && ::fsync(folder.get()) != 0) return fail(failure("remove", errno));
        remove_owned_if_empty(folder_);
        return {};
    }

    std::string name() const override { return path_.string(); }

private:
    [[nodiscard]] Error failure(const char* action, int cause) const {
        return {Errc::host_fault,
                fmt::format("cannot {} the undo file {}: {}", action, path_.string(), std::strerror(cause))};
    }

    /// Makes the file under another name, so that a file with the right name always contains its first batch.
    Result<void> create(std::span<const std::byte> bytes) {
        std::vector<fs::path> changed{folder_.parent_path()}; // folders that get an entry
        std::error_code failed;
        for (fs::path parent = folder_.parent_path(); parent.has_relative_path() && !fs::exists(parent, failed);)
            changed.push_back(parent = parent.parent_path());
        fs::create_directories(folder_.parent_path(), failed);
        const auto folder = OwnedFolder::make(
            folder_,
            {.is_own = [](std::string_view name) { return name.ends_with(suffix) || name.ends_with(new_suffix); },
             .next_step = "set MEDIARIG_UNDO_DIR to another folder"});
        if (!folder) return fail(Errc::host_fault, "cannot make the undo file: " + folder.error().detail);
        if (auto permanent = check_permanent(folder->descriptor()); !permanent) return permanent;
        // Checks of other media make their files here too, and two media can have the same key.
        if (::flock(folder->descriptor(), LOCK_EX) != 0) return fail(failure("lock the folder of", errno));
        // Other users may look up a file, so that they see an interrupted check, but not list or read them.
        if (folder_ == root_folder)
            (void)(::fchmod(folder->descriptor(), 0711) == 0 && ::chmod(folder_.parent_path().c_str(), 0755) == 0);
        const std::string made = path_.string() + ".new";
        (void)::unlink(made.c_str());
        file_ = Descriptor(::open(made.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
        if (!file_) return fail(failure("make", errno));
        auto done = write(bytes);
        fs::path left = made;
        if (done) {
            const int cause = rename_to_new(made, path_);
            if (cause == EEXIST)
                done = fail(Errc::refused,
                            path_.string() + " contains data of an interrupted check: restore the medium first");
            else if (cause != 0)
                done = fail(failure("make", cause));
            else {
                left = path_;
                done = sync_folders(folder->descriptor(), changed);
            }
        }
        if (!done) {
            (void)::unlink(left.c_str());
            file_ = Descriptor();
        }
        return done;
    }

    /// A file in memory is lost with the power of this machine.
    [[nodiscard]] Result<void> check_permanent(int folder) const {
        struct statfs kind {};
        if (::fstatfs(folder, &kind) != 0) return fail(failure("make", errno));
        if (kind.f_type != TMPFS_MAGIC && kind.f_type != RAMFS_MAGIC) return {};
        return fail(Errc::host_fault, "the undo folder " + folder_.string() +
                                          " is in memory, which a power failure erases: set MEDIARIG_UNDO_DIR to a "
                                          "folder on a disk of this machine");
    }

    /// Makes the new entries of these folders durable. A folder that this user cannot read is left to its file system.
    [[nodiscard]] Result<void> sync_folders(int own, const std::vector<fs::path>& changed) const {
        if (::fsync(own) != 0) return fail(failure("make", errno));
        for (const fs::path& path : changed) {
            const Descriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
            if (folder && ::fsync(folder.get()) != 0) return fail(failure("make", errno));
        }
        return {};
    }

    Result<void> write(std::span<const std::byte> bytes) {
        std::uint64_t end = size_;
        while (!bytes.empty()) {
            const ssize_t count = ::pwrite(file_.get(), bytes.data(), bytes.size(), static_cast<off_t>(end));
            if (count < 0 && errno == EINTR) continue;
            if (count <= 0) return fail(failure("write", count < 0 ? errno : EIO));
            bytes = bytes.subspan(static_cast<std::size_t>(count));
            end += static_cast<std::uint64_t>(count);
        }
        if (::fsync(file_.get()) != 0) return fail(failure("write", errno));
        size_ = end;
        return {};
    }

    fs::path folder_, path_;
    Descriptor file_;      ///< made by this object
    std::uint64_t size_{}; ///< of the durable content
    std::optional<MappedBytes> map_;
};

} // namespace

std::string undo_key(const media::Medium& medium) {
    return fmt::format("{}-{}", media::device_key(medium), medium.size.count);
}

fs::path undo_folder(const process::Caller& caller) {
    using process::environment;
    const bool root = ::geteuid() == 0;
    if (const std::string_view named = environment("MEDIARIG_UNDO_DIR"); !named.empty() && (!root || caller.is_root()))
        return fs::path(named);
    if (root) return root_folder;
    if (const std::string_view state = environment("XDG_STATE_HOME"); state.starts_with('/'))
        return fs::path(state) / "mediarig" / "undo";
    const std::string_view home = environment("HOME");
    return home.empty() ? fs::path() : fs::path(home) / ".local" / "state" / "mediarig" / "undo";
}

std::unique_ptr<workload::UndoStorage> undo_file(const fs::path& folder, const std::string& key) {
    return std::make_unique<LinuxUndoFile>(folder, key);
}

std::vector<std::string> undo_keys(const fs::path& folder, Bytes size) {
    const std::string ending = fmt::format("-{}{}", size.count, suffix);
    std::vector<std::string> keys;
    std::error_code failed;
    for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed))
        if (std::string name = entry->path().filename().string(); name.ends_with(ending))
            keys.push_back(name.substr(0, name.size() - suffix.size()));
    std::ranges::sort(keys);
    return keys;
}

bool has_undo_file(const fs::path& folder, const std::string& key) {
    const std::string name = key + std::string(suffix);
    std::error_code unknown;
    return fs::exists(folder / name, unknown) || fs::exists(fs::path(root_folder) / name, unknown);
}

} // namespace mediarig::agent
