// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/app/profile_file.hpp"

#include "host/app/text_file.hpp"

namespace mediarig::app {

bool names_profile_file(const std::string& word) {
    return word.find_first_of("/.") != std::string::npos;
}

Result<media::Profile> read_profile(const std::string& file) {
    const auto text = read_text(file);
    if (!text) return fail(text.error());
    auto profile = media::profile_from_json(*text);
    if (!profile) return fail(Errc::bad_request, file + ": " + profile.error().detail);
    return profile;
}

} // namespace mediarig::app
