// SPDX-License-Identifier: GPL-3.0-or-later
/// The bytes of a modelled medium in a sparse file.
#pragma once

#include <memory>
#include <string>

#include "host/lab/card/storage.hpp"

namespace mediarig::lab {

/// Opens the file for this process alone, or makes it, `size` long and without content. Fails with bad_request (it is
/// longer than `size`, or no regular file), refused (another process has it), no_permission, io_failed.
[[nodiscard]] Result<std::unique_ptr<Storage>> open_file_storage(const std::string& path, Bytes size);

} // namespace mediarig::lab
