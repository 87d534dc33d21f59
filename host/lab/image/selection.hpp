// SPDX-License-Identifier: GPL-3.0-or-later
/// Packages of the guest. Kept in the cache, so that a second build needs no network.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/enum_names.hpp"
#include "host/base/result.hpp"
#include "host/lab/image/apt_listing.hpp"

namespace mediarig::lab {

using mediarig::name_of;

/// Versions with which everything was tested; with another version the guest runs a self-check.
inline constexpr const char* tried_apfs_module = "0.3.22-1";
inline constexpr const char* tried_apfs_tools = "0.2.0-1";

BOOST_DEFINE_ENUM_CLASS(PackageUse, kernel, headers, guest, apfs_module, apfs_tools, kernel_source)
[[nodiscard]] constexpr auto other_names(PackageUse** /*type*/) {
    return std::array{Name<PackageUse>{PackageUse::apfs_module, "apfs module"},
                      Name<PackageUse>{PackageUse::apfs_tools, "apfs tools"},
                      Name<PackageUse>{PackageUse::kernel_source, "kernel source"}};
}

struct Package {
    std::string name;
    std::string version;
    std::string suite;
    PackageUse use{};
    bool operator==(const Package&) const = default;
};

struct Selection {
    std::string kernel_abi; ///< "6.1.0-56-amd64"
    std::vector<Package> packages;
    bool operator==(const Selection&) const = default;
};

/// Returns the package for a given use; nullptr if the selection has none.
[[nodiscard]] const Package* find(const Selection& selection, PackageUse use);
/// True if no required package is missing. A selection saved by another version of this program may lack a package that
/// the guest needs now.
[[nodiscard]] bool is_complete_guest(const Selection& selection);
/// True if the source of the module and its tools were found.
[[nodiscard]] bool offers_apfs(const Selection& selection);
/// Returns the versions that determine the contents of QEMU's guest, one per line: not that of the kernel source.
[[nodiscard]] std::string versions_text(const Selection& selection);

/// Returns the names of all packages to look up for a kernel.
[[nodiscard]] std::vector<std::string> candidate_packages(const std::string& kernel_abi);
/// `kernel` is the linux-image-amd64 that names the ABI: image and headers are taken in its version. Fails with
/// no_driver; the detail names the package that no archive offers. Without the packages of apfs the guest has no apfs.
[[nodiscard]] Result<Selection> select(const Candidate& kernel, const std::string& kernel_abi,
                                       const std::vector<Candidate>& offered);

[[nodiscard]] nlohmann::json to_json(const Selection& selection);
/// Returns nothing if the text does not have the form that to_json writes.
[[nodiscard]] std::optional<Selection> parse_selection(const std::string& text);

} // namespace mediarig::lab
