// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/linux/kernel/block_directory.hpp"
#include "host/media/linux/kernel/sysfs.hpp"

namespace mediarig::media {
namespace {

class SysfsDirectory final : public BlockDirectory {
public:
    Result<std::vector<BlockEntry>> entries() override {
        const std::string directory = "/sys/class/block/";
        const auto names = names_in(directory);
        if (!names) return fail(names.error());
        if (!*names) return fail(Errc::io_failed, directory + " is not there: is sysfs mounted?");
        std::vector<BlockEntry> found;
        for (const std::string& name : **names) {
            const std::string path = real_path(directory + name);
            // Unplugged between the listing and now.
            if (path.empty()) continue;
            found.push_back({.name = name, .sysfs_path = path, .properties = {}});
        }
        return found;
    }
};

} // namespace

std::unique_ptr<BlockDirectory> make_sysfs_directory() {
    return std::make_unique<SysfsDirectory>();
}

} // namespace mediarig::media
