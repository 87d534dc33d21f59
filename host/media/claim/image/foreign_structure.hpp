// SPDX-License-Identifier: GPL-3.0-or-later
/// Formats whose first bytes tell too little: they are known by fields that agree with each other. Of a medium's bytes
/// none of these is true.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "common/units.hpp"
#include "host/base/result.hpp"

namespace mediarig::media {

using FileBytes = std::span<const unsigned char>;

/// Letters, keys, programs' sources, mail: the first sector holds nothing but text, in lines. UTF-16 by its mark.
[[nodiscard]] bool is_text(FileBytes sector);
/// Of any age, also from before "ustar": the header's checksum holds, and its numbers are octal.
[[nodiscard]] bool is_tar(FileBytes head);
/// dBASE and FoxPro: fields whose lengths add up to the record's.
[[nodiscard]] bool is_dbase(FileBytes head, std::uint64_t file_size);
/// Berkeley DB: magic, version and page size, in either byte order.
[[nodiscard]] bool is_berkeley_db(FileBytes head);
/// MPEG layer III without a tag: frames that follow each other where their lengths say.
[[nodiscard]] bool is_mp3(FileBytes head);
/// A VHD of fixed size: `tail` is the last sector, its checksum holds and it gives the length of what is in front.
[[nodiscard]] bool is_vhd_footer(FileBytes tail, std::uint64_t file_size);

/// Files that a person would miss and that are no medium's bytes.

/// Whether an open file may be a medium's bytes: no archive, database, program or disk image of another format. Fails
/// with refused; `name` is for the text. What has no mark of its own cannot be told from a medium.
[[nodiscard]] Result<void> check_raw(int image, const std::string& name);

/// The same of a loop device on it that shows a part: whether the file as a whole and that part may be a medium's
/// bytes.
[[nodiscard]] Result<void> check_raw_part(int image, const std::string& name, Bytes start, Bytes length);

} // namespace mediarig::media
