// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/session/step_keys.hpp"

namespace mediarig::session {

bool belongs_to_format(const plan::Step& step) {
    using plan::StepKind;
    switch (step.kind) {
        case StepKind::discard:
        case StepKind::rest:
        case StepKind::format:
        case StepKind::mount:
        case StepKind::run:
        case StepKind::check:
        case StepKind::unmount:
            return true;
        default:
            return false;
    }
}

bool leaves_a_gap(const plan::Step& step) {
    using plan::StepKind;
    return step.kind == StepKind::run || step.kind == StepKind::format || step.kind == StepKind::check;
}

bool is_cleanup(const plan::Step& step) {
    using plan::StepKind;
    return step.kind == StepKind::release || step.kind == StepKind::unmount || step.kind == StepKind::unload;
}

std::uint32_t hash_of(std::string_view text) {
    std::uint32_t hash = 2166136261;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619;
    return hash;
}

std::string format_part(const plan::Step& step) {
    constexpr int parts = 3; // medium, repeat, format
    std::size_t end = step.key.find('.');
    for (int i = 1; i < parts && end != std::string::npos; ++i) end = step.key.find('.', end + 1);
    return step.key.substr(0, end);
}

} // namespace mediarig::session
