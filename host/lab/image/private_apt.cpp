// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/image/private_apt.hpp"

#include <fmt/format.h>

#include "host/lab/image/apt_texts.hpp"
#include "host/lab/image/build_tool.hpp"

namespace mediarig::lab {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

fs::path apt_folder(const ImageOptions& options) {
    return options.cache / "apt";
}

ToolCall apt(const ImageOptions& options, const char* program, std::vector<std::string> words) {
    words.insert(words.begin(), {"-c", (apt_folder(options) / "apt.conf").string()});
    return {.program = program, .arguments = std::move(words), .package = "apt", .time_limit = 900s};
}

Result<std::string> debian_keyring(const ImageOptions& options) {
    for (const char* name : {"debian-archive-keyring.gpg", "debian-archive-keyring.pgp"}) {
        std::error_code ignored;
        if (fs::exists(options.keyrings / name, ignored)) return (options.keyrings / name).string();
    }
    return fail(Errc::no_driver,
                "the keys of Debian's archive are missing: install the package debian-archive-keyring");
}

Result<Mirrors> mirrors(const ImageOptions& options) {
    if (!options.mirror.empty()) return mirrors_at(options.mirror);
    auto targets = run_tool(options, {.program = "apt-get",
                                      .arguments = {"indextargets", "--format", "$(ORIGIN)|$(CODENAME)|$(REPO_URI)",
                                                    "Created-By: Packages"},
                                      .package = "apt"});
    if (!targets) return fail(targets.error());
    Mirrors found = mirrors_in(*targets);
    if (found.main.empty())
        return fail(Errc::no_driver,
                    "this machine has no Debian mirror configured, which the guest image needs for its packages; name "
                    "one with MEDIARIG_DEBIAN_MIRROR=URI");
    return found;
}

} // namespace

Result<void> update_lists(const ImageOptions& options) {
    const fs::path folder = apt_folder(options);
    const auto keyring = debian_keyring(options);
    if (!keyring) return fail(keyring.error());
    const auto from = mirrors(options);
    if (!from) return fail(from.error());
    for (const char* part : {"lists/partial", "cache/archives/partial"})
        if (auto made = make_folder(folder / part); !made) return made;
    const std::pair<const char*, std::string> texts[] = {{"sources.list", sources_text(*from, *keyring)},
                                                         {"apt.conf", configuration_text(folder.string())},
                                                         {"preferences", ""},
                                                         {"status", ""}};
    for (const auto& [name, text] : texts)
        if (auto written = write_file(folder / name, text); !written) return written;
    // Without this option a list that cannot be fetched causes only a warning, and the old list is used as if it were
    // new.
    const auto updated =
        run_tool(options, apt(options, "apt-get", {"-q", "-o", "APT::Update::Error-Mode=any", "update"}));
    if (!updated) return fail(updated.error());
    return {};
}

Result<std::vector<Candidate>> ask_for(const ImageOptions& options, const std::vector<std::string>& names) {
    std::vector<std::string> words{"madison"};
    words.insert(words.end(), names.begin(), names.end());
    const auto said = run_tool(options, apt(options, "apt-cache", std::move(words)));
    if (!said) return fail(said.error());
    return parse_madison(*said);
}

Result<std::string> record_of(const ImageOptions& options, const Candidate& candidate) {
    return run_tool(options, apt(options, "apt-cache", {"show", candidate.name + "=" + candidate.version}));
}

Result<void> download(const ImageOptions& options, const std::vector<Package>& packages, const fs::path& folder) {
    if (packages.empty()) return {};
    std::vector<std::string> words{"-q", "download"};
    for (const Package& package : packages) words.push_back(package.name + "=" + package.version);
    ToolCall call = apt(options, "apt-get", std::move(words));
    call.folder = folder;
    const auto fetched = run_tool(options, call);
    if (!fetched) return fail(fetched.error());
    return {};
}

} // namespace mediarig::lab
