// SPDX-License-Identifier: GPL-3.0-or-later
/// Checking one chunk that was read back. Pure.
#pragma once

#include "host/workload/damage.hpp"
#include "host/workload/payload.hpp"
#include "host/workload/relay.hpp"

namespace mediarig::workload {

/// Adds what is wrong in `chunk` to `damage`, sector by sector; returns how many bytes are right.
/// Needs offset and length to be whole 512-byte sectors.
[[nodiscard]] Bytes check_chunk(const Chunk& chunk, const PayloadSource& payload, DamageMap& damage);

} // namespace mediarig::workload
