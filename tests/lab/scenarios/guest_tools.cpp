// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/lab/scenarios/guest_tools.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/lab/image/apt_texts.hpp"
#include "host/lab/image/build_tool.hpp"
#include "host/lab/image/cache_lock.hpp"
#include "host/lab/image/cpio.hpp"
#include "host/lab/image/guest_files.hpp"
#include "host/lab/image/module_files.hpp"
#include "host/lab/image/packages.hpp"
#include "host/lab/image/private_apt.hpp"
#include "host/lab/image/work_folder.hpp"

namespace mediarig::lab {
namespace {

namespace fs = std::filesystem;

/// Must be increased when the same packages give another archive.
constexpr int recipe = 1;

constexpr const char* programs[] = {"dmsetup", "mdadm", "cryptsetup", "lvm", "mkfs.btrfs", "btrfs", "mke2fs", "partx"};

// The tools and libraries that the image's own packages lack.
constexpr const char* packages[] = {"dmsetup",        "libdevmapper1.02.1",
                                    "libudev1",       "mdadm",
                                    "cryptsetup-bin", "libcryptsetup12",
                                    "libpopt0",       "libjson-c5",
                                    "libssl3",        "libargon2-1",
                                    "lvm2",           "libaio1",
                                    "libedit2",       "libdevmapper-event1.02.1",
                                    "libbsd0",        "libmd0",
                                    "libsystemd0",    "libcap2",
                                    "liblz4-1",       "libgcrypt20",
                                    "libgpg-error0",  "liblzma5",
                                    "libzstd1",       "btrfs-progs",
                                    "zlib1g",         "libcom-err2",
                                    "libext2fs2",     "liblzo2-2",
                                    "e2fsprogs",      "util-linux"};

// Includes the modules that the kernel would load by name: ciphers, path selectors, checksums.
constexpr const char* modules[] = {"dm-mod",     "dm-crypt",     "dm-snapshot", "dm-multipath", "dm-round-robin",
                                   "dm-mirror",  "dm-thin-pool", "xts",         "aesni-intel",  "algif_skcipher",
                                   "algif_hash", "raid0",        "raid1",       "linear",       "ext4",
                                   "btrfs",      "overlay"};

Result<void> fetch_and_unpack(const ImageOptions& options, const fs::path& debs, const fs::path& into) {
    if (auto made = make_folder(debs); !made) return made;
    const std::vector<std::string> names(std::begin(packages), std::end(packages));
    const auto offered = ask_for(options, names);
    if (!offered) return fail(offered.error());
    std::vector<Package> wanted;
    for (const std::string& name : names) {
        const auto found = first_of(*offered, name, {guest_suite, guest_security_suite});
        if (!found) return fail(Errc::no_driver, fmt::format("Debian {} offers no package {}", guest_suite, name));
        wanted.push_back({found->name, found->version, found->suite, PackageUse::guest});
    }
    if (auto fetched = download(options, wanted, debs); !fetched) return fetched;
    for (const auto& entry : fs::directory_iterator(debs)) {
        const auto done = run_tool(options, {.program = "dpkg-deb",
                                             .arguments = {"-x", entry.path().string(), into.string()},
                                             .package = "dpkg",
                                             .time_limit = std::chrono::seconds(300)});
        if (!done) return fail(done.error());
    }
    return {};
}

Result<void> install_tool_modules(const ImageOptions& options, const GuestImage& image, const fs::path& kernel,
                                  const fs::path& root) {
    const auto order = modules_in_order(options, kernel, image.manifest.selection.kernel_abi,
                                        {std::begin(modules), std::end(modules)});
    if (!order) return fail(order.error());
    std::vector<std::string> files;
    std::string list;
    for (const fs::path file : *order) {
        const auto in_image = [&](const KernelModule& one) { return one.name == file.stem().string(); };
        if (std::any_of(image.manifest.modules.begin(), image.manifest.modules.end(), in_image)) continue;
        files.push_back(file.string());
        list += file.filename().string() + '\n';
    }
    const fs::path folder = root / fs::path(tool_modules_folder).relative_path();
    if (auto done = install_files(files, folder); !done) return done;
    return write_file(folder / "order", list);
}

Result<void> make_tools(const ImageOptions& options, const GuestImage& image, const fs::path& work,
                        const fs::path& result) {
    const fs::path unpacked = work / "unpacked", kernel = work / "kernel", root = work / "root";
    for (const Package& package : image.manifest.selection.packages) {
        if (package.use != PackageUse::kernel && package.use != PackageUse::guest) continue;
        const bool is_kernel = package.use == PackageUse::kernel;
        if (auto done = unpack(options, package, is_kernel ? kernel : unpacked); !done) return done;
    }
    if (auto done = fetch_and_unpack(options, work / "debs", unpacked); !done) return done;
    if (auto done = install_tool_modules(options, image, kernel, root); !done) return done;
    if (auto done = install_programs(unpacked, {std::begin(programs), std::end(programs)}, root); !done) return done;
    const auto entries = entries_below(root);
    if (!entries) return fail(entries.error());
    const auto archive = newc_archive(*entries);
    if (!archive) return fail(archive.error());
    if (auto made = make_folder(result); !made) return made;
    return write_file(result / "tools.cpio", *archive);
}

} // namespace

Result<fs::path> guest_tools(const ImageOptions& options, const GuestImage& image) {
    // Not in the lab's folder: mediarig refuses to use that folder if it contains anything foreign.
    const fs::path place = options.cache.parent_path() / "lab-scenarios" /
                           fmt::format("{}-{}", image.manifest.selection.kernel_abi, recipe);
    std::error_code missing;
    if (fs::exists(place / "tools.cpio", missing)) return place / "tools.cpio";
    const auto lock = CacheLock::take(options, [](std::string_view) {});
    if (!lock) return fail(lock.error());
    if (fs::exists(place / "tools.cpio", missing)) return place / "tools.cpio";
    if (auto free_space = check_free_space(options); !free_space) return fail(free_space.error());
    auto work = make_work_folder(options.cache);
    if (!work) return fail(work.error());
    if (auto made = make_tools(options, image, work->path(), work->path() / "result"); !made) return fail(made.error());
    if (auto done = publish(work->path() / "result", place); !done) return fail(done.error());
    keep_newest(place.parent_path(), 2);
    return place / "tools.cpio";
}

Result<void> join_archives(const GuestImage& image, const fs::path& tools, const fs::path& file) {
    auto all = read_file(image.initrd);
    if (!all) return fail(all.error());
    const auto more = read_file(tools);
    if (!more) return fail(more.error());
    // The kernel searches a further archive at a multiple of four bytes.
    all->resize((all->size() + 511) / 512 * 512, '\0');
    return write_file(file, *all + *more);
}

} // namespace mediarig::lab
