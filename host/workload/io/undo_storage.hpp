// SPDX-License-Identifier: GPL-3.0-or-later
/// Port: the file of an undo log on this host, for one medium.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "host/base/result.hpp"

namespace mediarig::workload {

class UndoStorage {
public:
    virtual ~UndoStorage() = default;
    /// Appends to the file, which the first call creates. The bytes are durable when it returns. Fails with host_fault
    /// (no space, no permission) and with refused if a file for this medium existed before.
    [[nodiscard]] virtual Result<void> append(std::span<const std::byte> bytes) = 0;
    /// Removes everything after the first `size` bytes. Fails with host_fault.
    [[nodiscard]] virtual Result<void> shorten(std::uint64_t size) = 0;
    /// The content of the file, valid until the next call. Fails with host_fault.
    [[nodiscard]] virtual Result<std::span<const std::byte>> contents() = 0;
    /// Removes the file durably. Succeeds if it does not exist. Fails with host_fault.
    [[nodiscard]] virtual Result<void> remove() = 0;
    [[nodiscard]] virtual std::string name() const = 0; ///< path of the file, for messages
};

} // namespace mediarig::workload
