// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/gui/models/attached_medium.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "host/base/json/json_text.hpp"
#include "host/base/text.hpp"
#include "host/cli/text/identity_text.hpp"
#include "host/cli/text/text.hpp"
#include "host/gui/models/json_member.hpp"
#include "host/media/identity/confirmation.hpp"

namespace mediarig::gui {
namespace {

AttachedMedium shown(media::Medium medium, std::string confirm, const std::string& nickname) {
    const std::string model = cli::joined({nickname.empty() ? "" : "“" + nickname + "”", medium.vendor, medium.model});
    AttachedMedium result{
        .title = printable(fmt::format("{}{}{}", model, model.empty() ? "" : ", ", size_text(medium.size)))};
    for (const media::Refusal& refusal : media::permanent_refusals(medium, confirm))
        result.refusals.push_back(printable(refusal.detail));
    result.contents = cli::contents_of(medium);
    result.medium = std::move(medium);
    result.confirm = std::move(confirm);
    return result;
}

} // namespace

Result<std::vector<AttachedMedium>> attached_from_json(std::string_view text) {
    const auto json = codec::read_json(text);
    if (!json.is_object() || !json.contains("devices") || !json["devices"].is_array())
        return fail(Errc::bad_format, "mediarig devices --json gave no list of devices");
    std::vector<AttachedMedium> result;
    for (const nlohmann::json& each : json["devices"]) {
        auto medium = media::medium_from_json(each);
        if (!medium) return fail(medium.error());
        const bool is_made_here =
            medium->transport == media::Transport::loop || medium->transport == media::Transport::zram;
        if (is_made_here && medium->size == 0_B) continue;
        result.push_back(shown(std::move(*medium), text_in(each, "confirm"), text_in(each, "nickname")));
    }
    std::stable_partition(result.begin(), result.end(),
                          [](const AttachedMedium& each) { return each.refusals.empty(); });
    return result;
}

} // namespace mediarig::gui
