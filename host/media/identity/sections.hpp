// SPDX-License-Identifier: GPL-3.0-or-later
/// One function for each query method of a medium; each returns the rows of one section.
#pragma once

#include <string>
#include <vector>

#include "host/media/identity/medium.hpp"
#include "host/media/identity/row.hpp"

namespace mediarig::media::detail {

/// Rows of one section; skips empty and zero values.
class Section {
public:
    explicit Section(std::string name) : name_(std::move(name)) {}
    void text(const char* name, const std::string& value, const char* source, const char* unit = "") {
        if (!value.empty()) rows_.push_back({name_, name, value, unit, source});
    }
    void count(const char* name, std::uint64_t value, const char* source, const char* unit = "") {
        if (value != 0) text(name, std::to_string(value), source, unit);
    }
    void bytes(const char* name, Bytes value, const char* source) { count(name, value.count, source, "B"); }
    void flag(const char* name, bool value, const char* source) { text(name, value ? "yes" : "no", source); }
    [[nodiscard]] std::vector<IdentityRow> done() { return std::move(rows_); }

private:
    std::string name_;
    std::vector<IdentityRow> rows_;
};

[[nodiscard]] std::vector<IdentityRow> usb_rows(const UsbIdentity& usb);
[[nodiscard]] std::vector<IdentityRow> scsi_rows(const ScsiIdentity& scsi);
[[nodiscard]] std::vector<IdentityRow> nvme_rows(const NvmeIdentity& nvme);
[[nodiscard]] std::vector<IdentityRow> queue_rows(const Medium& medium);
[[nodiscard]] std::vector<IdentityRow> smart_rows(const SmartReport& smart);
[[nodiscard]] std::vector<IdentityRow> health_rows(const CardHealth& health);

} // namespace mediarig::media::detail
