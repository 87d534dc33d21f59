// SPDX-License-Identifier: GPL-3.0-or-later
/// Recognises the contents that begin at a place of a medium, without parsing them.
#pragma once

#include <optional>
#include <string>

#include "host/base/result.hpp"
#include "host/media/inspect/medium_reader.hpp"
#include "host/media/inspect/signature.hpp"

namespace mediarig::media {

struct RecognisedContents {
    std::string file_system;                   ///< as in InspectedVolume; any HFS+ is "hfs+". Empty if unknown
    std::optional<ContentSignature> signature; ///< set if only this signature identifies the contents
};

/// Reads the first 4 KiB, and the places of far signatures if the first 4 KiB do not decide. Fails with io_failed if
/// one of them cannot be read, and with bad_format if the range is outside the medium. The contents of a range of less
/// than 4 KiB are unknown.
[[nodiscard]] Result<RecognisedContents> recognise_contents(const MediumReader& medium, Bytes start, Bytes length);

/// Recognises an image file by the footer of its container, which follows the contents of a medium in some formats.
[[nodiscard]] std::optional<ContentSignature> recognise_container(const MediumReader& medium);

} // namespace mediarig::media
