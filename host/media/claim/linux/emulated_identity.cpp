// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/claim/linux/emulated_identity.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "host/base/json/json_text.hpp"
#include "host/media/claim/linux/kernel/sysfs.hpp"
#include "host/media/identity/sd_registers.hpp"

namespace mediarig::media {
namespace {

using nlohmann::json;

constexpr std::string_view device_kind = "ublkb";

std::string text_of(const json& identity, const char* name) {
    return identity.contains(name) ? typeable(identity.at(name).get<std::string>()) : std::string();
}

} // namespace

Result<void> adopt_identity(Medium& medium, std::string_view text) {
    try {
        const json identity = codec::read_json(text);
        if (!identity.is_object()) return fail(Errc::bad_format, "an emulated identity must be a JSON object");
        if (identity.contains("cid")) {
            medium.transport = Transport::mmc;
            medium.sd = decode_sd_registers(text_of(identity, "cid"), text_of(identity, "csd"),
                                            text_of(identity, "scr"), text_of(identity, "ssr"));
            adopt_registers(medium);
        } else {
            medium.vendor = text_of(identity, "vendor");
            medium.model = text_of(identity, "model");
            medium.revision = text_of(identity, "revision");
            medium.serial = text_of(identity, "serial");
        }
        if (identity.contains("card_model")) {
            const auto figures = model_figures_from_json(identity.at("card_model"));
            if (!figures) return fail(Errc::bad_format, "an emulated identity is invalid: " + figures.error().detail);
            medium.card_model = *figures;
        }
    } catch (const json::exception& cause) {
        return fail(Errc::bad_format, std::string("an emulated identity is invalid: ") + cause.what());
    }
    medium.removable = true;
    return {};
}

bool adopt_emulated(Medium& medium, const BlockNode& disk, const std::string& folder) {
    if (folder.empty() || !is_numbered(disk.name, device_kind)) return false;
    const auto text = read_file_if_there(folder + "/" + disk.name);
    if (text && !*text) return false;
    const Result<void> adopted = text ? adopt_identity(medium, **text) : fail(text.error());
    if (!adopted) medium.refusals.push_back({RefusalKind::unknown_state, adopted.error().detail});
    return true;
}

} // namespace mediarig::media
