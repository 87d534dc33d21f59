// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/image/guest_parts.hpp"

#include <fmt/format.h>

#include <sstream>

#include "host/lab/image/build_tool.hpp"
#include "host/lab/image/guest_files.hpp"
#include "host/lab/image/guest_init.hpp"
#include "host/lab/image/module_files.hpp"
#include "host/lab/image/module_order.hpp"
#include "host/lab/image/packages.hpp"
#include "host/lab/image/vmlinux.hpp"
#include "host/lab/image/work_folder.hpp"

namespace mediarig::lab {
namespace {

namespace fs = std::filesystem;

/// Inputs and folders of a build.
struct BuildContext {
    const ImageOptions& options;
    const Selection& selection;
    const ApfsModule* apfs{};
    fs::path kernel; ///< unpacked kernel package
    fs::path guest;  ///< unpacked packages of the user land
    fs::path result; ///< becomes the parts
};

Result<void> unpack_all(const BuildContext& at) {
    for (const Package& package : at.selection.packages) {
        const bool tools = package.use == PackageUse::apfs_tools && at.apfs != nullptr;
        if (package.use != PackageUse::kernel && package.use != PackageUse::guest && !tools) continue;
        const fs::path& into = package.use == PackageUse::kernel ? at.kernel : at.guest;
        if (auto done = unpack(at.options, package, into); !done) return done;
    }
    return {};
}

Result<void> make_kernel(const BuildContext& at) {
    const auto packed = read_file(at.kernel / "boot" / ("vmlinuz-" + at.selection.kernel_abi));
    if (!packed) return fail(packed.error());
    const auto kernel = extract_vmlinux(*packed);
    if (!kernel) return fail(kernel.error());
    return write_file(at.result / "vmlinux", *kernel);
}

Result<std::vector<std::string>> module_files(const BuildContext& at) {
    std::vector<std::string> names(wanted_modules().begin(), wanted_modules().end());
    if (at.apfs != nullptr) {
        const fs::path extra = at.kernel / "lib/modules" / at.selection.kernel_abi / "extra";
        if (auto made = make_folder(extra); !made) return fail(made.error());
        std::error_code failed;
        fs::copy_file(at.apfs->file, extra / "apfs.ko", failed);
        if (failed) return fail(Errc::io_failed, "cannot copy the apfs module: " + failed.message());
        names.emplace_back("apfs");
    }
    return modules_in_order(at.options, at.kernel, at.selection.kernel_abi, names);
}

Result<void> install_modules(const BuildContext& at) {
    const auto files = module_files(at);
    if (!files) return fail(files.error());
    if (auto done = install_files(*files, at.result / "root" / guest_modules_folder); !done) return done;
    std::string order;
    for (const fs::path file : *files) order += module_line(file.filename().string());
    return write_file(at.result / "root" / guest_module_order, order);
}

Result<void> make_parts(const BuildContext& at) {
    const fs::path root = at.result / "root";
    if (auto made = make_folder(root); !made) return made;
    if (auto done = unpack_all(at); !done) return done;
    if (auto done = make_kernel(at); !done) return done;
    if (auto done = install_modules(at); !done) return done;
    std::vector<std::string> programs{"busybox",  "mkfs.exfat", "fsck.exfat", "mkfs.fat",
                                      "fsck.fat", "sfdisk",     "smartctl"};
    if (at.apfs != nullptr) programs.insert(programs.end(), {"mkapfs", "apfsck"});
    if (auto done = install_programs(at.guest, programs, root); !done) return done;
    // Labels are UTF-8, and the formatters take the encoding from the locale.
    return install_folder(at.guest, "usr/lib/locale/C.utf8", root);
}

Result<GuestParts> parts_at(const fs::path& folder) {
    GuestParts parts{.kernel = folder / "vmlinux", .root = folder / "root"};
    const auto order = read_file(parts.root / guest_module_order);
    if (!order) return fail(order.error());
    std::istringstream lines(*order);
    for (std::string line; std::getline(lines, line);) {
        const std::string file = line.substr(0, line.find(' '));
        std::error_code failed;
        const auto size = fs::file_size(parts.root / guest_modules_folder / file, failed);
        if (failed)
            return fail(Errc::io_failed, fmt::format("{} lacks {}: {}", folder.string(), file, failed.message()));
        parts.modules.push_back({fs::path(file).stem().string(), {size}});
    }
    return parts;
}

} // namespace

Result<GuestParts> guest_parts(const ImageOptions& options, const Selection& selection, const ApfsModule* apfs,
                               const Progress& progress) {
    const fs::path place = options.cache / "parts" / parts_key(selection, apfs != nullptr);
    if (auto standing = parts_at(place)) return standing;
    if (auto free_space = check_free_space(options); !free_space) return fail(free_space.error());
    progress(fmt::format("unpacking kernel {} and the guest's tools", selection.kernel_abi));
    auto work = make_work_folder(options.cache);
    if (!work) return fail(work.error());
    const BuildContext at{.options = options,
                          .selection = selection,
                          .apfs = apfs,
                          .kernel = work->path() / "kernel",
                          .guest = work->path() / "guest",
                          .result = work->path() / "result"};
    if (auto made = make_parts(at); !made) return fail(made.error());
    if (auto done = publish(at.result, place); !done) return fail(done.error());
    keep_newest(place.parent_path(), 2);
    return parts_at(place);
}

} // namespace mediarig::lab
