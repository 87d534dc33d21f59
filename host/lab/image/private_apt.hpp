// SPDX-License-Identifier: GPL-3.0-or-later
/// apt with lists, sources and a status of its own, in the cache: it knows other suites than this machine does, needs
/// no privilege, and nothing of the system's is read or written but its mirror, its proxies and its keyring.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "host/base/result.hpp"
#include "host/lab/image/apt_listing.hpp"
#include "host/lab/image/guest_image.hpp"
#include "host/lab/image/selection.hpp"

namespace mediarig::lab {

/// Writes the texts and fetches the package lists. Fails with no_driver (apt-get or the keyring is missing), io_failed
/// (the lists cannot be fetched; older ones stay in place), timed_out, cancelled.
[[nodiscard]] Result<void> update_lists(const ImageOptions& options);
/// What the fetched lists offer of these packages.
[[nodiscard]] Result<std::vector<Candidate>> ask_for(const ImageOptions& options,
                                                     const std::vector<std::string>& names);
/// The record of one version.
[[nodiscard]] Result<std::string> record_of(const ImageOptions& options, const Candidate& candidate);
/// Into `folder`, checked by apt against the signed lists.
[[nodiscard]] Result<void> download(const ImageOptions& options, const std::vector<Package>& packages,
                                    const std::filesystem::path& folder);

} // namespace mediarig::lab
