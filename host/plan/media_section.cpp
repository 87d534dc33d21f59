// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include "host/media/volume_span.hpp"
#include "host/plan/sections.hpp"

namespace mediarig::plan {
namespace {

std::string default_name(const MediumRef& medium) {
    if (medium.slot) return fmt::format("slot-{}", medium.slot->number);
    std::string_view target = medium.target();
    while (target.size() > 1 && target.ends_with('/')) target.remove_suffix(1);
    return excerpt(target == "/" ? target : target.substr(target.rfind('/') + 1), longest_line);
}

std::optional<std::string> read_device(const Node& node) {
    auto path = read_path(node);
    if (path && !path->starts_with("/dev/")) {
        node.complain(
            fmt::format("\"{}\" is not a block device, those are below /dev; for an image file say \"image\", for "
                        "a directory \"directory\"",
                        excerpt(*path)));
        return std::nullopt;
    }
    if (path && leads_upwards(*path)) {
        node.complain(fmt::format("\"{}\" leads out of /dev by \"..\"; name the device itself", excerpt(*path)));
        return std::nullopt;
    }
    return path;
}

std::optional<std::string> read_image(const Node& node) {
    auto path = read_path(node);
    if (path && path->starts_with("/dev/") && !path->starts_with("/dev/shm/")) {
        node.complain(
            fmt::format("\"{}\" is below /dev, where devices are; a device belongs into \"path\"", excerpt(*path)));
        return std::nullopt;
    }
    return path;
}

MediumRef read_medium(const Node& node) {
    const auto line = [](const Node& text) { return read_line(text, longest_line); };
    Members members(node);
    MediumRef medium;
    take(members, "name", medium.name, line);

    std::size_t targets = 0;
    const auto target = [&](std::string_view name, auto& out, auto read) {
        if (const auto found = members.find(name)) {
            ++targets;
            if (auto value = read(*found)) out = std::move(*value);
        }
    };
    target("path", medium.path, read_device);
    target("image", medium.image, read_image);
    target("directory", medium.directory, read_path);
    target("slot", medium.slot, [](const Node& slot) -> std::optional<SlotId> {
        const auto number = read_count(slot, {1, 255});
        return number ? std::optional(SlotId{static_cast<std::uint8_t>(*number)}) : std::nullopt;
    });
    if (members.readable() && targets != 1)
        node.complain(targets == 0 ? "names no medium; add one of \"path\" (a block device), \"image\", \"directory\" "
                                     "and \"slot\""
                                   : "names more than one medium; keep one of \"path\", \"image\", \"directory\" and "
                                     "\"slot\"");
    // An empty one is as good as none: whether one is needed shows when the whole plan is known.
    take(members, "confirm", medium.confirm, [](const Node& text) -> std::optional<std::string> {
        if (text.value->is_string() && text.value->get_ref<const std::string&>().empty()) return std::nullopt;
        return read_line(text, 4095);
    });
    take(members, "lot", medium.lot, line);
    take(members, "label", medium.label, line);
    take(members, "partition", medium.partition, [](const Node& count) -> std::optional<std::uint32_t> {
        const auto number = read_count(count, {1, media::highest_partition});
        return number ? std::optional(static_cast<std::uint32_t>(*number)) : std::nullopt;
    });
    const auto unknown = members.find("contents_unknown");
    take(members, "contents_unknown", medium.contents_unknown, read_flag);
    if (medium.contents_unknown && !medium.directory.empty())
        unknown->complain("is about the signatures of a device or an image, and a directory is never erased");
    const auto use = members.find("use_unknown");
    take(members, "use_unknown", medium.use_unknown, read_flag);
    if (medium.use_unknown && !medium.directory.empty())
        use->complain("is about a claim of a device or an image, and a directory is not claimed");
    members.refuse_unknown();
    if (medium.name.empty()) medium.name = default_name(medium);
    return medium;
}

} // namespace

std::vector<MediumRef> read_media(const Node& node) {
    std::vector<MediumRef> media;
    const auto list = read_list(node, most_media);
    if (!list) return media;
    if (list->empty()) node.complain("names no media; add at least one");
    for (const Node& entry : *list) media.push_back(read_medium(entry));
    return media;
}

} // namespace mediarig::plan
