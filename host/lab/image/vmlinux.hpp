// SPDX-License-Identifier: GPL-3.0-or-later
/// Extracts the ELF kernel from a compressed kernel image, so that the emulated machine does not unpack it at each
/// boot.
#pragma once

#include <string>
#include <string_view>

#include "common/units.hpp"
#include "host/base/result.hpp"

namespace mediarig::lab {

/// Finds the XZ stream in the image by its magic bytes and ignores the data after the stream. `most` limits the
/// unpacked size. Fails with bad_format: no XZ stream, a damaged one, or content other than an ELF file.
[[nodiscard]] Result<std::string> extract_vmlinux(std::string_view image, Bytes most = 512_MiB);

} // namespace mediarig::lab
