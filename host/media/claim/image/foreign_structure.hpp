// SPDX-License-Identifier: GPL-3.0-or-later
/// Recognises file formats without a reliable magic number by fields that are consistent with each other. Raw bytes of
/// a medium match none of these formats.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "common/units.hpp"
#include "host/base/result.hpp"

namespace mediarig::media {

using FileBytes = std::span<const unsigned char>;

/// True for text files such as letters, keys, source code or mail: the first sector contains only lines of text. UTF-16
/// is recognised by its byte order mark.
[[nodiscard]] bool is_text(FileBytes sector);
/// True for tar archives of any age, also from before "ustar": the header checksum matches and the numbers are octal.
[[nodiscard]] bool is_tar(FileBytes head);
/// True for dBASE and FoxPro tables: the field lengths add up to the record length.
[[nodiscard]] bool is_dbase(FileBytes head, std::uint64_t file_size);
/// True for Berkeley DB files: magic, version and page size match, in either byte order.
[[nodiscard]] bool is_berkeley_db(FileBytes head);
/// True for MPEG layer III files without a tag: each frame starts at the offset that the previous frame's length gives.
[[nodiscard]] bool is_mp3(FileBytes head);

/// Checks that an open file may be a raw image of a medium. Refuses an archive, database, program or disk image of
/// another format, because its loss would harm the user. Fails with refused; messages call the file `name`. Formats
/// without a recognisable signature are accepted.
[[nodiscard]] Result<void> check_raw(int image, const std::string& name);

/// Like check_raw(), for a loop device that shows part of the file: checks the whole file and that part.
[[nodiscard]] Result<void> check_raw_part(int image, const std::string& name, Bytes start, Bytes length);

} // namespace mediarig::media
