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
#include "host/media/partition/linux/find_volume.hpp"

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

    Result<std::unique_ptr<Mounted>> mount(ErasableMedium& medium, FileSystem fs, const VolumeSpan& where) override {
        auto mounted = mount_let_go(medium, fs, where);
        if (mounted) return mounted;
        // Also where the claim never let go, or holds the medium already.
        if (auto held = medium.take_back(); !held)
            return fail(Errc::refused,
                        fmt::format("{}; and the claim is lost: {}", mounted.error().detail, held.error().detail));
        return mounted;
    }

private:
    Result<std::unique_ptr<Mounted>> mount_let_go(ErasableMedium& medium, FileSystem fs, const VolumeSpan& where) {
        auto device = device_for(medium, where);
        if (!device) return fail(device.error());
        remove_left_folders(setting_.run_directory);
        auto folder = make_run_folder(setting_.run_directory);
        if (!folder) return fail(folder.error());

        MountReport report{.mount_point = folder->mount_point(), .volume = where};
        auto mounted = mount_by_best_driver(fs, device->descriptor.get(), report);
        if (!mounted)
            return fail(
                Error{mounted.error().code, fmt::format("{}: {}", medium.medium().node, mounted.error().detail)});
        if (device->view && device->view->through_loop()) {
            report.through_loop = true;
            report.limits.push_back(limit_of_loop(where, device->view->direct_io()));
        }
        if (mounted->driver) folder->has_driver(mounted->driver.pipe());
        const bool read_only = describe(report);
        const std::string driver = report.driver;
        // From here on the object unmounts, whatever happens.
        auto volume = std::make_unique<MountedVolume>(medium, std::move(*folder), std::move(*device),
                                                      std::move(mounted->driver), std::move(report), setting_.cancel);
        // What is mounted now is what was judged, for the driver holds it.
        if (auto same = medium.check_same(); !same) return fail(same.error());
        if (!read_only) return volume;
        // The mount was a success all the same; half a suite would then fail, or worse, only read.
        if (auto unmounted = volume->unmount(); !unmounted) return fail(unmounted.error());
        return fail(Errc::io_failed, fmt::format("{}: {} mounted the volume read-only: {}", medium.medium().node,
                                                 driver, mounted->when_read_only));
    }

    struct ByDriver {
        FuseDriver driver;
        std::string when_read_only;
    };

    /// What the driver is to work on; the claim has let go of it, or it is a loop device of the view's own.
    static Result<MountedVolume::Device> device_for(ErasableMedium& medium, const VolumeSpan& where) {
        MountedVolume::Device found{.descriptor = Descriptor(), .node = medium.medium().node, .view = std::nullopt};
        int shown = medium.reading_descriptor();
        if (where != whole_of(medium)) {
            auto view = open_partition_to_mount(medium, where.start, where.length);
            if (!view) return fail(view.error());
            found.node = view->node();
            shown = view->descriptor();
            found.view.emplace(std::move(*view));
        } else if (auto let = medium.let_go(); !let) {
            return fail(let.error());
        }
        found.descriptor = Descriptor(::fcntl(shown, F_DUPFD_CLOEXEC, 3));
        if (!found.descriptor)
            return fail(Errc::no_medium, fmt::format("{} is not held any more: claim it again", medium.medium().node));
        return found;
    }

    Result<ByDriver> mount_by_best_driver(FileSystem fs, int device, MountReport& report) const {
        const DriverChoice& choice = drivers_of(fs);
        const std::string& type = choice.kernel_type;
        if (kernel_has(type, setting_)) {
            // By what is on the medium, not by what was asked for: a volume that was kept may be the other kind.
            const bool journaled = type == "hfsplus" && has_hfs_plus_journal(device);
            KernelMount by_kernel = kernel_mount(type, journaled, module_version(type, setting_));
            if (auto done = mount_with_kernel(type, device, report.mount_point, by_kernel.options); !done)
                return fail(done.error());
            report.driver = by_kernel.name;
            report.driver_version = kernel_version();
            report.limits = std::move(by_kernel.limits);
            return ByDriver{FuseDriver(), std::move(by_kernel.when_read_only)};
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
        return ByDriver{std::move(volume->driver), "see what the driver said in this machine's log"};
    }

    static tl::unexpected<Error> no_driver(const DriverChoice& choice) {
        return fail(Errc::no_driver,
                    fmt::format("no driver for {} on this machine: {}", title_of(choice.fs), choice.what_helps));
    }

    /// Fills in what the kernel says of the mount; true when nothing can be written, by either of its accounts.
    static bool describe(MountReport& report) {
        const ShownOptions shown = options_of(report.mount_point);
        report.options = fmt::format("{} - {} {}", shown.own, shown.type, shown.super);
        struct statvfs space {};
        if (::statvfs(report.mount_point.c_str(), &space) != 0) return shown.read_only();
        report.total = Bytes{space.f_blocks} * space.f_frsize;
        report.free = Bytes{space.f_bavail} * space.f_frsize;
        return shown.read_only() || (space.f_flag & ST_RDONLY) != 0;
    }

    MounterSetting setting_;
};

} // namespace

std::unique_ptr<Mounter> make_linux_mounter(MounterSetting setting) {
    return std::make_unique<LinuxMounter>(std::move(setting));
}

} // namespace mediarig::media
