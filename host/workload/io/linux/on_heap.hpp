// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <utility>

#include "host/base/result.hpp"

namespace mediarig::workload {

/// Moves an object to the heap and returns it as its port.
template <class Port, class Made>
[[nodiscard]] Result<std::unique_ptr<Port>> on_heap(Result<Made> made) {
    if (!made) return fail(made.error());
    return std::make_unique<Made>(std::move(*made));
}

} // namespace mediarig::workload
