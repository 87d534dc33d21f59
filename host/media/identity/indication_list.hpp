// SPDX-License-Identifier: GPL-3.0-or-later
/// Writes indications down, and the two halves of the list of indications.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "host/media/identity/indications.hpp"

namespace mediarig::media::detail {

struct IndicationRule {
    const char* name;
    const char* reason;
    const char* source;
    Certainty certainty{};
};

class IndicationList {
public:
    void add(const IndicationRule& rule, std::string found) {
        found_.push_back({rule.name, std::move(found), rule.reason, rule.source, rule.certainty});
    }
    [[nodiscard]] std::vector<Indication> done() { return std::move(found_); }

private:
    std::vector<Indication> found_;
};

void card_indications(const Medium& medium, std::optional<CalendarMonth> now, IndicationList& indications);
void usb_indications(const Medium& medium, IndicationList& indications);

} // namespace mediarig::media::detail
