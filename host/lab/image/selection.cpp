// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/image/selection.hpp"
#include "host/base/json/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "host/lab/image/apt_texts.hpp"

namespace mediarig::lab {
namespace {

// libc6 and libc-bin: the loader, the C library and the UTF-8 locale with which the formatters read labels. libblkid1
// to libuuid1: the libraries of sfdisk. libstdc++6 to libpcre2-8-0: those of smartctl.
constexpr const char* guest_packages[] = {
    "busybox-static", "exfatprogs",    "dosfstools",   "fdisk",    "libblkid1",     "libfdisk1",
    "libreadline8",   "libsmartcols1", "libtinfo6",    "libuuid1", "smartmontools", "libstdc++6",
    "libgcc-s1",      "libselinux1",   "libpcre2-8-0", "libc6",    "libc-bin"};

/// "6.1.0-56-amd64" → "6.1.0-56"
std::string without_flavour(const std::string& abi) {
    return abi.substr(0, abi.rfind('-'));
}

/// "6.1.0-56-amd64" → "6.1"
std::string series_of(const std::string& abi) {
    return abi.substr(0, abi.find('.', abi.find('.') + 1));
}

std::vector<std::string> header_packages(const std::string& abi) {
    return {"linux-headers-" + abi, "linux-headers-" + without_flavour(abi) + "-common",
            "linux-kbuild-" + series_of(abi)};
}

std::string source_package(const std::string& abi) {
    return "linux-source-" + series_of(abi);
}

std::optional<Candidate> tried_or_newest(const std::vector<Candidate>& offered, std::string_view name,
                                         std::string_view tried, std::string_view suite) {
    if (auto exact = first_of(offered, name, {}, tried)) return exact;
    return first_of(offered, name, {suite});
}

} // namespace

const Package* find(const Selection& selection, PackageUse use) {
    const auto found = std::find_if(selection.packages.begin(), selection.packages.end(),
                                    [&](const Package& one) { return one.use == use; });
    return found == selection.packages.end() ? nullptr : &*found;
}

bool is_complete_guest(const Selection& selection) {
    return std::all_of(std::begin(guest_packages), std::end(guest_packages), [&](std::string_view name) {
        return std::any_of(selection.packages.begin(), selection.packages.end(),
                           [&](const Package& one) { return one.use == PackageUse::guest && one.name == name; });
    });
}

bool offers_apfs(const Selection& selection) {
    return find(selection, PackageUse::apfs_module) != nullptr && find(selection, PackageUse::apfs_tools) != nullptr;
}

std::string versions_text(const Selection& selection) {
    std::string text = selection.kernel_abi + '\n';
    for (const Package& package : selection.packages)
        if (package.use != PackageUse::kernel_source)
            text += fmt::format("{} {} {}\n", package.name, package.version, package.suite);
    return text;
}

std::vector<std::string> candidate_packages(const std::string& kernel_abi) {
    std::vector<std::string> names = header_packages(kernel_abi);
    names.push_back("linux-image-" + kernel_abi);
    names.insert(names.end(), std::begin(guest_packages), std::end(guest_packages));
    names.insert(names.end(), {"apfs-dkms", "apfsprogs", source_package(kernel_abi)});
    return names;
}

Result<Selection> select(const Candidate& kernel, const std::string& kernel_abi,
                         const std::vector<Candidate>& offered) {
    const std::vector<std::string_view> suites{guest_suite, guest_security_suite};
    Selection chosen{.kernel_abi = kernel_abi};
    const auto take = [&](const std::string& name, std::string_view version, PackageUse use) {
        const auto found = first_of(offered, name, suites, version);
        if (found) chosen.packages.push_back({found->name, found->version, found->suite, use});
        return found.has_value();
    };
    const auto lacking = [](const std::string& name, const std::string& version) {
        return fail(
            Errc::no_driver,
            fmt::format("Debian {} offers no package {} {}: build again later, when the mirrors are synchronised",
                        guest_suite, name, version));
    };
    if (!take("linux-image-" + kernel_abi, kernel.version, PackageUse::kernel))
        return lacking("linux-image-" + kernel_abi, kernel.version);
    for (const char* name : guest_packages)
        if (!take(name, {}, PackageUse::guest)) return lacking(name, "");

    // Only the machine in virtual time needs the source.
    if (const std::string source = source_package(kernel_abi); !take(source, kernel.version, PackageUse::kernel_source))
        take(source, {}, PackageUse::kernel_source);

    // Only apfs needs the headers: without them the guest boots without apfs.
    const Selection without_apfs = chosen;
    bool complete = true;
    for (const std::string& name : header_packages(kernel_abi))
        complete = complete && take(name, kernel.version, PackageUse::headers);
    const auto module = tried_or_newest(offered, "apfs-dkms", tried_apfs_module, apfs_module_suite);
    const auto tools = tried_or_newest(offered, "apfsprogs", tried_apfs_tools, apfs_tools_suite);
    if (!complete || !module || !tools) return without_apfs;
    chosen.packages.push_back({module->name, module->version, module->suite, PackageUse::apfs_module});
    chosen.packages.push_back({tools->name, tools->version, tools->suite, PackageUse::apfs_tools});
    return chosen;
}

nlohmann::json to_json(const Selection& selection) {
    auto packages = nlohmann::json::array();
    for (const Package& one : selection.packages)
        packages.push_back(
            {{"name", one.name}, {"version", one.version}, {"suite", one.suite}, {"use", name_of(one.use)}});
    return {{"kernel_abi", selection.kernel_abi}, {"packages", std::move(packages)}};
}

std::optional<Selection> parse_selection(const std::string& text) {
    try {
        const auto json = codec::read_json(text);
        Selection selection{.kernel_abi = json.at("kernel_abi").get<std::string>()};
        for (const auto& one : json.at("packages")) {
            const auto use = from_name<PackageUse>(one.at("use").get<std::string>());
            if (!use) return std::nullopt;
            selection.packages.push_back({one.at("name").get<std::string>(), one.at("version").get<std::string>(),
                                          one.at("suite").get<std::string>(), *use});
        }
        return selection;
    } catch (const nlohmann::json::exception&) {
        return std::nullopt;
    }
}

} // namespace mediarig::lab
