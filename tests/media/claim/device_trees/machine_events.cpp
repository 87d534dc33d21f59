// SPDX-License-Identifier: GPL-3.0-or-later
/// Contents of the disks of a scenario's machine, and events on them.
#include <umockdev.h>

#include <filesystem>
#include <fstream>

#include "tests/media/claim/device_trees/machine.hpp"

namespace mediarig::media::scenarios {

namespace fs = std::filesystem;

Machine& Machine::btrfs_volume(const std::vector<std::string>& names) {
    const std::string devices = root_ + "/sys/fs/btrfs/6f2d0c4e-" + names.front() + "/devices";
    fs::create_directories(devices);
    for (const std::string& name : names) fs::create_directory_symlink(root_ + paths_.at(name), devices + "/" + name);
    return *this;
}

Machine& Machine::signature(const std::string& name, const std::string& type, const std::string& usage,
                            const std::string& label) {
    property(name, "ID_FS_TYPE", type);
    if (!usage.empty()) property(name, "ID_FS_USAGE", usage);
    if (!label.empty()) property(name, "ID_FS_LABEL", label);
    return hidden_signature(name, {.type = type, .usage = usage, .label = label, .offset = {}, .devices = 1});
}

Machine& Machine::hidden_signature(const std::string& name, const Signature& signature) {
    Signature found = signature;
    std::string disk = name;
    if (fs::exists(sys(name, "partition"))) {
        std::uint64_t start = 0;
        std::ifstream(sys(name, "start")) >> start;
        found.offset = {start * 512};
        disk = fs::path(paths_.at(name)).parent_path().filename().string();
    }
    this->disk(disk).signatures.push_back(found);
    return *this;
}

Machine& Machine::unplug(const std::string& name) {
    for (const auto& [other, path] : std::map<std::string, std::string>(paths_)) {
        if (path != paths_.at(name) && !path.starts_with(paths_.at(name) + "/")) continue;
        farm_.unplug("/dev/" + other);
        for (const std::string& link : {"/sys/class/block/" + other, "/sys/block/" + other, "/dev/" + other,
                                        "/dev/.node/" + other, "/sys/dev/block/" + numbers_.at(other)})
            fs::remove(root_ + link);
        if (other != name) paths_.erase(other);
    }
    fs::remove_all(root_ + paths_.at(name));
    paths_.erase(name);
    return *this;
}

Machine& Machine::reappear(const std::string& name, OnUsb as) {
    const auto physical = farm_.at("/dev/" + name).label;
    unplug(name);
    as.label = physical + " (back again)";
    return usb(as);
}

Machine& Machine::new_medium(const std::string& name, const std::string& label, Bytes size) {
    auto medium = std::make_shared<PhysicalDisk>(label);
    medium->facts = disk(name).facts;
    medium->facts.disk_sequence = next_sequence_++;
    medium->facts.size = size;
    // The reader stays, and an open descriptor now refers to the new medium.
    disk(name).facts = medium->facts;
    farm_.plug_in("/dev/" + name, medium);
    attribute(name, "size", std::to_string(size.count / 512));
    attribute(name, "diskseq", std::to_string(medium->facts.disk_sequence));
    return *this;
}

Machine& Machine::held_by(const std::string& name, const std::string& who) {
    // The kernel answers EBUSY to every opener but the first.
    if (disk(name).exclusive_holder.empty()) disk(name).exclusive_holder = who;
    return *this;
}

std::string Machine::sys(const std::string& name, const std::string& attribute) const {
    return root_ + paths_.at(name) + "/" + attribute;
}

Machine& Machine::attribute(const std::string& name, const std::string& attribute, const std::string& value) {
    write_file(sys(name, attribute), value + "\n");
    return *this;
}

Machine& Machine::without_attribute(const std::string& name, const std::string& attribute) {
    fs::remove_all(sys(name, attribute));
    return *this;
}

Machine& Machine::unreadable(const std::string& name, const std::string& attribute) {
    // Permissions never stop root. Therefore make a directory in place of a file, or a file in place of a directory.
    const bool directory = fs::is_directory(sys(name, attribute));
    fs::remove_all(sys(name, attribute));
    if (directory) {
        write_file(sys(name, attribute), "");
    } else {
        fs::create_directories(sys(name, attribute));
    }
    return *this;
}

Machine& Machine::property(const std::string& name, const std::string& key, const std::string& value) {
    umockdev_testbed_set_property(bed_, paths_.at(name).c_str(), key.c_str(), value.c_str());
    return *this;
}

Machine& Machine::link(const std::string& path, const std::string& name) {
    const fs::path at = root_ + path;
    fs::create_directories(at.parent_path());
    fs::remove(at);
    fs::create_symlink(root_ + "/dev/" + name, at);
    return *this;
}

Machine& Machine::kernel_without_disk_sequence() {
    for (const auto& [name, path] : paths_) {
        fs::remove(root_ + path + "/diskseq");
        disk(name).facts.disk_sequence = 0;
    }
    return *this;
}

Machine& Machine::uevent(const std::string& name, const std::string& action) {
    umockdev_testbed_uevent(bed_, paths_.at(name).c_str(), action.c_str());
    return *this;
}

std::string Machine::file(const std::string& name, Bytes size) {
    const std::string path = root_ + "/" + name;
    write_file(path, "");
    fs::resize_file(path, size.count);
    return path;
}

} // namespace mediarig::media::scenarios
