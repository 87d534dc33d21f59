// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/identity/confirmation.hpp"

#include <algorithm>

namespace mediarig::media {

std::string confirmation_to_type(const Medium& medium) {
    const bool ambiguous = std::ranges::any_of(
        medium.refusals, [](const Refusal& refusal) { return refusal.kind == RefusalKind::ambiguous; });
    std::string port = ambiguous ? port_confirmation_of(medium) : std::string();
    return port.empty() ? confirmation_of(medium) : port;
}

std::vector<Refusal> permanent_refusals(const Medium& medium, const std::string& confirmation) {
    const bool told_apart = !confirmation.empty() && confirmation == port_confirmation_of(medium);
    std::vector<Refusal> standing = medium.refusals;
    std::erase_if(standing,
                  [&](const Refusal& refusal) { return told_apart && refusal.kind == RefusalKind::ambiguous; });
    return standing;
}

} // namespace mediarig::media
