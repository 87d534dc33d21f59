// SPDX-License-Identifier: GPL-3.0-or-later
/// One line of an identity, for display and for programs.
#pragma once

#include <string>

namespace mediarig::media {

struct IdentityRow {
    std::string section; ///< "medium", "USB", "SCSI", "queue", "CID", "CSD", "SCR", "SSR", "OCR", "NVMe", "SMART",
                         ///< "health"
    std::string name;    ///< stable: "erase_timeout"
    std::string value;
    std::string unit;   ///< "B", "s", "Mbit/s"; empty: no unit
    std::string source; ///< "SSR [407:402]", "idVendor", "VPD B0", "queue/discard_max_bytes"
    bool operator==(const IdentityRow&) const = default;
};

} // namespace mediarig::media
