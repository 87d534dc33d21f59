// SPDX-License-Identifier: GPL-3.0-or-later
/// apt with its own lists, sources and status in the cache. It uses other suites than this machine and needs no root
/// privileges. It uses only the system's mirror, the proxies and the keyring, and it changes nothing.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "host/base/result.hpp"
#include "host/lab/image/apt_listing.hpp"
#include "host/lab/image/image_options.hpp"
#include "host/lab/image/selection.hpp"

namespace mediarig::lab {

/// Writes the configuration and fetches the package lists. Fails with no_driver (apt-get or the keyring is missing),
/// io_failed (the lists cannot be fetched; older ones are kept), timed_out, cancelled.
[[nodiscard]] Result<void> update_lists(const ImageOptions& options);
/// Returns the versions of these packages in the fetched lists.
[[nodiscard]] Result<std::vector<Candidate>> ask_for(const ImageOptions& options,
                                                     const std::vector<std::string>& names);
/// Returns the package record of one version.
[[nodiscard]] Result<std::string> record_of(const ImageOptions& options, const Candidate& candidate);
/// Downloads into `folder`; apt verifies the files against the signed lists.
[[nodiscard]] Result<void> download(const ImageOptions& options, const std::vector<Package>& packages,
                                    const std::filesystem::path& folder);

} // namespace mediarig::lab
