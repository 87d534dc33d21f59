// SPDX-License-Identifier: GPL-3.0-or-later
/// Storage of a modelled medium in a sparse file.
#pragma once

#include <memory>
#include <string>

#include "host/lab/card/storage.hpp"

namespace mediarig::lab {

/// Opens the file exclusively, or creates an empty sparse file of `size` bytes. Fails with bad_request (longer than
/// `size`, or not a regular file), refused (another process has it), no_permission, io_failed.
[[nodiscard]] Result<std::unique_ptr<Storage>> open_file_storage(const std::string& path, Bytes size);

} // namespace mediarig::lab
