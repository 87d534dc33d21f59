// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/media/claim/scenarios/tally.hpp"
#include "tests/json.hpp"

#include <fmt/format.h>

#include <cctype>
#include <iostream>

namespace mediarig::claim_scenarios {
namespace {

using nlohmann::json;

/// Removes the parts that differ between scenarios: numbers and quoted names.
std::string kind_of(const std::string& text) {
    std::string kind;
    bool digits = false;
    for (std::size_t i = 0; i < text.size() && kind.size() < 150; ++i) {
        if (text[i] == '/' && (text.compare(i, 5, "/tmp/") == 0 || text.compare(i, 5, "/run/") == 0)) {
            while (i < text.size() && text[i] != ' ' && text[i] != '\'' && text[i] != ':') ++i;
            kind += "PATH";
            if (i >= text.size()) break;
        }
        const bool digit = std::isdigit(static_cast<unsigned char>(text[i])) != 0;
        if (!digit)
            kind += text[i];
        else if (!digits)
            kind += 'N';
        digits = digit;
    }
    return kind;
}

} // namespace

json to_json(const ScenarioResult& result) {
    json writes = json::array();
    for (const WrongWrite& wrong : result.wrong_writes)
        writes.push_back({{"kind", wrong.kind}, {"text", wrong.text}, {"bytes", wrong.bytes}});
    return {{"steps", result.steps},
            {"wrong_writes", writes},
            {"wrong_refusals", result.wrong_refusals},
            {"disagreements", result.disagreements},
            {"trouble", result.obstacle},
            {"counts",
             {result.requests, result.claims, result.claims_refused, result.mutations, result.beside, result.checked,
              result.planted, result.planted_at_end}},
            {"done", result.done},
            {"claim_ms", result.claim_ms},
            {"bytes", result.bytes_written}};
}

ScenarioResult scenario_result_from(const json& value) {
    ScenarioResult result;
    result.steps = value.at("steps").get<std::vector<std::string>>();
    for (const json& wrong : value.at("wrong_writes"))
        result.wrong_writes.push_back({wrong.at("kind"), wrong.at("text"), wrong.at("bytes")});
    result.wrong_refusals = value.at("wrong_refusals").get<std::vector<std::string>>();
    result.disagreements = value.at("disagreements").get<std::vector<std::string>>();
    result.obstacle = value.at("trouble");
    const auto counts = value.at("counts").get<std::vector<int>>();
    result.requests = counts.at(0);
    result.claims = counts.at(1);
    result.claims_refused = counts.at(2);
    result.mutations = counts.at(3);
    result.beside = counts.at(4);
    result.checked = counts.at(5);
    result.planted = counts.at(6);
    result.planted_at_end = counts.at(7);
    result.done = value.at("done").get<decltype(result.done)>();
    result.claim_ms = value.at("claim_ms");
    result.bytes_written = value.at("bytes");
    return result;
}

void Tally::add_kind(std::map<std::string, Kind>& kinds, const std::string& kind, std::uint64_t number,
                     const ScenarioResult& result, const std::string& text, std::uint64_t bytes) {
    Kind& known = kinds[kind];
    ++known.scenarios;
    known.bytes += bytes;
    if (result.steps.size() >= known.steps) return;
    known.steps = result.steps.size();
    known.shortest = number;
    known.text = text;
    known.told = result.steps;
}

void Tally::add(std::uint64_t number, const ScenarioResult& result) {
    ++scenarios_;
    with_wrong_writes_ += result.wrong_writes.empty() ? 0 : 1;
    with_wrong_refusals_ += result.wrong_refusals.empty() ? 0 : 1;
    bytes_ += result.bytes_written;
    requests_ += static_cast<std::uint64_t>(result.requests);
    claims_ += static_cast<std::uint64_t>(result.claims);
    refused_ += static_cast<std::uint64_t>(result.claims_refused);
    mutations_ += static_cast<std::uint64_t>(result.mutations);
    beside_ += static_cast<std::uint64_t>(result.beside);
    checked_ += static_cast<std::uint64_t>(result.checked);
    for (std::size_t kind = 0; kind < done_.size(); ++kind)
        done_[kind] += static_cast<std::uint64_t>(result.done[kind]);
    longest_claim_ms_ = std::max(longest_claim_ms_, result.claim_ms);
    for (const WrongWrite& wrong : result.wrong_writes)
        add_kind(wrong_writes_, wrong.kind, number, result, wrong.text, wrong.bytes);
    for (const std::string& text : result.wrong_refusals)
        add_kind(wrong_refusals_, kind_of(text), number, result, text, 0);
    for (const std::string& text : result.disagreements)
        add_kind(disagreements_, kind_of(text), number, result, text, 0);
    if (!result.obstacle.empty()) add_kind(troubles_, kind_of(result.obstacle), number, result, result.obstacle, 0);
}

void Tally::print_kinds(const char* title, const std::map<std::string, Kind>& kinds, const std::string& again) {
    for (const auto& [name, kind] : kinds) {
        std::cout << fmt::format("{}: {} ({} scenarios", title, name, kind.scenarios);
        if (kind.bytes > 0) std::cout << fmt::format(", {} KiB", kind.bytes >> 10);
        std::cout << fmt::format(")\n  shortest: {} {}: {}\n", again, kind.shortest, kind.text);
        for (const std::string& step : kind.told) std::cout << "    " << step << '\n';
    }
}

void Tally::print(const std::string& again) const {
    print_kinds("WRONG WRITE", wrong_writes_, again);
    print_kinds("WRONG REFUSAL", wrong_refusals_, again);
    print_kinds("REFERENCE CHECKERS DISAGREE", disagreements_, again);
    print_kinds("TROUBLE", troubles_, again);
    std::cout << fmt::format(
        "{} scenarios: {} with wrong writes, {} with wrong refusals, {} troubles, {} disagreements in {} asked of "
        "reference checkers\n"
        "{} requests, {} claims made, {} refused, {} changes by others, {} KiB written, {} writes into what came into "
        "use unseen; the longest claim took {:.1f} ms\n",
        scenarios_, with_wrong_writes_, with_wrong_refusals_, troubles_.size(), disagreements_.size(), checked_,
        requests_, claims_, refused_, mutations_, bytes_ >> 10, beside_, longest_claim_ms_);
    std::cout << "carried out:";
    for (std::size_t kind = 0; kind < done_.size(); ++kind)
        if (static_cast<RequestKind>(kind) != RequestKind::claim)
            std::cout << fmt::format(" {} {}", name_of(static_cast<RequestKind>(kind)), done_[kind]);
    std::cout << '\n';
    for (const std::string& kind : never_done()) std::cout << "TROUBLE: never carried out: " << kind << '\n';
}

std::vector<std::string> Tally::never_done() const {
    using enum RequestKind;
    // A small number of scenarios may not include some of these requests.
    constexpr std::uint64_t enough = 400;
    std::vector<std::string> kinds;
    for (const RequestKind kind :
         {discard, format_hfs, format_exfat, check_hfs, mount, run_raw, run_folder, unmount, release})
        if (scenarios_ >= enough && done_[static_cast<std::size_t>(kind)] == 0) kinds.emplace_back(name_of(kind));
    if (claims_ == 0) kinds.emplace_back(name_of(claim));
    return kinds;
}

bool Tally::good() const {
    return scenarios_ > 0 && wrong_writes_.empty() && wrong_refusals_.empty() && troubles_.empty() &&
           disagreements_.empty() && never_done().empty();
}

} // namespace mediarig::claim_scenarios
