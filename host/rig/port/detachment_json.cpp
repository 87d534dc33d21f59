// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/rig/port/detachment_json.hpp"

#include <fmt/format.h>

#include "host/base/json/codec.hpp"

namespace mediarig::rig {

using nlohmann::json;

/// Members of the record.
struct DetachmentForm {
    DetachLevel reached{}, attempted{};
    std::uint64_t level{};
    std::string by;
    bool emulated{};
    std::optional<bool> vanished;
    std::optional<std::uint32_t> lowest_millivolts;
    std::optional<std::chrono::microseconds> fall, ramp;
    std::optional<double> plug_watts;
};

constexpr auto members_of(codec::Tag<DetachmentForm>) {
    using codec::member;
    using Form = DetachmentForm;
    return codec::members(member("level", &Form::level), member("reached", &Form::reached),
                          member("attempted", &Form::attempted), member("by", &Form::by),
                          member("emulated", &Form::emulated), member("vanished", &Form::vanished),
                          member("lowest_millivolts", &Form::lowest_millivolts), member("fall_us", &Form::fall),
                          member("ramp_us", &Form::ramp), member("plug_watts", &Form::plug_watts));
}

json to_json(const Detachment& detachment) {
    const Evidence& evidence = detachment.evidence();
    DetachmentForm form{.reached = detachment.reached(),
                        .attempted = detachment.attempted(),
                        .level = number_of(detachment.reached()),
                        .by = detachment.by(),
                        .emulated = detachment.emulated(),
                        .vanished = evidence.vanished,
                        .lowest_millivolts = {},
                        .fall = {},
                        .ramp = {},
                        .plug_watts = evidence.plug_watts};
    if (evidence.supply) {
        form.lowest_millivolts = evidence.supply->lowest_millivolts;
        form.fall = evidence.supply->fall;
        form.ramp = evidence.supply->ramp;
    }
    return codec::encode(form);
}

Result<Detachment> detachment_from_json(const json& from) {
    auto form = codec::decode<DetachmentForm>(from, "detachment");
    if (!form) return fail(std::move(form.error()));
    Evidence evidence{.vanished = form->vanished, .supply = {}, .plug_watts = form->plug_watts};
    if (form->lowest_millivolts)
        evidence.supply =
            SupplyReading{.lowest_millivolts = *form->lowest_millivolts, .fall = form->fall, .ramp = form->ramp};
    Detachment detachment(form->attempted, std::move(evidence), std::move(form->by), form->emulated);
    if (form->reached != detachment.reached() || form->level != number_of(detachment.reached()))
        return fail(Errc::bad_format,
                    fmt::format("detachment: the record claims {} (level {}), but its evidence proves {}",
                                name_of(form->reached), form->level, name_of(detachment.reached())));
    return detachment;
}

} // namespace mediarig::rig
