// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/mount/linux/linux_mounter.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/statvfs.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "host/media/mount/linux/drivers.hpp"
#include "host/media/mount/linux/fuse_driver.hpp"
#include "host/media/mount/linux/kernel_driver.hpp"
#include "host/media/mount/linux/mounted_volume.hpp"

namespace mediarig::media {
namespace {

/// What the kernel shows of a mount: proc(5), mountinfo.
struct ShownOptions {
    std::string own, type, super;
    [[nodiscard]] bool read_only() const {
        return own == "ro" || own.starts_with("ro,") || super == "ro" || super.starts_with("ro,");
    }
};

ShownOptions options_of(const std::string& mount_point) {
    std::ifstream table("/proc/thread-self/mountinfo");
    ShownOptions shown;
    for (std::string line; std::getline(table, line);) {
        std::istringstream fields(line);
        std::string id, parent, number, root, where, own, word, source;
        fields >> id >> parent >> number >> root >> where >> own;
        if (where != mount_point) continue;
        while (fields >> word && word != "-") {
        }
        shown.own = own;
        fields >> shown.type >> source >> shown.super;
    }
    return shown;
}

class LinuxMounter : public Mounter {
public:
    explicit LinuxMounter(MounterSetting setting) : setting_(std::move(setting)) {}

    Result<std::unique_ptr<Mounted>> mount(const ErasableMedium& medium, FileSystem fs) override {
        Descriptor device(::fcntl(medium.descriptor(), F_DUPFD_CLOEXEC, 3));
        if (!device)
            return fail(Errc::no_medium, fmt::format("{} is not held any more: claim it again", medium.medium().node));
        remove_left_folders(setting_.run_directory);
        auto folder = make_run_folder(setting_.run_directory);
        if (!folder) return fail(folder.error());

        MountReport report{.mount_point = folder->mount_point()};
        auto life = mount_by_best_driver(fs, device.get(), report);
        if (!life)
            return fail(Error{life.error().code, fmt::format("{}: {}", medium.medium().node, life.error().detail)});
        // From here on the object unmounts, whatever happens.
        return std::make_unique<MountedVolume>(std::move(*folder), std::move(device), std::move(*life),
                                               describe(std::move(report)));
    }

private:
    /// Returns the descriptor that hangs up when a FUSE driver ends; none for the kernel's.
    Result<Descriptor> mount_by_best_driver(FileSystem fs, int device, MountReport& report) const {
        const DriverChoice& choice = drivers_of(fs);
        if (kernel_has(choice.kernel_type, setting_)) {
            report.driver = choice.kernel_type;
            report.driver_version = kernel_version();
            if (choice.kernel_type == "hfsplus")
                report.limits.push_back(driver_limit(
                    measure::Severity::warning, "hfsplus of Linux does not write the journal: a Mac does more work"));
            if (auto mounted = mount_with_kernel(choice.kernel_type, device, report.mount_point); !mounted)
                return fail(mounted.error());
            return Descriptor();
        }
        if (choice.fuse.program.empty()) return no_driver(choice);
        const ToolSetting tools{.search_path = setting_.search_path, .cancel = setting_.cancel};
        const auto version = version_of(choice.fuse, "-V", tools);
        if (!version && version.error().code == Errc::no_driver) return no_driver(choice);
        if (!version) return fail(version.error());
        report.driver = choice.fuse_name;
        report.driver_version = *version;
        report.limits = limits_of_exfat_fuse();
        auto volume = start_fuse_driver(choice.fuse, {"-o", "noatime"}, device, report.mount_point, tools);
        if (!volume) return fail(volume.error());
        if (auto attached = attach(volume->tree.get(), report.mount_point); !attached) {
            end_fuse_driver(std::move(*volume));
            return fail(attached.error());
        }
        return std::move(volume->life);
    }

    static tl::unexpected<Error> no_driver(const DriverChoice& choice) {
        return fail(Errc::no_driver,
                    fmt::format("no driver for {} on this machine: {}", title_of(choice.fs), choice.what_helps));
    }

    static MountReport describe(MountReport report) {
        const ShownOptions shown = options_of(report.mount_point);
        report.options = fmt::format("{} - {} {}", shown.own, shown.type, shown.super);
        if (shown.read_only())
            report.limits.push_back(
                driver_limit(measure::Severity::warning, "the driver mounted the volume read-only"));
        struct statvfs space {};
        if (::statvfs(report.mount_point.c_str(), &space) == 0) {
            report.total = Bytes{space.f_blocks} * space.f_frsize;
            report.free = Bytes{space.f_bavail} * space.f_frsize;
        }
        return report;
    }

    MounterSetting setting_;
};

} // namespace

std::unique_ptr<Mounter> make_linux_mounter(MounterSetting setting) {
    return std::make_unique<LinuxMounter>(std::move(setting));
}

} // namespace mediarig::media
