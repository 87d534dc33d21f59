// SPDX-License-Identifier: GPL-3.0-or-later
/// A directory as a target: what is known of it before something is measured there.
#pragma once

#include "host/media/medium.hpp"
#include "host/process/caller.hpp"
#include "host/result.hpp"

namespace mediarig::agent {

/// It is measured as it is: it has no identity but its path, and no size but its free space. Where it lies on the file
/// system that carries /, without which the machine stops, a refusal says so. Fails with io_failed.
[[nodiscard]] Result<media::Medium> describe_directory(const process::FoundFile& directory);

} // namespace mediarig::agent
