// SPDX-License-Identifier: GPL-3.0-or-later
/// What apt's tools say, as values. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mediarig::lab {

/// One version of a package that an archive offers.
struct Candidate {
    std::string name;
    std::string version;
    std::string suite; ///< "bookworm-security"
    bool operator==(const Candidate&) const = default;
};

/// The answer of `apt-cache madison`, in its order: of one package, the newest version first. Sources are left out.
[[nodiscard]] std::vector<Candidate> parse_madison(std::string_view said);

/// The first of a package's candidates in one of the suites; any suite where none is named, any version where none is.
[[nodiscard]] std::optional<Candidate> first_of(const std::vector<Candidate>& all, std::string_view name,
                                                const std::vector<std::string_view>& suites,
                                                std::string_view version = {});

/// The kernel that the package linux-image-amd64 stands for, from its "Depends:" line ("linux-image-6.1.0-56-amd64"
/// → "6.1.0-56-amd64"). Nothing where there is none.
[[nodiscard]] std::optional<std::string> kernel_abi_in(std::string_view package_record);

/// Where this machine fetches Debian from.
struct Mirrors {
    std::string main;     ///< without a slash at its end
    std::string security; ///< likewise
    bool operator==(const Mirrors&) const = default;
};

/// From the lines "ORIGIN|CODENAME|REPO_URI" of `apt-get indextargets`. Empty on a machine that fetches no Debian; the
/// security archive is looked for beside the main one where none is named.
[[nodiscard]] Mirrors mirrors_in(std::string_view index_targets);

/// A mirror named by a person: the archive of security updates is taken to lie beside it.
[[nodiscard]] Mirrors mirrors_at(std::string_view main);

} // namespace mediarig::lab
