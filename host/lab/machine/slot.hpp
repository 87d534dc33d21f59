// SPDX-License-Identifier: GPL-3.0-or-later
/// Slots of the lab's virtual machine and their media. Values only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/units.hpp"
#include "host/base/result.hpp"
#include "host/media/identity/identity_values.hpp"
#include "host/media/slot_kind.hpp"

namespace mediarig::lab {

struct LabSlot {
    SlotId id;
    SlotKind kind{};
    bool shares_uplink{}; ///< the slot is limited by MachineSpec::uplink
    bool operator==(const LabSlot&) const = default;
};

/// Storage of a medium.
struct MediumSource {
    enum class Kind : std::uint8_t {
        nbd_socket, ///< Unix socket of an NBD server (the card model); default export
        raw_file,   ///< an image file
        guest_card, ///< a card model inside the guest
    };
    Kind kind{};
    std::string path; ///< absolute; name of a card model inside the guest
    static MediumSource nbd(std::string socket) { return {Kind::nbd_socket, std::move(socket)}; }
    static MediumSource in_guest(std::string card) { return {Kind::guest_card, std::move(card)}; }
    static MediumSource file(std::string image) { return {Kind::raw_file, std::move(image)}; }
};

struct LabMedium {
    MediumSource source;
    /// Serial reported by the drive; at most 36 characters, 20 for an NVMe disk. Not available in reader and SD slots:
    /// a reader has its own serial, and QEMU's SD cards are identical.
    std::string serial;
    bool read_only{}; ///< for USB and UAS slots only: QEMU's other models reject write protection or do not report it
    /// "Critical Warning" of the SMART / Health Information log (NVM Express Base Specification, figure "SMART / Health
    /// Information Log Page"): 0 … 31. Only NVMe slots accept a value other than 0.
    std::uint8_t smart_critical_warning{};
    media::ModelFigures figures{}; ///< those of the card model; recorded in virtual time only
};

/// 0: unlimited.
struct Limits {
    std::uint64_t read_bytes_per_second{}, write_bytes_per_second{};
    std::uint64_t reads_per_second{}, writes_per_second{};
};

/// An operation that fails with EIO from now on. The guest sees SCSI ABORTED COMMAND, not MEDIUM ERROR.
struct InjectedError {
    enum class Operation : std::uint8_t { read, write, flush };
    Operation operation{};
    std::optional<Lba> sector; ///< sector of 512 bytes; unset: all sectors
};

} // namespace mediarig::lab
