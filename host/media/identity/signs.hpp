// SPDX-License-Identifier: GPL-3.0-or-later
/// Writes indications down, and the two halves of the list of signs.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "host/media/identity/indications.hpp"

namespace mediarig::media::detail {

struct SignRule {
    const char* name;
    const char* reason;
    const char* source;
    Certainty certainty{};
};

class Signs {
public:
    void add(const SignRule& rule, std::string found) {
        found_.push_back({rule.name, std::move(found), rule.reason, rule.source, rule.certainty});
    }
    [[nodiscard]] std::vector<Indication> done() { return std::move(found_); }

private:
    std::vector<Indication> found_;
};

void card_signs(const Medium& medium, std::optional<CalendarMonth> now, Signs& signs);
void usb_signs(const Medium& medium, Signs& signs);

} // namespace mediarig::media::detail
