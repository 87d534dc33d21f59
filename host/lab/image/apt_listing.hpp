// SPDX-License-Identifier: GPL-3.0-or-later
/// Parsers for the output of apt's tools. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mediarig::lab {

/// One version of a package in an archive.
struct Candidate {
    std::string name;
    std::string version;
    std::string suite; ///< "bookworm-security"
    bool operator==(const Candidate&) const = default;
};

/// Parses the output of `apt-cache madison` in its order: the newest version of a package first. Omits source packages.
[[nodiscard]] std::vector<Candidate> parse_madison(std::string_view said);

/// Returns the first candidate of a package in one of the suites; an empty list of suites matches any suite, an empty
/// version any version.
[[nodiscard]] std::optional<Candidate> first_of(const std::vector<Candidate>& all, std::string_view name,
                                                const std::vector<std::string_view>& suites,
                                                std::string_view version = {});

/// Returns the kernel on which the package linux-image-amd64 depends, from its "Depends:" line
/// ("linux-image-6.1.0-56-amd64" → "6.1.0-56-amd64"); nothing if absent.
[[nodiscard]] std::optional<std::string> kernel_abi_in(std::string_view package_record);

/// Addresses from which this machine fetches Debian packages.
struct Mirrors {
    std::string main;     ///< address without a trailing slash
    std::string security; ///< address without a trailing slash
    bool operator==(const Mirrors&) const = default;
};

/// Parses the lines "ORIGIN|CODENAME|REPO_URI" of `apt-get indextargets`. Empty on a machine without Debian sources. If
/// no security archive is listed, its address is derived from that of the main archive.
[[nodiscard]] Mirrors mirrors_in(std::string_view index_targets);

/// Returns the mirrors for an address given by the user: the address of the security archive is derived from it.
[[nodiscard]] Mirrors mirrors_at(std::string_view main);

} // namespace mediarig::lab
