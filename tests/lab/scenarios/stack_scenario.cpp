// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <string_view>
#include <utility>

#include "tests/lab/scenarios/scenario.hpp"

namespace mediarig::lab {
namespace {

constexpr Bytes stack_size = 128_MiB;

std::string last_line(const std::string& text) {
    std::istringstream lines(text);
    std::string last;
    for (std::string line; std::getline(lines, line);)
        if (!line.empty()) last = line;
    return last;
}

/// Common words of the refusals of a kind.
constexpr std::pair<std::string_view, std::string_view> words_of_kinds[] = {
    {"held", " is in use by "},
    {"held", " is a path of "},
    {"mounted", " mounted on "},
    {"swap", " in use as swap"},
    {"in_use", " is held exclusively "},
    {"raid_member", " carries the signature "},
    {"raid_member", " is one of "},
    {"raid_member", " belong to one "},
    {"encrypted", " data; if you do not need it"},
    {"encrypted", " data '"},
    {"not_removable", " is neither on USB, "},
    {"not_removable", " which is not a file"},
    {"partition", " is a partition of "},
};

/// True if one of the kinds, "held|mounted", is among the reasons of a refusal.
bool names_one_of(const std::string& detail, std::string_view kinds) {
    return std::ranges::any_of(words_of_kinds, [&](const auto& each) {
        return ('|' + std::string(kinds) + '|').find('|' + std::string(each.first) + '|') != std::string::npos &&
               detail.find(each.second) != std::string::npos;
    });
}

bool has_serial_in_stack(std::uint8_t slot) {
    return slot <= 3 || slot == 8 || slot == Stage::bystander_slot;
}

class StackPlay {
public:
    StackPlay(Stage& stage, const StackScenario& scenario)
        : stage_(stage),
          scenario_(scenario),
          here_(stage.make_card("target", serial("T", scenario.slot), stack_size, 0)),
          beside_(stage.make_card("beside", serial("A", other_slot), stack_size, 7)),
          third_(stage.make_card("third", serial("B", third_slot), stack_size, 0)) {}

    Verdict play() {
        const std::string node = stage_.plug(scenario_.slot, here_), other = stage_.plug(other_slot, beside_);
        const std::string third = scenario_.beside ? stage_.plug(third_slot, third_) : std::string();
        // Other cards: the stack is on the two cards that are not requested.
        names_ = scenario_.beside ? fmt::format("T={} A={}\n", other, third) : fmt::format("T={} A={}\n", node, other);
        target_ = node;
        if (scenario_.moment == Moment::before_identify) build();
        if (!verdict_.wrong.empty()) return verdict_;
        const bool named = !scenario_.stack->target.empty() && !scenario_.beside;
        const Ending ending =
            perform(stage_, {scenario_.operation, target_, named ? std::string() : here_.serial}, [&](Moment moment) {
                if (moment == scenario_.moment) build();
            });
        verdict_.done = ending.done;
        verdict_.refused = !ending.done && ending.code == Errc::refused;
        verdict_.ending = ending.done ? "done" : fmt::format("{}: {}", name_of(ending.code), ending.said);
        if (!told_)
            wrong("the moment never came: " + verdict_.ending);
        else
            judge(ending);
        return verdict_;
    }

private:
    static constexpr std::uint8_t other_slot = 2, third_slot = 3;
    static std::string serial(const char* name, std::uint8_t slot) {
        return has_serial_in_stack(slot) ? fmt::format("CARD-{}", name) : std::string();
    }
    void wrong(std::string what) { verdict_.wrong.push_back(std::move(what)); }

    void build() {
        told_ = true;
        const std::string target(scenario_.beside ? std::string_view{} : scenario_.stack->target);
        const auto made = stage_.script(names_ + std::string(scenario_.stack->script) + "\necho target " +
                                        (target.empty() ? "$T" : target));
        stands_ = made.exit_status == 0;
        why_not_ = last_line(made.output);
        if (scenario_.moment == Moment::before_identify) {
            if (!stands_) return wrong("the stack cannot be made: " + why_not_);
            const std::string line = last_line(made.output);
            if (!scenario_.beside) target_ = line.substr(line.rfind(' ') + 1);
        }
        // While the agent writes, the bytes of the medium keep changing.
        before_ = concurrent(scenario_.moment) ? stage_.now() : stage_.settled();
    }

    void judge(const Ending& ending) {
        const auto after = stage_.settled();
        const bool ours_to_write = scenario_.beside || !stands_;
        for (const auto& [name, bytes] : after) {
            if (name == here_.name && (ours_to_write || concurrent(scenario_.moment))) continue;
            // A stack made while the agent is busy writes on its other cards.
            if (concurrent(scenario_.moment) && name != "bystander") continue;
            if (const std::string changed = bytes.changed_since(before_.at(name)); !changed.empty())
                wrong(fmt::format("written on {}: {}", name, changed));
        }
        if (stands_ && stage_.script("look").exit_status != 0) wrong("what the stack held is lost");
        if (scenario_.beside && !ending.done) wrong("a stack beside it kept the operation from being done");
        if (scenario_.beside || !stands_) return;
        if (ending.done) return wrong("done although the stack still exists");
        if (scenario_.moment == Moment::before_identify || scenario_.moment == Moment::before_claim) {
            // Mounts made after the start of the agent are not in its mount namespace.
            const bool unseen = !scenario_.stack->target.empty() && ending.code == Errc::bad_request;
            if (unseen) return;
            if (ending.code != Errc::refused)
                wrong("an error instead of a refusal");
            else if (!names_one_of(ending.said, scenario_.stack->refusals))
                wrong(fmt::format("refused for another reason than {}", scenario_.stack->refusals));
        }
    }

    Stage& stage_;
    const StackScenario& scenario_;
    Card here_, beside_, third_;
    std::string names_, target_, why_not_;
    bool told_{false}, stands_{false};
    std::map<std::string, Snapshot> before_;
    Verdict verdict_;
};

} // namespace

std::string title_of(const StackScenario& scenario) {
    return fmt::format("{}{} {}, then {} in slot {}", scenario.stack->name, scenario.beside ? " beside it" : "",
                       name_of(scenario.moment), name_of(scenario.operation), scenario.slot);
}

Verdict play(Stage& stage, const StackScenario& scenario) {
    return StackPlay(stage, scenario).play();
}

} // namespace mediarig::lab
