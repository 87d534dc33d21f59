// SPDX-License-Identifier: GPL-3.0-or-later
/// Reads the data of an earlier verify job back, without its record: the labels in the data describe them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "host/base/result.hpp"
#include "host/workload/jobs/damage.hpp"
#include "host/workload/jobs/probe_sampler.hpp"
#include "host/workload/outcome.hpp"
#include "host/workload/payload/data_label.hpp"
#include "host/workload/payload/payload.hpp"

namespace mediarig::workload {

/// Searches labels at 256 places over the whole medium and returns the one that most of them belong to; of equally
/// frequent ones the newest. Empty without labels. Fails with no_medium.
[[nodiscard]] Result<std::optional<DataLabel>> find_label(ReadableMedium& medium);

/// Compares data that are read in ascending order with the data that the label describes.
class KeptDataCheck {
public:
    /// `medium`: its size.
    KeptDataCheck(DataLabel label, Bytes medium);

    /// `bytes`: whole sectors, at this offset of the medium. Bytes outside of the described data are ignored.
    void add(std::span<const std::byte> bytes, Bytes offset);
    /// A part of the medium that cannot be read.
    void add_unreadable(Bytes offset, Bytes length);
    [[nodiscard]] KeptData take();

private:
    DataLabel label_;
    Bytes end_; ///< of the described data on this medium
    PayloadSource payload_;
    DamageMap damage_;
    KeptData result_;
};

} // namespace mediarig::workload
