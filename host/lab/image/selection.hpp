// SPDX-License-Identifier: GPL-3.0-or-later
/// Which packages the guest is made of. Kept in the cache, so that a second build asks nobody.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/result.hpp"
#include "host/lab/image/apt_listing.hpp"

namespace mediarig::lab {

/// Versions that everything was tried with; another one is taken only with a self-check in the guest.
inline constexpr const char* tried_apfs_module = "0.3.22-1";
inline constexpr const char* tried_apfs_tools = "0.2.0-1";

enum class PackageUse { kernel, headers, guest, apfs_module, apfs_tools };
[[nodiscard]] std::string_view name_of(PackageUse use);

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

/// Of a given use; nullptr where the selection has none.
[[nodiscard]] const Package* find(const Selection& selection, PackageUse use);
/// A selection that another version of this program kept may lack a package that the guest needs by now.
[[nodiscard]] bool has_all_of_the_guest(const Selection& selection);
/// Both the module's source and its tools were found.
[[nodiscard]] bool offers_apfs(const Selection& selection);
/// The versions that decide what the guest holds, one a line.
[[nodiscard]] std::string versions_text(const Selection& selection);

/// Every package that has to be looked for, once the kernel's name is known.
[[nodiscard]] std::vector<std::string> names_to_ask_for(const std::string& kernel_abi);
/// `kernel` is the linux-image-amd64 that names the ABI: image and headers are taken in its version. Fails with
/// no_driver, naming the package that no archive offers; without the packages of apfs the guest has no apfs.
[[nodiscard]] Result<Selection> select(const Candidate& kernel, const std::string& kernel_abi,
                                       const std::vector<Candidate>& offered);

[[nodiscard]] nlohmann::json to_json(const Selection& selection);
/// Nothing where the text is not what to_json wrote.
[[nodiscard]] std::optional<Selection> parse_selection(const std::string& text);

} // namespace mediarig::lab
