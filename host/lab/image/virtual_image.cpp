// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/image/virtual_image.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "common/fnv1a.hpp"
#include "host/base/json/json_text.hpp"
#include "host/lab/image/agent_program.hpp"
#include "host/lab/image/apfs_module.hpp"
#include "host/lab/image/build_tool.hpp"
#include "host/lab/image/cache_lock.hpp"
#include "host/lab/image/guest_files.hpp"
#include "host/lab/image/guest_parts.hpp"
#include "host/lab/image/packages.hpp"
#include "host/lab/image/uml_kernel.hpp"
#include "host/lab/image/work_folder.hpp"

namespace mediarig::lab {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t virtual_images_kept = 4;

/// The programs in the image as they are on this computer.
struct GuestPrograms {
    AgentProgram agent;
    std::string cards; ///< contents
};

Result<GuestPrograms> programs_of(const ImageOptions& options) {
    auto agent = identify_agent(options);
    if (!agent) return fail(std::move(agent.error()));
    auto cards = read_file(options.cards);
    if (!cards)
        return fail(Errc::no_driver, fmt::format("the program {} cannot be read: build mediarig-lab-cards, or install "
                                                 "the package mediarig-lab",
                                                 options.cards.string()));
    return GuestPrograms{std::move(*agent), std::move(*cards)};
}

std::string key_of_image(const UmlKernel& kernel, const Selection& selection, const GuestPrograms& programs) {
    const auto hash = fnv1a<std::uint64_t>(
        fmt::format("{}\n{}\n{}\n{:016x}\n{}", kernel.key, parts_key(selection, offers_apfs(selection)),
                    programs.agent.sha256, fnv1a<std::uint64_t>(programs.cards), virtual_init_script()));
    return fmt::format("{}_{:016x}", kernel.key, hash);
}

std::optional<VirtualImage> virtual_image_at(const fs::path& folder) {
    const auto text = read_file(folder / "manifest.json");
    if (!text) return std::nullopt;
    const auto manifest = codec::read_json(*text);
    VirtualImage image{.folder = folder, .kernel = folder / "linux", .initrd = folder / "initrd.img"};
    image.key = folder.filename().string();
    std::error_code missing;
    if (!manifest.is_object() || manifest.value("key", "") != image.key) return std::nullopt;
    if (fs::file_size(image.initrd, missing) != manifest.value("initrd", std::uint64_t{0}) || missing)
        return std::nullopt;
    if (!fs::is_regular_file(image.kernel, missing)) return std::nullopt;
    image.apfs = manifest.value("apfs", false);
    return image;
}

std::optional<VirtualImage> standing_virtual_image(const ImageOptions& options, const GuestPrograms& programs) {
    const auto selection = saved_selection(options);
    const auto kernel = selection ? standing_uml_kernel(options, *selection) : std::nullopt;
    if (!kernel) return std::nullopt;
    return virtual_image_at(options.cache / "virtual" / key_of_image(*kernel, *selection, programs));
}

/// The user land without the kernel modules, with another first process and the card models.
Result<std::vector<CpioEntry>> virtual_entries(const ImageOptions& options, const fs::path& root) {
    auto agent = stripped_program(options, options.agent);
    if (!agent) return fail(std::move(agent.error()));
    auto cards = stripped_program(options, options.cards);
    if (!cards) return fail(std::move(cards.error()));
    auto entries = guest_entries(root, std::move(*agent), false);
    if (!entries) return entries;
    std::erase_if(*entries, [](const CpioEntry& entry) { return entry.name.starts_with("lib/modules"); });
    for (CpioEntry& entry : *entries)
        if (entry.name == "init") entry.data = std::string(virtual_init_script());
    CpioEntry program{.name = "usr/sbin/mediarig-lab-cards", .mode = cpio_file | 0755, .data = std::move(*cards)};
    const auto after = std::find_if(entries->begin(), entries->end(),
                                    [&](const CpioEntry& entry) { return entry.name > program.name; });
    entries->insert(after, std::move(program));
    return entries;
}

Result<VirtualImage> compose_virtual(const ImageOptions& options, const UmlKernel& kernel, const fs::path& root,
                                     const std::string& key, bool apfs) {
    const auto entries = virtual_entries(options, root);
    if (!entries) return fail(entries.error());
    const auto archive = newc_archive(*entries);
    if (!archive) return fail(archive.error());
    auto work = make_work_folder(options.cache);
    if (!work) return fail(work.error());
    const fs::path result = work->path() / "image";
    if (auto made = make_folder(result); !made) return fail(made.error());
    std::error_code failed;
    fs::copy_file(kernel.file, result / "linux", failed);
    if (failed) return fail(Errc::io_failed, fmt::format("cannot copy {}: {}", kernel.file.string(), failed.message()));
    if (auto done = write_file(result / "initrd.img", *archive); !done) return fail(done.error());
    const nlohmann::json manifest{{"key", key},
                                  {"kernel", kernel.key},
                                  {"compiler", kernel.compiler},
                                  {"apfs", apfs},
                                  {"initrd", archive->size()}};
    if (auto done = write_file(result / "manifest.json", codec::json_text(manifest) + "\n"); !done)
        return fail(done.error());
    const fs::path place = options.cache / "virtual" / key;
    if (auto done = publish(result, place); !done) return fail(done.error());
    keep_newest(place.parent_path(), virtual_images_kept);
    auto image = virtual_image_at(place);
    if (!image) return fail(Errc::io_failed, fmt::format("{} is incomplete after it was written", place.string()));
    return std::move(*image);
}

} // namespace

Result<VirtualImage> build_virtual_image(const ImageOptions& options, const Progress& progress) {
    const auto programs = programs_of(options);
    if (!programs) return fail(programs.error());
    const bool newest = options.versions == Versions::newest;
    if (auto standing = standing_virtual_image(options, *programs); standing && !newest) return std::move(*standing);

    if (auto owned = claim_cache(options.cache); !owned) return fail(owned.error());
    const auto lock = CacheLock::take(options, progress);
    if (!lock) return fail(lock.error());
    remove_stale_work(options.cache);
    // build_guest_image() has looked for the newest versions already.
    ImageOptions found = options;
    found.versions = Versions::as_found_before;
    const auto selection = fetch_packages(found, progress);
    if (!selection) return fail(selection.error());
    const auto kernel = uml_kernel(options, *selection, progress);
    if (!kernel) return fail(kernel.error());
    const auto apfs = apfs_module(options, *selection, progress);
    if (!apfs && apfs.error().code == Errc::cancelled) return fail(apfs.error());
    const auto parts = guest_parts(options, *selection, apfs ? &*apfs : nullptr, progress);
    if (!parts) return fail(parts.error());
    progress("writing the guest image for virtual time");
    return compose_virtual(options, *kernel, parts->root, key_of_image(*kernel, *selection, *programs),
                           apfs.has_value() && find(*selection, PackageUse::apfs_module) != nullptr);
}

Result<VirtualImage> find_virtual_image(const ImageOptions& options) {
    const auto programs = programs_of(options);
    if (!programs) return fail(programs.error());
    if (auto standing = standing_virtual_image(options, *programs)) return std::move(*standing);
    return fail(Errc::no_driver, fmt::format("there is no guest image for virtual time in {}: build it with 'mediarig "
                                             "lab build', or use \"lab_machine\": \"qemu\"",
                                             options.cache.string()));
}

} // namespace mediarig::lab
