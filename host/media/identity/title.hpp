// SPDX-License-Identifier: GPL-3.0-or-later
/// Short display names of a medium. Pure.
#pragma once

#include <string>

#include "host/media/identity/medium.hpp"

namespace mediarig::media {

/// Returns "SanDisk Extreme Pro": the vendor occurs once, even if the model begins with it.
[[nodiscard]] std::string model_text(const Medium& medium);

/// Returns "SanDisk SN64G 1234": the model, and the end of the serial as bytes_to_type() defines it. Without a model
/// and a serial, the file name of an image; empty for other media.
[[nodiscard]] std::string short_title(const Medium& medium);

} // namespace mediarig::media
