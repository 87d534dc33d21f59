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

std::size_t bytes_to_type(std::string_view confirmation) {
    if (confirmation.starts_with('/')) return confirmation.size() - (confirmation.find_last_of('/') + 1);
    constexpr std::size_t characters = 4;
    std::size_t begin = confirmation.size();
    for (std::size_t left = characters; left > 0 && begin > 0;) {
        --begin;
        const bool continues = (static_cast<unsigned char>(confirmation[begin]) & 0xC0) == 0x80; // UTF-8
        if (!continues) --left;
    }
    return confirmation.size() - begin;
}

bool confirms(std::string_view typed, std::string_view confirmation) {
    return !typed.empty() && typed.size() >= bytes_to_type(confirmation) && confirmation.ends_with(typed);
}

} // namespace mediarig::media
