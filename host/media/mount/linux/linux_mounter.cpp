// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/mount/linux/linux_mounter.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "host/media/claim/linux/kernel/mount_table.hpp"
#include "host/media/format/partition/linux/find_volume.hpp"
#include "host/media/mount/linux/drivers.hpp"
#include "host/media/mount/linux/fuse_mount.hpp"
#include "host/media/mount/linux/kernel_driver.hpp"
#include "host/media/mount/linux/mounted_volume.hpp"

namespace mediarig::media {
namespace {

bool says_read_only(std::string_view options) {
    return options == "ro" || options.starts_with("ro,");
}

/// Mount table entry of the mount; empty if there is no mount.
std::optional<MountEntry> shown_at(const std::string& mount_point) {
    const auto table = mounts_of_this_thread();
    if (!table) return std::nullopt;
    const auto entry = std::find_if(table->rbegin(), table->rend(),
                                    [&](const MountEntry& each) { return each.mount_point == mount_point; });
    return entry == table->rend() ? std::nullopt : std::optional(*entry);
}

tl::unexpected<Error> no_driver(const DriverChoice& choice) {
    return fail(Errc::no_driver,
                fmt::format("no driver for {} on this machine: {}", title_of(choice.fs), choice.what_helps));
}

class LinuxMounter : public Mounter {
public:
    explicit LinuxMounter(MounterSetting setting) : setting_(std::move(setting)) {}

    Result<std::unique_ptr<VolumeMount>> mount(ErasableMedium& medium, FileSystem fs,
                                               const VolumeSpan& where) override {
        auto mounted = mount_let_go(medium, fs, where);
        if (mounted) return mounted;
        // Harmless if the claim never released the medium or holds it again.
        if (auto held = medium.reacquire(); !held)
            return fail(Errc::refused,
                        fmt::format("{}; and the claim is lost: {}", mounted.error().detail, held.error().detail));
        return mounted;
    }

private:
    /// Releases the claimed device only right before the driver starts.
    Result<std::unique_ptr<VolumeMount>> mount_let_go(ErasableMedium& medium, FileSystem fs, const VolumeSpan& where) {
        const auto named = [&](const Error& error) {
            return fail(Error{error.code, fmt::format("{}: {}", medium.medium().node, error.detail)});
        };
        remove_stale_folders(setting_.run_directory);
        auto folder = make_run_folder(setting_.run_directory);
        if (!folder) return fail(folder.error());
        const auto driver = choose_driver(fs, medium.reading_descriptor(), where.start);
        if (!driver) return named(driver.error());
        auto device = open_device(medium, where);
        if (!device) return fail(device.error());

        MountReport report{.mount_point = folder->mount_point(),
                           .driver = driver->name,
                           .driver_version = driver->version,
                           .volume = where,
                           .limits = driver->limits};
        const ReleaseDevice release = [&] {
            return release_for_mount(medium, device->view ? &*device->view : nullptr);
        };
        auto mounted = mount_by(*driver, device->descriptor.get(), *folder, release);
        if (!mounted) return named(mounted.error());
        if (device->view && device->view->through_loop()) {
            report.through_loop = true;
            report.limits.push_back(limit_of_loop(where, device->view->direct_io()));
        }
        const bool read_only = describe(report);
        // If a later step fails, the destructor of `volume` unmounts.
        auto volume = std::make_unique<MountedVolume>(medium, std::move(*folder), std::move(*device),
                                                      std::move(*mounted), std::move(report), setting_.cancel);
        // The mounted device is the claimed device: the device cannot change while the driver holds it.
        if (auto same = medium.check_same(); !same) return fail(same.error());
        if (!read_only) return volume;
        // A read-only mount counts as a failure: some suites would fail later, others would only read.
        if (auto unmounted = volume->unmount(); !unmounted) return fail(unmounted.error());
        return fail(Errc::io_failed, fmt::format("{}: {} mounted the volume read-only: {}", medium.medium().node,
                                                 driver->name, driver->when_read_only));
    }

    /// Device for the driver. The claim still holds the medium.
    static Result<MountedVolume::Device> open_device(const ErasableMedium& medium, const VolumeSpan& where) {
        MountedVolume::Device found{.descriptor = Descriptor(), .node = medium.medium().node, .view = std::nullopt};
        int shown = medium.reading_descriptor();
        if (where != whole_of(medium)) {
            auto view = open_partition_to_mount(medium, where.start, where.length);
            if (!view) return fail(view.error());
            found.node = view->node();
            shown = view->descriptor();
            found.view.emplace(std::move(*view));
        }
        // The mount table shows "/proc/self/fd/NUMBER". mkfs.fat refuses a device if the mount table contains the
        // device's name, so the number must differ from that of a tool (see held_device).
        constexpr int beyond_those_of_tools = 16;
        found.descriptor = Descriptor(::fcntl(shown, F_DUPFD_CLOEXEC, beyond_those_of_tools));
        if (!found.descriptor)
            return fail(Errc::no_medium, fmt::format("{} is not held any more: claim it again", medium.medium().node));
        return found;
    }

    /// An available driver and its description in the record.
    struct Driver {
        std::string kernel_type; ///< empty for a FUSE driver, which is `program`
        std::string options;     ///< options of the kernel driver
        Tool program;
        std::string name, version;
        measure::Findings limits;
        std::string when_read_only;
    };

    Result<Driver> choose_driver(FileSystem fs, int medium, Bytes start) const {
        const DriverChoice& choice = drivers_of(fs);
        const std::string& type = choice.kernel_type;
        if (kernel_has(type, setting_)) {
            // Decide by the contents of the medium, not by the request: an existing volume may be HFS+ with or without
            // a journal.
            const bool journaled = type == "hfsplus" && has_hfs_plus_journal(medium, start);
            KernelMount by_kernel = kernel_mount(type, journaled, module_version(type, setting_));
            return Driver{.kernel_type = type,
                          .options = std::move(by_kernel.options),
                          .program = {},
                          .name = std::move(by_kernel.name),
                          .version = kernel_version(),
                          .limits = std::move(by_kernel.limits),
                          .when_read_only = std::move(by_kernel.when_read_only)};
        }
        if (choice.fuse.program.empty()) return no_driver(choice);
        const auto version = version_of(choice.fuse, "-V", tools());
        if (!version && version.error().code == Errc::no_driver) return no_driver(choice);
        if (!version) return fail(version.error());
        return Driver{.kernel_type = {},
                      .options = {},
                      .program = choice.fuse,
                      .name = choice.fuse_name,
                      .version = *version,
                      .limits = limits_of_exfat_fuse(),
                      .when_read_only = "see the messages of the driver in this machine's log"};
    }

    [[nodiscard]] ToolSetting tools() const { return {.search_path = setting_.search_path, .cancel = setting_.cancel}; }

    /// Returns the FUSE process; empty with a kernel driver.
    Result<FuseDriver> mount_by(const Driver& driver, int device, const RunFolder& folder,
                                const ReleaseDevice& release) const {
        if (driver.kernel_type.empty())
            return mount_with_fuse(driver.program, {"-o", "noatime"}, device, folder, tools(), release);
        if (auto free = release(); !free) return fail(free.error());
        if (auto done = mount_with_kernel(driver.kernel_type, device, folder.mount_point(), driver.options); !done)
            return fail(done.error());
        return FuseDriver();
    }

    /// Fills in the kernel's data about the mount. Returns true if either the mount or the file system is read-only.
    static bool describe(MountReport& report) {
        const auto shown = shown_at(report.mount_point);
        if (shown) report.options = fmt::format("{} - {} {}", shown->options, shown->file_system, shown->super_options);
        const bool read_only = shown && (says_read_only(shown->options) || says_read_only(shown->super_options));
        struct statvfs space {};
        if (::statvfs(report.mount_point.c_str(), &space) != 0) return read_only;
        report.total = Bytes{space.f_blocks} * space.f_frsize;
        report.free = Bytes{space.f_bavail} * space.f_frsize;
        return read_only || (space.f_flag & ST_RDONLY) != 0;
    }

    MounterSetting setting_;
};

} // namespace

Result<void> check_driver(FileSystem fs, const MounterSetting& setting) {
    const DriverChoice& choice = drivers_of(fs);
    if (kernel_has(choice.kernel_type, setting)) return {};
    if (!choice.fuse.program.empty() && process::find_program(choice.fuse.program, setting.search_path)) return {};
    return no_driver(choice);
}

std::unique_ptr<Mounter> make_linux_mounter(MounterSetting setting) {
    return std::make_unique<LinuxMounter>(std::move(setting));
}

} // namespace mediarig::media
