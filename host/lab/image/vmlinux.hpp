// SPDX-License-Identifier: GPL-3.0-or-later
/// Takes the ELF kernel out of a compressed kernel image, so that the emulated machine need not unpack it at each boot.
#pragma once

#include <string>
#include <string_view>

#include "common/units.hpp"
#include "host/base/result.hpp"

namespace mediarig::lab {

/// The XZ stream in the image is looked for by its magic bytes; what follows the stream is none of ours. `most` bounds
/// the unpacked size. Fails with bad_format: no XZ stream, a damaged one, or something else than an ELF file within.
[[nodiscard]] Result<std::string> extract_vmlinux(std::string_view image, Bytes most = 512_MiB);

} // namespace mediarig::lab
