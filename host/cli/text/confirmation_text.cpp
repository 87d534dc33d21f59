// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/cli/text/confirmation_text.hpp"

#include <fmt/format.h>

#include <istream>
#include <ostream>

#include "host/cli/text/identity_text.hpp"
#include "host/cli/text/text.hpp"
#include "host/media/identity/confirmation.hpp"
#include "host/report/text/display_text.hpp"

namespace mediarig::cli {
namespace {

struct EffectText {
    std::string_view effect; ///< the medium follows
    std::string_view purpose;
};

EffectText text_for(WriteEffect effect) {
    switch (effect) {
        case WriteEffect::keeps_contents:
            return {"This writes test data and then restores the contents of", "to begin"};
        case WriteEffect::writes_back:
            return {"This writes the saved contents back to", "to restore it"};
        case WriteEffect::forgets:
            return {"This removes the saved contents, without restoring them, of", "to remove them"};
        case WriteEffect::erases:
            break;
    }
    return {"This erases all data on", "to erase it"};
}

/// Returns the property that the confirmation contains: "serial number".
std::string_view property_in(const media::Medium& medium, const std::string& confirmation) {
    if (confirmation == medium.serial) return "serial number";
    return confirmation.starts_with('/') ? "path" : "USB port";
}

/// Returns "the last 4 characters of its serial number".
std::string part_to_type(const media::Medium& medium, const std::string& confirmation) {
    const std::string_view property = property_in(medium, confirmation);
    if (property == "path") return "the last component of its path";
    const std::size_t begin = confirmation.size() - media::bytes_to_type(confirmation);
    return fmt::format("the last {} characters of its {}", display_width(confirmation.substr(begin)), property);
}

std::string contents_text(const media::Medium& medium) {
    std::string text;
    for (const std::string& each : contents_of(medium)) text += (text.empty() ? "" : "; ") + each;
    return text.empty() ? "no known file system" : text;
}

std::string prompt_for(const media::Medium& medium, const std::string& confirmation, WriteEffect effect) {
    return fmt::format("Type {} {}: ", part_to_type(medium, confirmation), text_for(effect).purpose);
}

} // namespace

std::string confirmation_request(const media::Medium& medium, const std::string& nickname, WriteEffect effect) {
    const std::string confirmation = media::confirmation_to_type(medium);
    const std::string name = joined({nickname.empty() ? "" : "“" + nickname + "”", report::identity_text(medium)});
    std::string text = line_of(fmt::format("{} {}", text_for(effect).effect, name.empty() ? medium.node : name));
    const auto add = [&](std::string_view property, const std::string& value) {
        text += line_of(fmt::format("  {:<14} {}", property, value));
    };
    add("path", medium.node);
    add("contents", contents_text(medium));
    if (confirmation != medium.node) add(property_in(medium, confirmation), confirmation);
    return text + prompt_for(medium, confirmation, effect);
}

Result<std::string> confirmed_by(std::istream& in, std::ostream& out, const media::Medium& medium,
                                 const std::string& nickname, WriteEffect effect) {
    const std::string confirmation = media::confirmation_to_type(medium);
    out << confirmation_request(medium, nickname, effect) << std::flush;
    constexpr unsigned attempts = 2;
    for (unsigned attempt = 1; attempt <= attempts; ++attempt) {
        const auto typed = typed_line(in);
        if (!typed) break;
        if (media::confirms(*typed, confirmation)) return confirmation;
        if (attempt < attempts)
            out << line_of("The answer does not match; one attempt is left.")
                << prompt_for(medium, confirmation, effect) << std::flush;
    }
    return fail(Errc::refused,
                fmt::format("the answer was not {1}, so {0} was not written: repeat the command, or "
                            "add --confirm with the whole {2}",
                            medium.node, part_to_type(medium, confirmation), property_in(medium, confirmation)));
}

} // namespace mediarig::cli
