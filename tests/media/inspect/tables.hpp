// SPDX-License-Identifier: GPL-3.0-or-later
/// Writes partition tables byte by byte, also contradictory ones.
#pragma once

#include "tests/media/inspect/image.hpp"

namespace mediarig::test {

/// Writes entry 1 to 4 of an MBR or of an extended boot record at byte `record`, and its signature 55 AA.
void put_entry(Image& image, std::uint64_t record, int number, int type, std::uint32_t first, std::uint32_t sectors,
               int status = 0);

/// Writes a GPT with one partition up to `end`, both copies, without a protective MBR.
void put_gpt(Image& image, std::uint64_t unit = 512, Bytes start = 1_MiB, Bytes end = 2_MiB);

} // namespace mediarig::test
