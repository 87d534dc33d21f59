// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/identity/rows.hpp"

#include <nlohmann/json.hpp>

#include "host/media/identity/sd_fields.hpp"
#include "host/media/identity/sections.hpp"

namespace mediarig::media {
namespace {

using detail::Section;

std::vector<IdentityRow> medium_rows(const Medium& medium) {
    Section section("medium");
    // Files and directories have no device attributes.
    const bool is_file = medium.transport == Transport::image || medium.transport == Transport::directory;
    section.text("transport", std::string(name_of(medium.transport)), is_file ? "path" : "sysfs path");
    section.text("vendor", medium.vendor, "transport");
    section.text("model", medium.model, "transport");
    section.text("revision", medium.revision, "transport");
    section.text("serial", medium.serial, "transport");
    section.bytes("size", medium.size, is_file ? "file" : "size");
    section.count("logical_sector", medium.logical_sector, is_file ? "assumed" : "queue/logical_block_size", "B");
    section.count("physical_sector", medium.physical_sector, is_file ? "assumed" : "queue/physical_block_size", "B");
    if (is_file) return section.done();
    section.flag("rotational", medium.rotational, "queue/rotational");
    section.flag("removable", medium.removable, "removable");
    section.flag("read_only", medium.read_only, "ro");
    return section.done();
}

} // namespace

std::vector<IdentityRow> identity_rows(const Medium& medium) {
    std::vector<IdentityRow> rows = medium_rows(medium);
    const auto append = [&](std::vector<IdentityRow> more) {
        for (IdentityRow& row : more) rows.push_back(std::move(row));
    };
    if (medium.usb) append(detail::usb_rows(*medium.usb));
    if (medium.scsi) append(detail::scsi_rows(*medium.scsi));
    if (medium.queue) append(detail::queue_rows(medium));
    if (medium.sd) append(sd_rows(*medium.sd));
    // A USB reader transfers only sectors; any register value would be a guess.
    if (medium.usb && !medium.sd)
        rows.push_back({"card", "registers", "not available: a USB reader hides the registers of its card", "",
                        "CID, CSD, SCR, SSR, OCR"});
    if (medium.nvme) append(detail::nvme_rows(*medium.nvme));
    if (medium.smart) append(detail::smart_rows(*medium.smart));
    if (medium.health) append(detail::health_rows(*medium.health));
    return rows;
}

nlohmann::json to_json(const IdentityRow& row) {
    return {
        {"section", row.section}, {"name", row.name}, {"value", row.value}, {"unit", row.unit}, {"source", row.source}};
}

} // namespace mediarig::media
