// SPDX-License-Identifier: GPL-3.0-or-later
/// Guesses the formatter of a volume from its traces. Indications, never proof.
#pragma once

#include "host/media/inspect/inspect_values.hpp"
#include "host/media/inspect/read_apfs.hpp"
#include "host/media/inspect/read_exfat.hpp"
#include "host/media/inspect/read_fat.hpp"
#include "host/media/inspect/read_hfsplus.hpp"

namespace mediarig::media {

[[nodiscard]] Fingerprint fingerprint_of(const ExfatVolume& volume);
[[nodiscard]] Fingerprint fingerprint_of(const FatVolume& volume);
[[nodiscard]] Fingerprint fingerprint_of(const HfsPlusVolume& volume);
[[nodiscard]] Fingerprint fingerprint_of(const ApfsContents& contents);

} // namespace mediarig::media
