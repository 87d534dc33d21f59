// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/media/claim/scenarios/scenario.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <optional>

#include "host/media/identity/medium.hpp"
#include "tests/json.hpp"
#include "tests/media/claim/scenarios/mutations.hpp"
#include "tests/media/claim/scenarios/requests.hpp"
#include "tests/media/claim/scenarios/subject.hpp"

namespace mediarig::claim_scenarios {
namespace {

using nlohmann::json;

/// Paths with control characters cannot be targets.
bool has_control_characters(const std::string& path) {
    return std::any_of(path.begin(), path.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

/// Replaces line breaks and tabs.
std::string in_one_line(std::string text) {
    for (std::size_t at = 0; (at = text.find_first_of("\n\t", at)) != std::string::npos;)
        text.replace(at, 1, text[at] == '\n' ? "\\n" : "\\t");
    return text;
}

class Player {
public:
    Player(const BackingFolders& backing_folders, std::uint64_t number, const ScenarioSetting& setting)
        : number_(number), setting_(setting), rng_(Rng(setting.start).next() ^ (number * 0x9e3779b97f4a7c15ULL)) {
        Rng subjects = rng_.branch();
        const int count = subjects.chance(9) ? 2 : 1;
        const bool program = number % 10 == 9 && !setting.agent.empty();
        for (int i = 0; i < count; ++i)
            subjects_.push_back(std::make_unique<Subject>(program ? setting.agent : std::string()));
        tell(fmt::format("{} {}", count, program ? "mediarig-agent" : "backend in a child of this program"));
        scenario_.emplace(backing_folders, number, rng_.branch());
        tell(scenario_->describe());
        mutator_.emplace(*scenario_, others_);
        oracle_.emplace(*scenario_, others_);
        mutator_->touched.assign(scenario_->files().size(), false);
        note_databases();
        // Each part of the scenario draws from a separate generator.
        calm_ = rng_.chance(18);
    }

    ScenarioResult play() {
        prepare();
        oracle_->look();
        Rng plan = rng_.branch();
        for (const PlannedRequest& request : plan_requests(plan, subjects_.size() == 2)) {
            carry_out(request, rng_.branch());
            if (!result_.obstacle.empty()) break;
            if (number_ % 50 == 7 && rng_.chance(30)) check_model();
        }
        finish();
        return std::move(result_);
    }

private:
    void tell(const std::string& text) {
        const std::string step = in_one_line(text);
        if (setting_.tell) std::cout << "  " << step << std::endl;
        result_.steps.push_back(step);
    }

    /// Makes the initial uses and chooses the target of the claim.
    void prepare() {
        Rng rng = rng_.branch();
        const auto& names = scenario_->names();
        focus_.target = rng.pick(names);
        focus_.file = scenario_->file_at(focus_.target);
        const std::size_t kind = rng.weighted({58, 30, 7, 5});
        if (kind > 0) {
            tell("before: " + mutator_->attach_loop(rng, static_cast<int>(rng.below(scenario_->files().size()))));
            if (!others_.loops.empty()) aim_at_device(kind);
        }
        if (!calm_)
            for (std::size_t i = rng.weighted({45, 35, 15, 5}); i > 0; --i)
                tell("before: " + mutator_->use(rng.branch(), focus_));
        tell("target: " + focus_.target);
    }

    void aim_at_device(std::size_t kind) {
        const ForeignLoop& loop = others_.loops.front();
        focus_.file = loop.file;
        focus_.target = loop_node(loop.loop.number);
        if (kind == 2 && make_block_node(alias_path(*scenario_, 0), loop.loop.number) == 0)
            focus_.target = alias_path(*scenario_, 0);
        if (kind == 3 && loop.range.end - loop.range.begin > 2 * mib &&
            add_partition(loop.loop.fd.get(), 9, mib, mib) == 0)
            focus_.target = partition_node(loop.loop.number, 9);
    }

    /// Records the database files: they must not be erased under any name.
    void note_databases() {
        for (std::size_t i = 0; i < scenario_->files().size(); ++i) {
            const auto& contents = scenario_->files()[i].contents;
            if (!contents.empty() && contents.front().kind == ContentKind::database)
                others_.add({.kind = UseKind::foreign_content,
                             .text = "a database",
                             .file = static_cast<int>(i),
                             .range = {0, ~std::uint64_t{0}}});
        }
    }

    /// Range that the target names at this moment.
    [[nodiscard]] std::optional<Place> target_place() {
        const int file = scenario_->file_at(focus_.target);
        if (file >= 0) return Place{file, {0, scenario_->files()[static_cast<std::size_t>(file)].size}};
        struct stat status {};
        if (::stat(focus_.target.c_str(), &status) != 0 || !S_ISBLK(status.st_mode) ||
            major(status.st_rdev) != loop_major)
            return std::nullopt;
        const ForeignLoop* loop = others_.loop_of(static_cast<int>(minor(status.st_rdev)));
        if (loop == nullptr) return std::nullopt;
        return Place{loop->file, loop->range};
    }

    /// True if a claim of the target may be refused although it is unused. Sets `target_loop`.
    [[nodiscard]] bool may_be_refused(int& target_loop) {
        struct stat status {};
        target_loop = -1;
        std::error_code unreadable;
        const std::string real = std::filesystem::canonical(focus_.target, unreadable);
        if (unreadable || ::stat(real.c_str(), &status) != 0 || has_control_characters(real)) return true;
        if (S_ISBLK(status.st_mode) && major(status.st_rdev) == loop_major)
            target_loop = static_cast<int>(minor(status.st_rdev));
        // A loop device is also refused by the name of its backing file, and sysfs does not report such names exactly.
        if (S_ISBLK(status.st_mode) && std::ranges::any_of(scenario_->plain_names(), has_control_characters))
            return true;
        // The file of a file system that was mounted directly is known only by its path, which may name another file
        // now.
        if (S_ISREG(status.st_mode))
            return std::ranges::any_of(others_.uses,
                                       [](const Use& use) { return use.kind == UseKind::file_mount && use.stands(); });
        if (target_loop < 0) return true; // a partition
        const ForeignLoop* loop = others_.loop_of(target_loop);
        // The users of a file on an overlay are unknown below a loop device of another program.
        if (scenario_->backing() == Backing::overlay) return true;
        // A hard link may be in a layer of the scenarios' overlay, which is on the same tmpfs.
        if (loop != nullptr && scenario_->backing() == Backing::tmpfs && has_hard_links(loop->file)) return true;
        if (std::ranges::any_of(others_.uses,
                                [](const Use& use) { return use.stands() && use.route == Route::upper_elsewhere; }))
            return true;
        // The file of a directly mounted file system is unknown too.
        if (std::ranges::any_of(others_.uses, [](const Use& use) { return use.kind == UseKind::file_mount; }))
            return true;
        return loop == nullptr || loop->read_only || loop->on_loop || loop->range.end - loop->range.begin < mib ||
               loop->range.end > scenario_->files()[static_cast<std::size_t>(loop->file)].size;
    }

    void change(Rng rng, const std::string& when) {
        ++others_.now;
        const int claimed = focus_.claimed_loop;
        const std::string told = mutator_->mutate(rng, focus_);
        ++others_.now;
        ++result_.mutations;
        if (told.starts_with("move the window of the claimed") && told.ends_with("ok"))
            for (auto& [subject, claim] : claims_)
                if (claim.loop == claimed) claim.moved = others_.now;
        tell(when + ": " + told);
        if (auto place = target_place()) targets_.push_back(*place);
        // A use that ends before the answer can also have caused the refusal.
        for (auto& [subject, claim] : claims_)
            if (!is_clean(claim, subject)) claim.disturbed = others_.now;
        if (claiming_ && others_.anybody_on(claiming_->file, claiming_beside_, -1)) claiming_.reset();
    }

    void carry_out(const PlannedRequest& request, Rng rng) {
        const auto held = claims_.find(request.subject);
        if (request.kind == RequestKind::claim) {
            if (held == claims_.end()) claim(request, rng);
            return;
        }
        if (held == claims_.end()) return;
        focus_on(held->second);
        const bool clean_before = is_clean(held->second, request.subject);
        if (!calm_ && rng.chance(30)) change(rng.branch(), "between");
        const json params = params_of(request, held->second.id, size_of(held->second.place));
        const auto began = ++others_.now;
        targets_.clear();
        const auto answer = ask(request, params, rng);
        tell(fmt::format("{} {}: {}", subject_name(request.subject), name_of(request.kind), outcome_of(answer)));
        note(request, answer, clean_before, began);
    }

    void note(const PlannedRequest& request, const std::optional<json>& answer, bool clean_before, int began) {
        HeldClaim& claim = claims_.at(request.subject);
        const std::string wrong = error_class_of(answer);
        if (setting_.plant) plant(claim);
        oracle_->judge(request.subject, began, name_of(request.kind), claims_);
        if (!answer) {
            result_.obstacle =
                fmt::format("{} gave no answer to {}", subject_name(request.subject), name_of(request.kind));
            return;
        }
        if (wrong.empty()) ++result_.done[static_cast<std::size_t>(request.kind)];
        if (wrong.empty() && request.kind == RequestKind::mount) claim.mounted = true;
        if (wrong.empty() && request.kind == RequestKind::unmount) claim.mounted = false;
        const bool sense =
            wrong != "bad_request" && wrong != "no_driver" && wrong != "host_fault" && wrong != "bad_format";
        if (!wrong.empty() && sense && clean_before && claim.disturbed < began && is_clean(claim, request.subject))
            result_.wrong_refusals.push_back(fmt::format("{}: {}", name_of(request.kind), outcome_of(answer)));
        if (wrong.empty() && request.kind == RequestKind::release) forget(request.subject);
    }

    std::optional<json> ask(const PlannedRequest& request, const json& params, Rng& rng) {
        ++result_.requests;
        Rng halts = rng.branch();
        Rng middle = rng.branch();
        const bool at_halts = !calm_ && halts.chance(30);
        const int halt = static_cast<int>(halts.below(4));
        const bool after = halts.chance(50);
        // The time of such a change within a request depends on the load of the machine, but the test suite runs only
        // repeatable scenarios.
        static const bool thorough = std::getenv("MEDIARIG_THOROUGH") != nullptr;
        const bool in_the_middle = thorough && !calm_ && middle.chance(request.kind == RequestKind::claim ? 30 : 18);
        // The delay starts at 0; shorter delays are more probable.
        const int delay = in_the_middle ? static_cast<int>(middle.below(std::size_t{1} << (3 + middle.below(14)))) : -1;
        const auto at_halt = [&, this](const Halt& now) {
            // The range is known only if nothing has changed since the request began.
            if (now.after && now.call == 0 && targets_.size() == 1) seen_first_ = targets_.front();
            if (at_halts && now.call == halt && now.after == after)
                change(halts.branch(),
                       fmt::format("{} look {} of {}", after ? "after" : "before", halt, name_of(request.kind)));
        };
        return subjects_[static_cast<std::size_t>(request.subject)]->ask(
            name_of_method(request.kind), params, at_halt, delay,
            [&] { change(middle.branch(), fmt::format("{} us into {}", delay, name_of(request.kind))); });
    }

    void claim(const PlannedRequest& request, Rng rng) {
        focus_.claimed_loop = -1;
        focus_.claimed_file = -1;
        if (!calm_ && rng.chance(25)) change(rng.branch(), "between");
        // Changes that were made during an active claim still count for that claim.
        if (claims_.empty()) mutator_->touched.assign(mutator_->touched.size(), false);
        int target_loop = -1;
        auto place = target_place();
        bool clean = place && !may_be_refused(target_loop) && !others_.anybody_on(place->file, target_loop, -1) &&
                     is_writable(place->file);
        if (clean) claiming_ = place;
        claiming_beside_ = target_loop;
        Subject& subject = *subjects_[static_cast<std::size_t>(request.subject)];
        const auto described = subject.ask("identify", {{"target", focus_.target}});
        ++result_.requests;
        if (const std::string wrong = error_class_of(described); !wrong.empty()) {
            tell(fmt::format("{} identify: {}", subject_name(request.subject), outcome_of(described)));
            if (clean && claiming_) result_.wrong_refusals.push_back("identify: " + outcome_of(described));
            return;
        }
        const ForeignLoop* const looked_at = others_.loop_of(target_loop);
        const auto medium = media::medium_from_json((*described)["result"].value("medium", json::object()));
        const std::string confirm = medium ? media::confirmation_of(*medium) : std::string();
        if (!calm_ && rng.chance(15)) change(rng.branch(), "after identify");

        targets_.clear();
        seen_first_.reset();
        if (const auto now = target_place()) targets_.push_back(*now);
        const int began = ++others_.now;
        const int changes = result_.mutations;
        const auto start = std::chrono::steady_clock::now();
        json params{{"target", focus_.target}, {"confirm", confirm}};
        auto answer = ask(request, params, rng);
        const bool doubt = outcome_of(answer).find(doubt_flag) != std::string::npos && rng.chance(70);
        if (doubt) {
            tell(fmt::format("{} claim '{}': {}", subject_name(request.subject), focus_.target, outcome_of(answer)));
            params[doubt_member] = true;
            answer = ask(request, params, rng);
        }
        const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
        ++others_.now;
        tell(fmt::format("{} claim '{}': {}", subject_name(request.subject), focus_.target, outcome_of(answer)));
        oracle_->judge(request.subject, began, "claim", claims_);
        if (!answer) {
            result_.obstacle = subject_name(request.subject) + " gave no answer to claim";
            return;
        }
        place = target_place();
        clean = clean && claiming_ && place && others_.loop_of(target_loop) == looked_at &&
                !others_.anybody_on(place->file, target_loop, -1) &&
                !mutator_->touched[static_cast<std::size_t>(place->file)];
        if (!error_class_of(answer).empty()) {
            ++result_.claims_refused;
            if (clean) result_.wrong_refusals.push_back("claim: " + outcome_of(answer));
            return;
        }
        ++result_.claims;
        if (result_.mutations == changes) result_.claim_ms = std::max(result_.claim_ms, took.count());
        resume_or_restart(request.subject, (*answer)["result"], began, target_loop);
        claims_.at(request.subject).doubt_accepted = doubt;
    }

    /// Records the range that the claim holds according to the kernel, and checks that it was requested.
    void resume_or_restart(int subject, const json& result, int began, int target_loop) {
        HeldClaim claim;
        claim.id = result.value("claim", 0);
        claim.asked = began;
        const std::string node = result.value("medium", json::object()).value("node", "");
        if (node.starts_with("/dev/loop")) claim.loop = std::atoi(node.c_str() + 9);
        bool on_loop = false;
        const auto place = claim.loop >= 0 ? place_of_loop(*scenario_, claim.loop, on_loop) : std::nullopt;
        if (place) claim.place = *place;
        if (!place) {
            claim.not_named = "the claimed range is in no file of the scenario";
        } else if (std::find(targets_.begin(), targets_.end(), *place) == targets_.end()) {
            claim.not_named = "the target never named the claimed range";
        } else if (seen_first_ && seen_first_->file != place->file) {
            claim.not_named = "the claimed file is not the file that was checked first";
        }
        for (const auto& [other, standing] : claims_)
            if (place && other != subject && standing.moved < 0 && standing.place.file == place->file &&
                standing.place.range.overlaps(place->range))
                claim.not_named = "another mediarig holds the claimed range";
        if (place) {
            tell(fmt::format("    holds {} with {}-{} of '{}'{}{}", node, place->range.begin, place->range.end,
                             scenario_->files()[static_cast<std::size_t>(place->file)].name,
                             claim.not_named.empty() ? "" : ": ", claim.not_named));
            ++others_.now;
            claim.use = &others_.add({.kind = UseKind::claimed,
                                      .text = "claimed by " + subject_name(subject),
                                      .file = place->file,
                                      .range = place->range,
                                      .subject = subject});
        }
        claim.target_loop = target_loop;
        claims_[subject] = claim;
        focus_on(claim);
    }

    /// Fails for a swap file.
    bool write_block(std::size_t file, std::uint64_t offset) {
        const Blocks block{{0, std::string(block_size, static_cast<char>(++others_.now % 255 + 1))}};
        const Descriptor open(::open(fmt::format("/proc/self/fd/{}", scenario_->files()[file].handle.get()).c_str(),
                                     O_WRONLY | O_CLOEXEC));
        if (open) write_blocks(open.get(), offset, block);
        return bool(open);
    }

    /// Plants one write into another file, and one into a range that is marked as in use since before the claim.
    void plant(const HeldClaim& claim) {
        if (claim.place.file < 0 || !claim.not_named.empty() || claim.moved >= 0 || claims_.size() > 1) return;
        const auto mine = static_cast<std::size_t>(claim.place.file);
        if (!write_block((mine + 1) % scenario_->files().size(), 0) || !write_block(mine, claim.place.range.begin))
            return;
        ++result_.planted;
        Use& use = others_.add(
            {.kind = UseKind::file_mapped, .text = "a plant", .file = claim.place.file, .range = claim.place.range});
        use.began = 0;
    }

    void forget(int subject) {
        ++others_.now;
        if (Use* use = claims_.at(subject).use) use->ended = others_.now;
        claims_.erase(subject);
        focus_.claimed_loop = focus_.claimed_file = -1;
    }

    void focus_on(const HeldClaim& claim) {
        focus_.claimed_loop = claim.place.file >= 0 ? claim.loop : -1;
        focus_.claimed_file = claim.place.file;
        focus_.claimed_range = claim.place.range;
    }
    [[nodiscard]] bool is_clean(const HeldClaim& claim, int subject) {
        return claim.place.file >= 0 && claim.not_named.empty() && claim.moved < 0 &&
               !others_.anybody_on(claim.place.file, claim.target_loop, subject) &&
               !mutator_->touched[static_cast<std::size_t>(claim.place.file)];
    }
    [[nodiscard]] bool has_hard_links(int file) {
        struct stat status {};
        const std::string path =
            fmt::format("/proc/self/fd/{}", scenario_->files()[static_cast<std::size_t>(file)].handle.get());
        return ::stat(path.c_str(), &status) == 0 && status.st_nlink > 1;
    }
    [[nodiscard]] bool is_writable(int file) {
        struct stat status {};
        const std::string path =
            fmt::format("/proc/self/fd/{}", scenario_->files()[static_cast<std::size_t>(file)].handle.get());
        return ::stat(path.c_str(), &status) == 0 && (status.st_mode & 0200) != 0;
    }
    [[nodiscard]] static std::uint64_t size_of(const Place& place) { return place.range.end - place.range.begin; }
    [[nodiscard]] std::string subject_name(int subject) const {
        return subjects_.size() == 1 ? "mediarig" : fmt::format("mediarig {}", subject + 1);
    }

    void check_model() {
        ++result_.checked;
        for (const std::string& what : ask_reference_checkers(*scenario_, others_)) {
            tell("reference checkers: " + what);
            result_.disagreements.push_back(what);
        }
    }

    void finish() {
        const int began = ++others_.now;
        for (auto& subject : subjects_) {
            const std::string end = subject->finish();
            if (!end.empty() && result_.obstacle.empty()) result_.obstacle = "mediarig " + end;
        }
        for (const auto& [subject, claim] : claims_) oracle_->judge(subject, began, "its end", claims_);
        claims_.clear();
        if (setting_.plant && write_block(0, 0)) ++result_.planted_at_end;
        oracle_->judge(0, ++others_.now, "changes after the end", claims_);
        result_.wrong_writes = oracle_->wrong;
        result_.beside = oracle_->beside;
        for (const std::string& what : mutator_->disagreements) result_.disagreements.push_back(what);
        result_.bytes_written = oracle_->bytes_written;
    }

    std::uint64_t number_;
    ScenarioSetting setting_;
    Rng rng_;
    ScenarioResult result_;
    std::vector<std::unique_ptr<Subject>> subjects_;
    std::optional<ScenarioFiles> scenario_;
    OtherPrograms others_;
    std::optional<Mutator> mutator_;
    std::optional<Oracle> oracle_;
    Focus focus_;
    std::map<int, HeldClaim> claims_;
    std::vector<Place> targets_;    ///< all ranges that the target named during the claim request
    std::optional<Place> claiming_; ///< the requested range while no other program uses it
    int claiming_beside_{-1};       ///< the target's number, if the target is a loop device of another program
    std::optional<Place>
        seen_first_; ///< range that the target named during the subject's whole first check, if the subject halts there
    bool calm_{};    ///< true if no other program makes changes
};

} // namespace

ScenarioResult play_scenario(const BackingFolders& backing_folders, std::uint64_t number,
                             const ScenarioSetting& setting) {
    return Player(backing_folders, number, setting).play();
}

} // namespace mediarig::claim_scenarios
