// SPDX-License-Identifier: GPL-3.0-or-later
/// What the lab's virtual machine has room for, and what is put there. Values only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/units.hpp"
#include "host/base/result.hpp"
#include "host/media/slot_kind.hpp"

namespace mediarig::lab {

struct Slot {
    SlotId id;
    SlotKind kind{};
    bool shares_uplink{}; ///< all such slots together carry MachineSpec::uplink
    bool operator==(const Slot&) const = default;
};

/// Where the bytes of a medium are.
struct MediumSource {
    enum class Kind : std::uint8_t {
        nbd_socket, ///< a Unix socket that an NBD server listens at (the card model); default export
        raw_file,   ///< an image file
    };
    Kind kind{};
    std::string path; ///< absolute
    static MediumSource nbd(std::string socket) { return {Kind::nbd_socket, std::move(socket)}; }
    static MediumSource file(std::string image) { return {Kind::raw_file, std::move(image)}; }
};

struct LabMedium {
    MediumSource source;
    /// What the drive says of itself; at most 36 characters, 20 of an NVMe disk. Reader and SD slots cannot say it: a
    /// reader has a serial of its own, and QEMU's SD cards are all alike.
    std::string serial;
    bool read_only{}; ///< in USB and UAS slots only: QEMU's other models refuse it, or do not tell the guest
    /// "Critical Warning" of the SMART / Health Information log (NVM Express Base Specification, figure "SMART / Health
    /// Information Log Page"): 0 … 31, other than 0 in NVMe slots only.
    std::uint8_t smart_critical_warning{};
};

/// 0: without limit.
struct Limits {
    std::uint64_t read_bytes_per_second{}, write_bytes_per_second{};
    std::uint64_t reads_per_second{}, writes_per_second{};
};

/// An operation that answers with EIO from now on. The guest sees SCSI ABORTED COMMAND, not MEDIUM ERROR.
struct InjectedError {
    enum class Operation : std::uint8_t { read, write, flush };
    Operation operation{};
    std::optional<Lba> sector; ///< of 512 bytes; nothing: every one
};

} // namespace mediarig::lab
