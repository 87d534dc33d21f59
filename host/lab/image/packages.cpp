// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/image/packages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "host/base/json/json_text.hpp"
#include "host/lab/image/apt_texts.hpp"
#include "host/lab/image/build_tool.hpp"
#include "host/lab/image/private_apt.hpp"
#include "host/lab/image/work_folder.hpp"

namespace mediarig::lab {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

fs::path packages_folder(const ImageOptions& options) {
    return options.cache / "packages";
}
fs::path selection_file(const ImageOptions& options) {
    return packages_folder(options) / "selection.json";
}

/// apt encodes a colon in the version as %3a; the architecture is that of the package.
std::optional<fs::path> file_of(const ImageOptions& options, const Package& package) {
    std::string version = package.version;
    if (const std::size_t colon = version.find(':'); colon != std::string::npos) version.replace(colon, 1, "%3a");
    for (const char* architecture : {"amd64", "all"}) {
        auto file = packages_folder(options) / fmt::format("{}_{}_{}.deb", package.name, version, architecture);
        std::error_code ignored;
        if (fs::is_regular_file(file, ignored)) return file;
    }
    return std::nullopt;
}

std::vector<Package> missing_from(const ImageOptions& options, const Selection& selection, bool for_apfs) {
    std::vector<Package> missing;
    for (const Package& one : selection.packages) {
        if (one.use == PackageUse::kernel_source) continue;
        const bool only_apfs = one.use != PackageUse::kernel && one.use != PackageUse::guest;
        if (only_apfs == for_apfs && !file_of(options, one)) missing.push_back(one);
    }
    return missing;
}

bool whole(const ImageOptions& options, const Selection& selection) {
    return missing_from(options, selection, false).empty() && missing_from(options, selection, true).empty();
}

Result<Selection> newest_selection(const ImageOptions& options, const Progress& progress) {
    progress("fetching the package lists of Debian");
    const auto updated = update_lists(options);
    if (!updated && updated.error().code != Errc::io_failed) return fail(updated.error());
    // A suite that does not answer is not fatal if a kernel is available. It may explain a missing apfs, so report it.
    if (!updated) progress("not all package lists could be fetched: " + updated.error().detail);
    auto kernels =
        updated ? ask_for(options, {"linux-image-amd64"})
                : ask_for(options, {"linux-image-amd64"}).map_error([&](const Error&) { return updated.error(); });
    if (!kernels) return fail(kernels.error());
    const auto kernel = first_of(*kernels, "linux-image-amd64", {guest_suite, guest_security_suite});
    if (!kernel && !updated)
        return fail(Errc::no_driver, fmt::format("the package lists of Debian cannot be fetched ({}): the guest image "
                                                 "needs the network until its packages are in the cache",
                                                 updated.error().detail));
    if (!kernel)
        return fail(
            Errc::no_driver,
            fmt::format("the mirror offers no kernel package linux-image-amd64 of Debian {}: name another mirror",
                        guest_suite));
    const auto record = record_of(options, *kernel);
    if (!record) return fail(record.error());
    const auto abi = kernel_abi_in(*record);
    if (!abi)
        return fail(Errc::bad_format,
                    fmt::format("linux-image-amd64 {} depends on no kernel package", kernel->version));
    const auto offered = ask_for(options, candidate_packages(*abi));
    if (!offered) return fail(offered.error());
    return select(*kernel, *abi, *offered);
}

/// Removes the packages of the saved selection that the new one does not need. Other files in the folder stay.
void remove_superseded(const ImageOptions& options, const Selection& selection) {
    std::set<fs::path> kept;
    for (const Package& one : selection.packages)
        if (const auto file = file_of(options, one)) kept.insert(*file);
    std::error_code ignored;
    const auto saved = saved_selection(options);
    if (!saved) return;
    for (const Package& one : saved->packages)
        if (const auto file = file_of(options, one); file && !kept.contains(*file)) fs::remove(*file, ignored);
}

Result<Selection> fetch_newest(const ImageOptions& options, const Progress& progress) {
    auto selection = newest_selection(options, progress);
    if (!selection) return selection;
    const auto needed = missing_from(options, *selection, false);
    if (!needed.empty())
        progress(fmt::format("fetching kernel {} and {} more packages", selection->kernel_abi, needed.size() - 1));
    if (auto fetched = download(options, needed, packages_folder(options)); !fetched) return fail(fetched.error());
    if (auto fetched = download(options, missing_from(options, *selection, true), packages_folder(options)); !fetched) {
        if (fetched.error().code == Errc::cancelled) return fail(fetched.error());
        progress("the packages for apfs cannot be fetched: " + fetched.error().detail);
        std::erase_if(selection->packages, [](const Package& one) {
            return one.use != PackageUse::kernel && one.use != PackageUse::guest &&
                   one.use != PackageUse::kernel_source;
        });
    }
    if (const auto missing = missing_from(options, *selection, false); !missing.empty())
        return fail(Errc::io_failed, fmt::format("apt-get did not download {} {} to {}", missing.front().name,
                                                 missing.front().version, packages_folder(options).string()));
    remove_superseded(options, *selection);
    if (auto saved = write_file(packages_folder(options) / ".selection", codec::json_text(to_json(*selection)) + "\n");
        !saved)
        return fail(saved.error());
    if (auto saved = publish(packages_folder(options) / ".selection", selection_file(options)); !saved)
        return fail(saved.error());
    return selection;
}

} // namespace

std::optional<Selection> saved_selection(const ImageOptions& options) {
    const auto text = read_file(selection_file(options));
    auto selection = text ? parse_selection(*text) : std::nullopt;
    if (selection && !is_complete_guest(*selection)) return std::nullopt;
    return selection;
}

Result<void> check_free_space(const ImageOptions& options) {
    std::error_code failed;
    const auto free_space = std::filesystem::space(options.cache, failed);
    if (failed)
        return fail(Errc::io_failed,
                    fmt::format("cannot read the free space of {}: {}", options.cache.string(), failed.message()));
    if (free_space.available >= options.free_space_needed.count) return {};
    return fail(Errc::io_failed,
                fmt::format("building the guest image needs {} MB in {}, and {} MB are free: free some space, or set "
                            "XDG_CACHE_HOME to another file system",
                            options.free_space_needed.count / 1'000'000, options.cache.string(),
                            free_space.available / 1'000'000));
}

Result<Selection> fetch_packages(const ImageOptions& options, const Progress& progress) {
    if (auto made = make_folder(packages_folder(options)); !made) return fail(made.error());
    const auto saved = saved_selection(options);
    const bool usable = saved && whole(options, *saved);
    if (usable && options.versions == Versions::as_found_before) return *saved;
    if (auto free_space = check_free_space(options); !free_space) return fail(free_space.error());
    auto newest = fetch_newest(options, progress);
    if (newest || !usable || newest.error().code == Errc::cancelled) return newest;
    progress("using the packages in the cache: " + newest.error().detail);
    return *saved;
}

Result<void> fetch_kernel_source(const ImageOptions& options, const Selection& selection, const Progress& progress) {
    const Package* source = find(selection, PackageUse::kernel_source);
    if (source == nullptr || file_of(options, *source)) return {};
    progress(fmt::format("fetching the source of kernel {}", source->version));
    if (auto fetched = download(options, {*source}, packages_folder(options)); !fetched) return fetched;
    if (file_of(options, *source)) return {};
    return fail(Errc::io_failed, fmt::format("apt-get did not download {} {} to {}", source->name, source->version,
                                             packages_folder(options).string()));
}

Result<void> unpack(const ImageOptions& options, const Package& package, const fs::path& into) {
    const auto file = file_of(options, package);
    if (!file) return fail(Errc::io_failed, fmt::format("{} {} is not in the cache", package.name, package.version));
    if (auto made = make_folder(into); !made) return made;
    const auto done = run_tool(options, {.program = "dpkg-deb",
                                         .arguments = {"-x", file->string(), into.string()},
                                         .package = "dpkg",
                                         .time_limit = 300s});
    if (done) return {};
    if (done.error().code != Errc::io_failed) return fail(done.error());
    std::error_code ignored;
    fs::remove(*file, ignored);
    return fail(
        Errc::io_failed,
        fmt::format("the package {} {} is broken and was removed from the cache: build again to fetch it again ({})",
                    package.name, package.version, done.error().detail));
}

} // namespace mediarig::lab
