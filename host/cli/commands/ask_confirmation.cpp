// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/cli/commands/ask_confirmation.hpp"

#include "host/app/files/nickname_file.hpp"
#include "host/app/preflight.hpp"

namespace mediarig::cli {

Result<std::string> ask_confirmation(const Console& console, const app::AgentChoice& agent, const std::string& target,
                                     WriteEffect effect) {
    const bool after_check = effect == WriteEffect::writes_back || effect == WriteEffect::forgets;
    const auto medium = app::writable_medium(
        agent, target, after_check ? app::InterruptedCheck::permitted : app::InterruptedCheck::refused);
    if (!medium) return fail(medium.error());
    console.out << std::flush;
    return confirmed_by(*console.answers, console.err, *medium,
                        app::nicknames_to_show().of(media::confirmation_of(*medium)), effect);
}

Result<void> ask_confirmations(const Console& console, const app::AgentChoice& agent, plan::Plan& plan,
                               WriteEffect effect) {
    if (console.answers == nullptr) return {};
    for (plan::MediumRef& medium : plan.media) {
        if (!plan::lacks_confirmation(plan, medium)) continue;
        auto confirmed = ask_confirmation(console, agent, medium.target(), effect);
        if (!confirmed) return fail(confirmed.error());
        medium.confirm = std::move(*confirmed);
    }
    return {};
}

} // namespace mediarig::cli
