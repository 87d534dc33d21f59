// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/image/guest_image.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "host/base/json/json_text.hpp"
#include "host/lab/image/agent_program.hpp"
#include "host/lab/image/apfs_module.hpp"
#include "host/lab/image/build_tool.hpp"
#include "host/lab/image/cache_lock.hpp"
#include "host/lab/image/guest_files.hpp"
#include "host/lab/image/guest_parts.hpp"
#include "host/lab/image/packages.hpp"
#include "host/lab/image/work_folder.hpp"

namespace mediarig::lab {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::size_t images_kept = 4;

/// Returns an image only if it is complete, with the sizes in its manifest.
std::optional<GuestImage> image_at(const fs::path& folder) {
    const auto text = read_file(folder / "manifest.json");
    auto manifest = text ? parse_manifest(*text) : std::nullopt;
    if (!manifest || manifest->key != folder.filename().string()) return std::nullopt;
    GuestImage image{
        .folder = folder, .kernel = folder / "vmlinux", .initrd = folder / "initrd.img", .key = manifest->key};
    std::error_code missing;
    if (fs::file_size(image.kernel, missing) != manifest->kernel_size.count || missing) return std::nullopt;
    if (fs::file_size(image.initrd, missing) != manifest->initrd_size.count || missing) return std::nullopt;
    image.apfs = manifest->apfs.present;
    image.manifest = std::move(*manifest);
    return image;
}

fs::path place_of(const ImageOptions& options, const std::string& key) {
    return options.cache / "images" / key;
}

std::optional<GuestImage> standing_image(const ImageOptions& options, const Selection& selection,
                                         const AgentProgram& agent, bool with_apfs) {
    return image_at(place_of(options, image_key(selection, agent, with_apfs)));
}

/// Returns an existing image that a new build cannot improve: one with apfs.
std::optional<GuestImage> best_standing(const ImageOptions& options, const AgentProgram& agent) {
    if (options.versions == Versions::newest) return std::nullopt;
    const auto selection = saved_selection(options);
    return selection ? standing_image(options, *selection, agent, true) : std::nullopt;
}

Manifest describe(const Selection& selection, const AgentProgram& agent, const Result<ApfsModule>& apfs,
                  const GuestParts& parts) {
    Manifest manifest{.key = image_key(selection, agent, apfs.has_value()), .selection = selection};
    manifest.modules = parts.modules;
    manifest.agent = agent;
    if (apfs) {
        const std::string& version = find(selection, PackageUse::apfs_module)->version;
        manifest.apfs = {.present = true, .module_version = version, .self_check = version != tried_apfs_module};
        manifest.compiler = apfs->compiler;
    } else {
        manifest.apfs.absent_because = apfs.error().detail;
    }
    return manifest;
}

/// A hard link to the kernel of the parts takes no space; the kernel is copied if the file system has no hard links.
Result<void> place_kernel(const fs::path& from, const fs::path& to) {
    std::error_code failed;
    fs::create_hard_link(from, to, failed);
    if (failed) fs::copy_file(from, to, failed);
    if (failed) return fail(Errc::io_failed, fmt::format("cannot copy {}: {}", from.string(), failed.message()));
    return {};
}

Result<GuestImage> compose(const ImageOptions& options, const GuestParts& parts, Manifest manifest,
                           Clock::time_point begun) {
    auto agent = stripped_program(options, options.agent);
    if (!agent) return fail(agent.error());
    const auto entries = guest_entries(parts.root, std::move(*agent), manifest.apfs.self_check);
    if (!entries) return fail(entries.error());
    const auto archive = newc_archive(*entries);
    if (!archive) return fail(archive.error());

    auto work = make_work_folder(options.cache);
    if (!work) return fail(work.error());
    const fs::path result = work->path() / "image";
    if (auto made = make_folder(result); !made) return fail(made.error());
    if (auto done = place_kernel(parts.kernel, result / "vmlinux"); !done) return fail(done.error());
    if (auto done = write_file(result / "initrd.img", *archive); !done) return fail(done.error());

    std::error_code failed;
    manifest.kernel_size = {fs::file_size(result / "vmlinux", failed)};
    manifest.initrd_size = {archive->size()};
    const auto now = std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::system_clock::now());
    manifest.built_at = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
    manifest.build_seconds = std::chrono::duration<double>(Clock::now() - begun).count();
    if (auto done = write_file(result / "manifest.json", codec::json_text(to_json(manifest)) + "\n"); !done)
        return fail(done.error());
    const fs::path place = place_of(options, manifest.key);
    if (auto done = publish(result, place); !done) return fail(done.error());
    keep_newest(place.parent_path(), images_kept);
    auto image = image_at(place);
    if (!image) return fail(Errc::io_failed, fmt::format("{} is incomplete after it was written", place.string()));
    return std::move(*image);
}

} // namespace

Result<GuestImage> build_guest_image(const ImageOptions& options, const Progress& progress) {
    const auto begun = Clock::now();
    const auto agent = identify_agent(options);
    if (!agent) return fail(agent.error());
    if (auto standing = best_standing(options, *agent)) return std::move(*standing);

    if (auto owned = claim_cache(options.cache); !owned) return fail(owned.error());
    const auto lock = CacheLock::take(options, progress);
    if (!lock) return fail(lock.error());
    remove_stale_work(options.cache);
    // Another build may have created the image while this one waited.
    if (auto standing = best_standing(options, *agent)) return std::move(*standing);

    const auto selection = fetch_packages(options, progress);
    if (!selection) return fail(selection.error());
    if (auto standing = standing_image(options, *selection, *agent, true)) return std::move(*standing);
    const auto apfs = apfs_module(options, *selection, progress);
    if (!apfs) {
        if (apfs.error().code == Errc::cancelled) return fail(apfs.error());
        progress("the guest image is built without apfs: " + apfs.error().detail);
        if (auto standing = standing_image(options, *selection, *agent, false)) return std::move(*standing);
    }
    const auto parts = guest_parts(options, *selection, apfs ? &*apfs : nullptr, progress);
    if (!parts) return fail(parts.error());
    progress("writing the guest image");
    return compose(options, *parts, describe(*selection, *agent, apfs, *parts), begun);
}

Result<GuestImage> find_guest_image(const ImageOptions& options) {
    const auto agent = identify_agent(options);
    if (!agent) return fail(agent.error());
    if (const auto selection = saved_selection(options))
        for (const bool with_apfs : {true, false})
            if (auto standing = standing_image(options, *selection, *agent, with_apfs)) return std::move(*standing);
    return fail(Errc::no_driver,
                fmt::format("there is no guest image for this agent in {}: build it with 'mediarig lab build'",
                            options.cache.string()));
}

} // namespace mediarig::lab
