// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/media/claim/scenarios/cell_stage.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>

namespace mediarig::claim_scenarios {
namespace {

constexpr std::uint64_t object_size = 32 * mib, partition_start = mib, partition_length = 4 * mib;

void demand(int error, const std::string& what) {
    if (error != 0) throw std::runtime_error(what + ": " + text_for(error));
}
int errno_unless(bool good) {
    return good ? 0 : errno;
}

constexpr bool through_overlay(Route route) {
    return route >= Route::upper;
}

/// Gives the object another path in the other program's mount namespace.
int bind_name(const std::string& source, const std::string& place) {
    return bind_mount(source, place);
}

int variants_of(const Cell& cell) {
    const bool refused = verdict_on(cell).outcome == Outcome::refused;
    switch (cell.route) {
        case Route::alias:
        case Route::link: // the other program or mediarig uses the name
            return cell.activity == Activity::claimed || cell.object == Object::partition || cell.object == Object::disk
                       ? 1
                       : 2;
        case Route::file:        // variants: path and hard link
        case Route::merged_lost: // variants: relative folders and a renamed folder
            return 2;
        case Route::loop: // variants: on the file or on the loop device
            return cell.object == Object::loop ? 2 : 1;
        default: // variants for a partition: the claim is of its disk or of the image file below it
            return cell.object == Object::partition && refused && cell.route == Route::own ? 2 : 1;
    }
}

} // namespace

std::string not_runnable(Object object) {
    switch (object) {
        case Object::disk:
            return "a kernel without scsi_debug or null_blk has no further whole disk; tests/media/claim/device_trees "
                   "plays disks in faked trees";
        case Object::mapper:
            return ::access("/sys/class/misc/device-mapper", F_OK) == 0
                       ? "mapper devices are not built; tests/media/claim/device_trees plays them in faked trees"
                       : "this kernel has no device mapper; tests/media/claim/device_trees plays mapper devices in "
                         "faked "
                         "trees";
        case Object::zram:
            return ZramDevice::missing();
        default:
            return {};
    }
}

std::vector<CellPlay> all_plays() {
    std::vector<CellPlay> plays;
    for (const Cell& cell : all_cells()) {
        if (verdict_on(cell).outcome == Outcome::not_applicable || !not_runnable(cell.object).empty()) continue;
        for (int variant = 0; variant < variants_of(cell); ++variant) plays.push_back({cell, variant});
    }
    return plays;
}

CellStage::CellStage(const BackingFolders& backing_folders, const std::string& name, const CellPlay& play)
    : play_(play), base_(backing_folders.base) {
    const Backing backing = backing_folders.has_ext4 ? Backing::ext4 : Backing::tmpfs;
    folder_ = backing_folders.folder_of(backing) + "/" + name;
    demand(errno_unless(::mkdir(folder_.c_str(), 0700) == 0), folder_);
    use_ = {.activity = play.cell.activity,
            .path = {},
            .place = folder_ + "/place",
            // The blocks of the small ext4 volume are smaller than a sector of zram.
            .file_system = is(Object::zram) || is(Activity::mounted_directly) ? "erofs" : "ext4",
            .base = base_,
            .elsewhere = is(Route::other_namespace) || is(Route::upper_elsewhere),
            .enter = {}};
    if (is(Object::zram)) {
        make_zram(backing_folders.templates);
        lay_out_device(zram_->node());
        return;
    }
    for (const char* part : {"/d", "/l", "/u", "/w", "/m"})
        demand(errno_unless(::mkdir((folder_ + part).c_str(), 0700) == 0), folder_ + part);
    const char* const layer = is(Route::lower) ? "/l" : "/u";
    file_ = folder_ + (through_overlay(play.cell.route) ? layer : "/d") + "/a.img";
    make_file(file_, backing_folders.templates);
    if (through_overlay(play.cell.route)) {
        lay_out_overlay();
    } else if (is(Object::image)) {
        lay_out_image();
    } else {
        const std::string loop = attach_over(file_);
        lay_out_device(is(Object::partition) ? partition_of(loop) : loop);
        if (is(Object::partition)) target_ = play.variant == 1 && is(Route::own) ? file_ : loop;
    }
}

CellStage::~CellStage() {
    for (auto each = mounts_.rbegin(); each != mounts_.rend(); ++each) (void)unmount_at(*each);
    // Later loop devices may be attached to earlier ones.
    while (!loops_.empty()) {
        delete_partitions(loops_.back().fd.get());
        loops_.pop_back();
    }
    bottom_.close();
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

void CellStage::write_content(int fd, const Templates& templates) const {
    const bool part = is(Object::partition);
    const std::uint64_t at = part ? partition_start : 0;
    const auto given = [&](const Blocks& blocks, const char* tool) {
        if (blocks.empty()) throw std::runtime_error(std::string("SKIPPED: no ") + tool);
        write_blocks(fd, at, blocks);
    };
    if (is(Activity::mounted) || is(Activity::mounted_directly) || is(Activity::overlay_layer)) {
        const bool erofs = use_.file_system == "erofs";
        given(erofs ? templates.erofs : templates.ext4, erofs ? "mkfs.erofs" : "mkfs.ext4");
    }
    if (is(Activity::swap))
        write_blocks(fd, at, is(Object::image) && !is(Route::loop) ? swap_file_header() : swap_header());
    if (is(Activity::foreign_content)) write_blocks(fd, 0, database_header());
    std::string text;
    while (text.size() < block_size) text += "in use since before the claim; ";
    text.resize(block_size);
    write_blocks(fd, at, {{2 * mib / block_size, text}, {(partition_length - block_size) / block_size, text}});
}

void CellStage::make_file(const std::string& path, const Templates& templates) {
    Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    demand(errno_unless(bool(file)), path);
    // The kernel swaps only to files without holes.
    const bool whole = is(Activity::swap) && is(Object::image);
    demand(
        errno_unless((whole ? ::fallocate(file.get(), 0, 0, object_size) : ::ftruncate(file.get(), object_size)) == 0),
        path);
    write_content(file.get(), templates);
    demand(errno_unless(::fsync(file.get()) == 0), path);
    bottom_ = Descriptor(::open(path.c_str(), O_PATH | O_CLOEXEC));
}

void CellStage::make_zram(const Templates& templates) {
    zram_ = std::make_unique<ZramDevice>(object_size);
    const Descriptor device(::open(zram_->node().c_str(), O_RDWR | O_CLOEXEC));
    demand(errno_unless(bool(device)), zram_->node());
    write_content(device.get(), templates);
    demand(errno_unless(::fsync(device.get()) == 0), zram_->node());
}

std::string CellStage::attach_over(const std::string& backing, bool read_only) {
    AttachedLoop loop;
    demand(attach(backing, {.read_only = read_only}, loop), "attach " + backing);
    loop_nodes_.push_back(loop_node(loop.number));
    loops_.push_back(std::move(loop));
    return loop_nodes_.back();
}

std::string CellStage::partition_of(const std::string& loop) {
    // Partitions outlive the attachment of their loop device.
    delete_partitions(loops_.back().fd.get());
    demand(add_partition(loops_.back().fd.get(), 1, partition_start, partition_length), "partition of " + loop);
    return loop + "p1";
}

/// Makes a second name of the object.
std::string CellStage::make_name(const std::string& object, bool hard) {
    const std::string name = folder_ + "/name";
    if (!hard) {
        demand(errno_unless(::symlink(object.c_str(), name.c_str()) == 0), name);
        return name;
    }
    struct stat status {};
    demand(errno_unless(::stat(object.c_str(), &status) == 0), object);
    const bool device = S_ISBLK(status.st_mode);
    demand(errno_unless((device ? ::mknod(name.c_str(), S_IFBLK | 0600, status.st_rdev)
                                : ::link(object.c_str(), name.c_str())) == 0),
           name);
    return name;
}

/// Chooses the names for a device, or for a file that is not on an overlay; the target is the object itself.
void CellStage::reach(const std::string& object) {
    own_name_ = target_ = use_.path = object;
    switch (play_.cell.route) {
        case Route::alias:
        case Route::link:
            (play_.variant == 0 ? use_.path : target_) = make_name(object, is(Route::alias));
            // A second mediarig uses the name for its claim, so both variants are the same.
            break;
        case Route::other_namespace: {
            const std::string bound = folder_ + "/bound";
            use_.path = bound;
            use_.enter = [object, bound] { return bind_name(object, bound); };
            break;
        }
        default:
            break;
    }
}

void CellStage::lay_out_device(const std::string& node) {
    reach(node);
    if (is(Route::file)) {
        use_.path = own_name_ = play_.variant == 0 ? file_ : make_name(file_, true);
    } else if (is(Route::loop)) {
        use_.path = own_name_ = attach_over(is(Object::loop) && play_.variant == 0 ? file_ : node);
    } else if (is(Route::renamed)) {
        use_.path = make_name(node, true);
        change_names_ = [this] { ::unlink(use_.path.c_str()); };
    }
}

void CellStage::lay_out_image() {
    reach(file_);
    if (is(Route::loop)) {
        use_.path = own_name_ = attach_over(file_);
    } else if (is(Route::renamed)) {
        // Renames the folder, because an active swap file cannot be renamed.
        own_name_ = target_ = folder_ + "/d2/a.img";
        change_names_ = [this] {
            demand(errno_unless(::rename((folder_ + "/d").c_str(), (folder_ + "/d2").c_str()) == 0), "rename");
        };
    }
}

void CellStage::mount_overlay(const std::string& folder, bool relative) {
    demand(relative ? mount_relative_overlay(folder) : claim_scenarios::mount_overlay(folder, folder + "/"), "overlay");
    mounts_.push_back(folder + "/m");
}

void CellStage::lay_out_overlay() {
    const std::string merged = folder_ + "/m/a.img";
    std::string below = file_;
    const auto rename_upper = [&] {
        demand(errno_unless(::rename((folder_ + "/u").c_str(), (folder_ + "/u2").c_str()) == 0), "rename");
        below = folder_ + "/u2/a.img";
    };
    const bool lost = is(Route::merged_lost);
    if (is(Route::upper_elsewhere))
        use_.enter = [folder = folder_] { return claim_scenarios::mount_overlay(folder, folder + "/"); };
    else
        mount_overlay(folder_, lost && play_.variant == 0);
    if (is(Route::upper_renamed) || (lost && play_.variant == 1)) rename_upper();

    const bool claims_merged = is(Route::merged) || lost;
    use_.path = claims_merged ? below : merged;
    const std::string claimed = claims_merged ? merged : below;
    own_name_ = use_.path;
    target_ = is(Object::loop) ? attach_over(claimed) : claimed;
}

void CellStage::change_names() {
    if (change_names_) change_names_();
}

Blocks CellStage::content() {
    for (const AttachedLoop& loop : loops_) ::fsync(loop.fd.get());
    if (!zram_) return read_blocks(bottom_.get());
    const Descriptor device(::open(zram_->node().c_str(), O_RDONLY | O_CLOEXEC));
    Blocks all;
    std::string block(block_size, '\0');
    for (std::uint64_t at = 0; at < object_size; at += block_size) {
        if (::pread(device.get(), block.data(), block_size, static_cast<off_t>(at)) != static_cast<ssize_t>(block_size))
            throw std::runtime_error(zram_->node() + " cannot be read");
        if (block.find_first_not_of('\0') != std::string::npos) all[at / block_size] = block;
    }
    return all;
}

std::string CellStage::describe() const {
    return fmt::format("{} (variant {}): the other program uses {}{}, mediarig claims {}", name_of(play_.cell),
                       play_.variant, use_.path, use_.elsewhere ? " in another namespace" : "", target_);
}

} // namespace mediarig::claim_scenarios
