// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/media/claim/scenarios/cell.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <chrono>
#include <iostream>
#include <map>
#include <stdexcept>
#include <thread>

#include "host/base/process/run_process.hpp"
#include "host/media/identity/medium.hpp"
#include "tests/json.hpp"
#include "tests/media/claim/scenarios/cell_evidence.hpp"
#include "tests/media/claim/scenarios/cell_stage.hpp"
#include "tests/media/claim/scenarios/dead_loop.hpp"
#include "tests/media/claim/scenarios/requests.hpp"
#include "tests/media/claim/scenarios/runner.hpp"
#include "tests/media/claim/scenarios/subject.hpp"

namespace mediarig::claim_scenarios {
namespace {

using nlohmann::json;

class CellPlayer {
public:
    CellPlayer(const BackingFolders& backing_folders, std::uint64_t number, const ScenarioSetting& setting)
        : number_(number),
          setting_(setting),
          play_(all_plays().at(setting.cells.at(number))),
          verdict_(verdict_on(play_.cell)) {
        // Start the second mediarig before the stage opens anything.
        if (play_.cell.activity == Activity::claimed) second_.emplace(std::string());
        if (play_.cell.activity == Activity::dead_loop)
            dead_loop_.emplace(backing_folders.folder_of(Backing::tmpfs) + "/" + std::to_string(number) + "-dead");
        stage_.emplace(backing_folders, std::to_string(number), play_);
        tell(stage_->describe());
    }

    ScenarioResult play() {
        before_ = stage_->content();
        begin_use();
        if (!result_.obstacle.empty()) return finish();
        for (const auto& missing : {evidence_against(stage_->use(), user_.process()), not_listed(stage_->loops())})
            result_.disagreements.insert(result_.disagreements.end(), missing.begin(), missing.end());
        stage_->change_names();
        // Start the subject after the stage: its copy of the mount table then contains the overlays of the stage.
        Subject subject{std::string()};
        judge_claim(subject);
        if (number_ % 7 == 3 && verdict_.outcome != Outcome::declared) judge_program();
        if (user_.process() > 0 && !user_.stands()) result_.obstacle = "the other program ended before mediarig";
        return finish();
    }

private:
    void tell(const std::string& text) {
        if (setting_.tell) std::cout << "  " << text << std::endl;
        result_.steps.push_back(text);
    }

    void begin_use() {
        if (second_) {
            // A process of this test may still have the file open, because it was forked a moment ago.
            auto answer = claim(*second_, stage_->use().path, false);
            for (int attempt = 0; attempt < 50 && !error_class_of(answer).empty(); ++attempt) {
                std::this_thread::sleep_for(std::chrono::milliseconds(20));
                answer = claim(*second_, stage_->use().path, false);
            }
            tell("another mediarig claims " + stage_->use().path + ": " + outcome_of(answer));
            if (!error_class_of(answer).empty())
                result_.obstacle = "the other mediarig has no claim: " + outcome_of(answer);
            return;
        }
        const int error = user_.start(stage_->use());
        tell(fmt::format("{} {}: {}", name_of(play_.cell.activity), stage_->use().path, text_for(error)));
        if (error != 0) result_.obstacle = fmt::format("the use cannot begin: {}", text_for(error));
        if (error == ENOENT && play_.cell.activity == Activity::guest) result_.obstacle = "SKIPPED: no QEMU";
    }

    std::optional<json> claim(Subject& subject, const std::string& target, bool accepts_doubt) {
        const auto described = subject.ask("identify", {{"target", target}});
        if (!error_class_of(described).empty()) return described;
        const auto medium = media::medium_from_json((*described)["result"].value("medium", json::object()));
        confirm_ = medium ? media::confirmation_of(*medium) : std::string();
        json params{{"target", target}, {"confirm", confirm_}};
        if (accepts_doubt) params[doubt_member] = true;
        ++result_.requests;
        return subject.ask("claim", params);
    }

    void judge_claim(Subject& subject) {
        const auto answer = claim(subject, stage_->target(), false);
        tell(fmt::format("claim {}: {}", stage_->target(), outcome_of(answer)));
        const std::string kind = error_class_of(answer);
        const bool granted = kind.empty();
        const bool harmless = verdict_.outcome == Outcome::permitted || verdict_.outcome == Outcome::declared;
        if (!granted && kind != "refused") result_.obstacle = "not a refusal: " + outcome_of(answer);
        ++(granted ? result_.claims : result_.claims_refused);
        if (granted == harmless) {
            if (harmless)
                format(subject, *answer);
            else
                judge_doubt(subject, outcome_of(answer));
            return;
        }
        if (granted) {
            wrong_write("the claim was granted");
            format(subject, *answer);
        } else {
            result_.wrong_refusals.push_back(fmt::format("{}: {}", name_of(play_.cell), outcome_of(answer)));
        }
    }

    /// The flag overrides a refusal because of a doubt, but no other refusal.
    void judge_doubt(Subject& subject, const std::string& refusal) {
        expect_unchanged("the claim");
        if (play_.variant > 0 && verdict_.outcome == Outcome::refused) return;
        const bool names_flag = refusal.find(doubt_flag) != std::string::npos;
        const auto answer = claim(subject, stage_->target(), true);
        tell(fmt::format("claim {} with {}: {}", stage_->target(), doubt_flag, outcome_of(answer)));
        const bool granted = error_class_of(answer).empty();
        if (verdict_.outcome == Outcome::asked) {
            if (!names_flag)
                result_.wrong_refusals.push_back(name_of(play_.cell) + ": the refusal names no flag: " + refusal);
            if (!granted)
                result_.wrong_refusals.push_back(name_of(play_.cell) + ": with the flag: " + outcome_of(answer));
        } else {
            if (granted) wrong_write("the flag lifted the refusal");
            if (names_flag) wrong_write("the refusal names the flag although it does not lift it");
        }
        if (granted) (void)subject.ask("release", {{"claim", (*answer)["result"].value("claim", 0)}});
    }

    /// The control experiment: a granted claim does change the object.
    void format(Subject& subject, const json& answer) {
        const auto number = answer["result"].value("claim", std::uint64_t{});
        const auto formatted =
            subject.ask("format", params_of({0, RequestKind::format_hfs, number_}, number, std::uint64_t{32} << 20));
        tell("format: " + outcome_of(formatted));
        (void)subject.ask("release", {{"claim", number}});
        if (!error_class_of(formatted).empty())
            result_.wrong_refusals.push_back(fmt::format("{}: format: {}", name_of(play_.cell), outcome_of(formatted)));
        const auto now = stage_->content();
        const bool changed = !difference(before_, now).empty();
        ++result_.done[static_cast<std::size_t>(RequestKind::format_hfs)];
        if (!changed && error_class_of(formatted).empty())
            result_.obstacle = "the format changed no byte of the object";
        before_ = now;
    }

    /// Repeats the check with the real program, without accepting the doubt.
    void judge_program() {
        const bool harmless = verdict_.outcome == Outcome::permitted;
        ++result_.checked;
        const std::string home = setting_.home;
        const auto finished =
            process::run_process({.program = setting_.mediarig,
                                  .arguments = {"format", stage_->target(), "--fs", "hfs+", "--confirm", confirm_},
                                  .environment = {"HOME=" + home, "XDG_DATA_HOME=" + home, "XDG_CONFIG_HOME=" + home,
                                                  "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8"}});
        if (!finished) {
            result_.obstacle = "mediarig: " + finished.error().detail;
            return;
        }
        tell(fmt::format("mediarig format: {}: {}", process::ending_of(*finished), process::first_words(*finished)));
        const int wanted = harmless ? 0 : 4;
        if (finished->exit_status == wanted && !finished->signal) {
            if (!harmless) expect_unchanged("mediarig format");
            return;
        }
        const std::string text = fmt::format("mediarig format: exit status {}, expected {}: {}", finished->exit_status,
                                             wanted, process::first_words(*finished));
        if (harmless)
            result_.wrong_refusals.push_back(name_of(play_.cell) + ": " + text);
        else
            wrong_write(text);
    }

    void expect_unchanged(const std::string& request) {
        const auto ranges = difference(before_, stage_->content());
        for (const Range& range : ranges)
            wrong_write(fmt::format("{} changed bytes {} to {}", request, range.begin, range.end),
                        range.end - range.begin);
    }

    void wrong_write(const std::string& text, std::uint64_t bytes = 0) {
        result_.wrong_writes.push_back({name_of(play_.cell), text, bytes});
    }

    ScenarioResult finish() {
        if (second_) (void)second_->finish();
        const int error = user_.end(stage_->own_name());
        if (error != 0 && result_.obstacle.empty())
            result_.obstacle = "the use cannot end: " + std::string(text_for(error));
        return std::move(result_);
    }

    std::uint64_t number_;
    const ScenarioSetting& setting_;
    CellPlay play_;
    Verdict verdict_;
    ScenarioResult result_;
    std::optional<Subject> second_;
    std::optional<DeadLoop> dead_loop_;
    std::optional<CellStage> stage_;
    CellUser user_;
    Blocks before_;
    std::string confirm_;
};

} // namespace

ScenarioResult play_cell(const BackingFolders& backing_folders, std::uint64_t number, const ScenarioSetting& setting) {
    try {
        return CellPlayer(backing_folders, number, setting).play();
    } catch (const std::exception& failed) {
        ScenarioResult result;
        result.steps.push_back(name_of(all_plays().at(setting.cells.at(number)).cell));
        result.obstacle = failed.what();
        return result;
    }
}

} // namespace mediarig::claim_scenarios
