// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/media/claim/scenarios/scenario_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <stdexcept>

namespace mediarig::claim_scenarios {
namespace {

std::string random_block(Rng& rng) {
    std::string block(block_size, '\0');
    for (std::size_t at = 0; at < block.size(); at += 8) {
        const std::uint64_t word = rng.next();
        std::memcpy(block.data() + at, &word, sizeof word);
    }
    return block;
}

/// An MBR with one Linux partition from 1 MiB to the end.
Blocks partition_table(std::uint64_t size) {
    std::string block(block_size, '\0');
    const std::uint32_t start = mib / 512, sectors = static_cast<std::uint32_t>((size - mib) / 512);
    block[446 + 4] = '\x83';
    std::memcpy(block.data() + 446 + 8, &start, sizeof start);
    std::memcpy(block.data() + 446 + 12, &sectors, sizeof sectors);
    block[510] = '\x55';
    block[511] = '\xaa';
    return {{0, block}};
}

void demand(bool good, const std::string& what) {
    if (!good) throw std::runtime_error(what + ": " + text_for(errno));
}

} // namespace

namespace {

Blocks swap_area(std::uint32_t last_page, std::uint32_t bad_pages) {
    constexpr std::uint32_t version = 1;
    std::string page(block_size, '\0');
    std::memcpy(page.data() + 1024, &version, sizeof version);
    std::memcpy(page.data() + 1028, &last_page, sizeof last_page);
    std::memcpy(page.data() + 1032, &bad_pages, sizeof bad_pages);
    for (std::uint32_t bad = 1; bad <= bad_pages; ++bad)
        std::memcpy(page.data() + 1536 + (bad - 1) * sizeof bad, &bad, sizeof bad);
    std::memcpy(page.data() + block_size - 10, "SWAPSPACE2", 10);
    return {{0, page}};
}

} // namespace

Blocks swap_header() {
    return swap_area(99, 98);
}

Blocks swap_file_header() {
    return swap_area(1, 0);
}

Blocks database_header() {
    std::string page(block_size, '\1');
    page.replace(0, 16, std::string("SQLite format 3\0", 16));
    return {{0, page}};
}

const char* name_of(Backing backing) {
    constexpr std::array names{"tmpfs", "ext4", "overlay"};
    return names[static_cast<std::size_t>(backing)];
}
const char* name_of(ContentKind kind) {
    constexpr std::array names{"data", "ext4", "erofs", "swap", "table", "database"};
    return names[static_cast<std::size_t>(kind)];
}

ScenarioFiles::ScenarioFiles(const BackingFolders& backing_folders, std::uint64_t number, Rng rng)
    : base_(backing_folders.base) {
    backing_ = static_cast<Backing>(
        rng.weighted({50, backing_folders.has_ext4 ? 30U : 0U, backing_folders.has_overlay ? 20U : 0U}));
    folder_ = fmt::format("{}/{}", backing_folders.folder_of(backing_), number);
    upper_ = fmt::format("{}/{}", backing_folders.upper(), number);
    for (const std::string& path :
         {folder_, main_folder(), second_folder(), folder_ + "/lower", folder_ + "/work", folder_ + "/merged"})
        demand(::mkdir(path.c_str(), 0700) == 0, path);

    std::vector<std::string> wanted{"a.img", "b.img"};
    for (const char* more : {"c.img", "d.img"})
        if (rng.chance(40)) wanted.emplace_back(more);
    // Names that a careless program confuses with the plain names.
    if (rng.chance(12))
        wanted.push_back(rng.pick<std::string>({"a.img ", "a.img\n", "a\t.img", "a?.img", "a\\x09.img"}));
    for (const std::string& name : wanted)
        make_file(backing_folders.templates, rng, name, backing_ == Backing::ext4 && rng.chance(35));
    make_names(rng);
}

ScenarioFiles::~ScenarioFiles() {
    files_.clear();
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

void ScenarioFiles::make_file(const Templates& templates, Rng& rng, const std::string& name, bool for_swap) {
    const std::string path = main_folder() + "/" + name;
    const std::vector<std::uint64_t> sizes{1, 2, 3, 4, 8, 16, 16, 16, 32, 64};
    File file;
    file.name = name;
    file.size = rng.pick(sizes) * mib;
    const Descriptor open(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    demand(open && ::ftruncate(open.get(), static_cast<off_t>(file.size)) == 0, path);
    if (for_swap) {
        // The kernel swaps only to files without holes.
        demand(::fallocate(open.get(), 0, 0, static_cast<off_t>(file.size)) == 0, path);
        write_blocks(open.get(), 0, swap_file_header());
        file.contents.push_back({ContentKind::swap, {0, file.size}});
    } else {
        place(templates, rng, open.get(), file);
    }
    demand(::fsync(open.get()) == 0, path);

    const std::string below = backing_ == Backing::overlay ? upper_ + "/d/" + name : path;
    for (const std::string& seen_as : {path, below}) {
        struct stat status {};
        demand(::stat(seen_as.c_str(), &status) == 0, seen_as);
        file.ids.emplace_back(status.st_dev, status.st_ino);
    }
    file.handle = Descriptor(::open(below.c_str(), O_PATH | O_CLOEXEC));
    demand(bool(file.handle), below);
    file.seen = read_blocks(file.handle.get());
    files_.push_back(std::move(file));
    plain_.push_back(path);
}

void ScenarioFiles::place(const Templates& templates, Rng& rng, int fd, File& file) {
    const std::size_t head = rng.weighted({35, 28, 10, 10, 13, 4});
    for (std::uint64_t at = 0; at + mib <= file.size; at += mib) {
        ContentKind kind{};
        if (at == 0)
            kind = static_cast<ContentKind>(head);
        else
            kind = static_cast<ContentKind>(rng.weighted({70, 18, 6, 6}));
        if (kind == ContentKind::table && file.size < 2 * mib) kind = ContentKind::data;
        if ((kind == ContentKind::ext4 && templates.ext4.empty()) ||
            (kind == ContentKind::erofs && templates.erofs.empty()))
            kind = ContentKind::data;
        Content content{kind, {at, at + mib}};
        switch (kind) {
            case ContentKind::ext4:
                write_blocks(fd, at, templates.ext4);
                break;
            case ContentKind::erofs:
                write_blocks(fd, at, templates.erofs);
                break;
            case ContentKind::swap:
                write_blocks(fd, at, swap_header());
                break;
            case ContentKind::table:
                write_blocks(fd, at, partition_table(file.size));
                break;
            case ContentKind::database:
                write_blocks(fd, at, database_header());
                break;
            case ContentKind::data: {
                Blocks data;
                for (int blocks = 0; blocks < 3; ++blocks) data[rng.below(mib / block_size)] = random_block(rng);
                // Most writes go to the first megabyte.
                if (at == 0 && rng.chance(70)) data[0] = random_block(rng), data[1] = random_block(rng);
                write_blocks(fd, at, data);
                break;
            }
        }
        file.contents.push_back(content);
    }
}

void ScenarioFiles::make_names(Rng& rng) {
    names_ = plain_;
    const std::size_t first = rng.below(plain_.size()), second = rng.below(plain_.size());
    const std::string link = folder_ + "/link.img", hard = second_folder() + "/hard.img", folder = folder_ + "/f";
    if (::symlink(plain_[first].c_str(), link.c_str()) == 0) names_.push_back(link);
    if (::link(plain_[second].c_str(), hard.c_str()) == 0) names_.push_back(hard);
    if (::symlink("d", folder.c_str()) == 0) names_.push_back(folder + "/a.img");
    // In the second folder the same names lead to other files.
    for (std::size_t i = 0; i < plain_.size(); ++i) {
        const std::string twin = second_folder() + "/" + files_[i].name;
        if (::link(plain_[(i + 1) % plain_.size()].c_str(), twin.c_str()) == 0 && rng.chance(50))
            names_.push_back(twin);
    }
    if (backing_ == Backing::overlay)
        for (const File& file : files_)
            if (rng.chance(50)) names_.push_back(upper_ + "/d/" + file.name);
}

int ScenarioFiles::file_of(dev_t device, ino_t inode) const {
    for (std::size_t i = 0; i < files_.size(); ++i)
        for (const auto& [dev, ino] : files_[i].ids)
            if (dev == device && ino == inode) return static_cast<int>(i);
    return -1;
}

int ScenarioFiles::file_at(const std::string& path) const {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return -1;
    return file_of(status.st_dev, status.st_ino);
}

std::vector<std::string> ScenarioFiles::names_of(int file) const {
    std::vector<std::string> found;
    for (const std::string& name : names_)
        if (file_at(name) == file) found.push_back(name);
    return found;
}

std::string ScenarioFiles::fresh_path(const std::string& kind) {
    return fmt::format("{}/{}{}", folder_, kind, fresh_++);
}

int ScenarioFiles::mount_over_main_folder() const {
    const std::string layers = fmt::format("lowerdir={0}/lower,upperdir={1},workdir={0}/work", folder_, main_folder());
    return ::mount("overlay", overlay_folder().c_str(), "overlay", 0, layers.c_str()) == 0 ? 0 : errno;
}

std::string ScenarioFiles::describe() const {
    std::string text = fmt::format("on {}, in {}:", name_of(backing_), folder_);
    for (const File& file : files_) {
        text += fmt::format(" '{}' {} MiB (", file.name, file.size / mib);
        for (const Content& content : file.contents)
            if (content.kind != ContentKind::data)
                text += fmt::format("{} at {}, ", name_of(content.kind), content.range.begin / mib);
        text += ")";
    }
    return text;
}

} // namespace mediarig::claim_scenarios
