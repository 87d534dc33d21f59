// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/image/manifest.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string_view>

#include "host/base/json/json_text.hpp"

namespace mediarig::lab {
namespace {

/// FNV-1a, 64 bits: distinguishes versions. It does not protect against a forged cache; users can forge only their own.
std::uint64_t fingerprint(std::string_view text) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char byte : text) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
    return hash;
}

std::string readable(const Selection& selection, bool with_apfs) {
    const Package* apfs = with_apfs ? find(selection, PackageUse::apfs_module) : nullptr;
    return selection.kernel_abi + (apfs != nullptr ? "_apfs-" + apfs->version : std::string("_without-apfs"));
}

nlohmann::json modules_json(const std::vector<KernelModule>& modules) {
    auto list = nlohmann::json::array();
    for (const KernelModule& one : modules) list.push_back({{"name", one.name}, {"size", one.size.count}});
    return list;
}

} // namespace

std::string parts_key(const Selection& selection, bool with_apfs) {
    return fmt::format("{}_{:016x}", readable(selection, with_apfs),
                       fingerprint(fmt::format("{}\n{}", image_recipe, versions_text(selection))));
}

std::string image_key(const Selection& selection, const AgentProgram& agent, bool with_apfs) {
    return fmt::format("{}_{:016x}", readable(selection, with_apfs),
                       fingerprint(fmt::format("{}\n{}{}\n", image_recipe, versions_text(selection), agent.sha256)));
}

nlohmann::json to_json(const Manifest& manifest) {
    return {
        {"key", manifest.key},
        {"recipe", manifest.recipe},
        {"selection", to_json(manifest.selection)},
        {"apfs",
         {{"present", manifest.apfs.present},
          {"module_version", manifest.apfs.module_version},
          {"self_check", manifest.apfs.self_check},
          {"absent_because", manifest.apfs.absent_because}}},
        {"modules", modules_json(manifest.modules)},
        {"compiler", manifest.compiler},
        {"agent", {{"version", manifest.agent.version}, {"sha256", manifest.agent.sha256}}},
        {"kernel_size", manifest.kernel_size.count},
        {"initrd_size", manifest.initrd_size.count},
        {"built_at", manifest.built_at},
        {"build_seconds", manifest.build_seconds},
    };
}

std::optional<Manifest> parse_manifest(const std::string& text) {
    try {
        const auto json = codec::read_json(text);
        auto selection = parse_selection(codec::json_line(json.at("selection")));
        if (!selection) return std::nullopt;
        Manifest manifest{.key = json.at("key").get<std::string>(),
                          .recipe = json.at("recipe").get<int>(),
                          .selection = std::move(*selection)};
        const auto& apfs = json.at("apfs");
        manifest.apfs = {apfs.at("present").get<bool>(), apfs.at("module_version").get<std::string>(),
                         apfs.at("self_check").get<bool>(), apfs.at("absent_because").get<std::string>()};
        for (const auto& one : json.at("modules"))
            manifest.modules.push_back({one.at("name").get<std::string>(), {one.at("size").get<std::uint64_t>()}});
        manifest.compiler = json.at("compiler").get<std::string>();
        manifest.agent = {json.at("agent").at("version").get<std::string>(),
                          json.at("agent").at("sha256").get<std::string>()};
        manifest.kernel_size = {json.at("kernel_size").get<std::uint64_t>()};
        manifest.initrd_size = {json.at("initrd_size").get<std::uint64_t>()};
        manifest.built_at = json.at("built_at").get<std::string>();
        manifest.build_seconds = json.at("build_seconds").get<double>();
        return manifest;
    } catch (const nlohmann::json::exception&) {
        return std::nullopt;
    }
}

} // namespace mediarig::lab
