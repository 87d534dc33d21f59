// SPDX-License-Identifier: GPL-3.0-or-later
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <stdexcept>

#include "host/base/process/run_process.hpp"
#include "tests/media/claim/scenarios/scenario_files.hpp"

namespace mediarig::claim_scenarios {
namespace {

void demand_ground(bool good, const std::string& what) {
    if (!good) throw std::runtime_error(what + ": " + text_for(errno));
}

bool run(const std::string& program, const std::vector<std::string>& arguments) {
    const auto finished = process::run_process({.program = program, .arguments = arguments});
    return finished && finished->succeeded();
}

Descriptor sparse_file(const std::string& path, std::uint64_t size) {
    Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    demand_ground(file && ::ftruncate(file.get(), static_cast<off_t>(size)) == 0, path);
    return file;
}

Templates make_templates(const std::string& folder) {
    Templates made;
    const Descriptor ext4 = sparse_file(folder + "/ext4", std::uint64_t{1} << 20);
    if (run("mkfs.ext4", {"-q", "-F", "-b", "1024", "-O", "^has_journal", folder + "/ext4"}))
        made.ext4 = read_blocks(ext4.get());

    demand_ground(::mkdir((folder + "/source").c_str(), 0700) == 0, "a folder");
    const Descriptor inner = sparse_file(folder + "/source/file", 100'000);
    if (run("mkfs.erofs", {"-x-1", folder + "/erofs", folder + "/source"})) {
        const Descriptor erofs(::open((folder + "/erofs").c_str(), O_RDONLY | O_CLOEXEC));
        demand_ground(bool(erofs), "erofs");
        made.erofs = read_blocks(erofs.get());
    }
    return made;
}

bool mount_ext4(const std::string& base) {
    const std::string disk = base + "/ext4.disk";
    const Descriptor file = sparse_file(disk, std::uint64_t{1} << 30);
    AttachedLoop loop;
    if (!run("mkfs.ext4", {"-q", "-F", "-b", "4096", "-O", "^has_journal", "-E", "lazy_itable_init=1", disk}) ||
        attach(disk, {}, loop) != 0)
        return false;
    // The mount now holds the loop device, and autoclear detaches the loop device with the mount.
    return ::mount(loop_node(loop.number).c_str(), (base + "/ext4").c_str(), "ext4", MS_NOATIME, nullptr) == 0;
}

} // namespace

int mount_overlay(const std::string& folder, const std::string& layers_in) {
    const std::string layers = "lowerdir=" + layers_in + "l,upperdir=" + layers_in + "u,workdir=" + layers_in + "w";
    return ::mount("overlay", (folder + "/m").c_str(), "overlay", 0, layers.c_str()) == 0 ? 0 : errno;
}

int mount_relative_overlay(const std::string& folder) {
    const Descriptor here(::open(".", O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (::chdir(folder.c_str()) != 0) return errno;
    const int error = mount_overlay(folder, "");
    return ::fchdir(here.get()) == 0 ? error : errno;
}

std::string BackingFolders::folder_of(Backing backing) const {
    switch (backing) {
        case Backing::ext4:
            return base + "/ext4";
        case Backing::overlay:
            return base + "/merged";
        default:
            return base + "/tmpfs";
    }
}

BackingFolders make_backing_folders(const std::string& base) {
    demand_ground(::mount("scenarios", base.c_str(), "tmpfs", 0, "size=4g,mode=0700") == 0, "tmpfs");
    BackingFolders backing_folders{.base = base, .templates = {}};
    for (const char* name : {"/ext4", "/merged", "/tmpfs", "/lower", "/upper", "/work", "/templates"})
        demand_ground(::mkdir((base + name).c_str(), 0700) == 0, base + name);
    backing_folders.templates = make_templates(base + "/templates");

    backing_folders.has_ext4 = mount_ext4(base);
    const std::string layers = "lowerdir=" + base + "/lower,upperdir=" + base + "/upper,workdir=" + base + "/work";
    backing_folders.has_overlay = ::mount("overlay", (base + "/merged").c_str(), "overlay", 0, layers.c_str()) == 0;
    return backing_folders;
}

} // namespace mediarig::claim_scenarios
