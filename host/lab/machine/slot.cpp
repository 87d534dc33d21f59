// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/machine/slot.hpp"

#include <array>

namespace mediarig::lab {
namespace {

struct Named {
    SlotKind kind;
    std::string_view name;
};
constexpr std::array kinds{
    Named{SlotKind::usb, "usb"},       Named{SlotKind::usb_hub, "usb_hub"}, Named{SlotKind::uas, "uas"},
    Named{SlotKind::reader, "reader"}, Named{SlotKind::sd, "sd"},           Named{SlotKind::nvme, "nvme"},
};

} // namespace

std::string_view name_of(SlotKind kind) {
    for (const Named& named : kinds)
        if (named.kind == kind) return named.name;
    return "unknown";
}

Result<SlotKind> slot_kind_from(std::string_view name) {
    for (const Named& named : kinds)
        if (named.name == name) return named.kind;
    return fail(Errc::bad_request,
                "'" + std::string(name) + "' is no kind of slot: say usb, usb_hub, uas, reader, sd or nvme");
}

} // namespace mediarig::lab
