// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/lab/scenarios/operation.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>

namespace mediarig::lab {
namespace {

constexpr std::array claim_moments{Moment::before_claim, Moment::during_claim};
constexpr std::array format_moments{Moment::before_claim, Moment::during_claim, Moment::before_format,
                                    Moment::during_format};
constexpr std::array verify_moments{Moment::before_claim, Moment::during_claim, Moment::during_run};
constexpr std::array volume_moments{Moment::before_claim,  Moment::during_claim,  Moment::before_format,
                                    Moment::during_format, Moment::before_mount,  Moment::mounted,
                                    Moment::during_run,    Moment::before_unmount};
constexpr std::array reuse_moments{Moment::before_claim, Moment::during_claim, Moment::before_mount,
                                   Moment::mounted,      Moment::during_run,   Moment::before_unmount};

class Performance {
public:
    Performance(Stage& stage, const Asked& asked, const std::function<void(Moment)>& meanwhile)
        : stage_(stage), asked_(asked), meanwhile_(meanwhile) {}

    Ending play() {
        Result<void> ended = steps();
        if (claim_) {
            const auto released = stage_.machine().ask(stage_.agent().release(*claim_));
            if (!released) {
                stage_.replace_agent();
                if (ended) ended = fail(released.error());
            }
        }
        if (ended) return {.done = true, .claimed_another = another_};
        return {.code = ended.error().code, .said = ended.error().detail, .claimed_another = another_};
    }

private:
    template <class T>
    Result<T> ask(boost::asio::awaitable<Result<T>> call) {
        return stage_.machine().ask(std::move(call));
    }
    /// `moment` occurs during the call.
    template <class T>
    Result<T> ask_with(Moment moment, boost::asio::awaitable<Result<T>> call) {
        const auto pending = stage_.machine().talk.begin(std::move(call));
        try {
            meanwhile_(moment);
        } catch (...) {
            // The call belongs to an agent that outlives it.
            (void)stage_.machine().talk.finish(pending);
            throw;
        }
        return stage_.machine().talk.finish(pending);
    }

    Result<void> steps() {
        const auto medium = ask(stage_.agent().identify(asked_.target));
        if (!medium) return fail(medium.error());
        const std::string confirm = asked_.confirm.empty() ? media::confirmation_of(*medium) : asked_.confirm;
        meanwhile_(Moment::before_claim);
        const auto claimed = ask_with(Moment::during_claim, stage_.agent().claim({asked_.target, confirm}));
        if (!claimed) return fail(claimed.error());
        claim_ = claimed->claim;
        another_ = claimed->medium.disk_sequence != medium->disk_sequence;
        switch (asked_.operation) {
            case Operation::claim:
                return {};
            case Operation::format:
                return format(false);
            case Operation::table:
                return format(true);
            case Operation::verify:
                return run(agent::RunTarget::raw(*claim_), 16_MiB);
            case Operation::volume:
                if (auto formatted = format(false); !formatted) return formatted;
                return use({});
            case Operation::reuse:
                return use(1);
        }
        return {};
    }

    Result<void> format(bool table) {
        meanwhile_(Moment::before_format);
        media::FormatSpec spec{.fs = media::FileSystem::exfat};
        if (table) spec.partition = media::PartitionSpec{};
        const auto made = ask_with(Moment::during_format, stage_.agent().format(*claim_, spec));
        if (!made) return fail(made.error());
        return {};
    }

    Result<void> run(const agent::RunTarget& target, Bytes span) {
        workload::JobSpec job{.suite = "verify", .kind = workload::VerifyJob{.span = span}};
        const auto outcome = ask_with(Moment::during_run, stage_.agent().run(target, job, {}, {}));
        if (!outcome) return fail(outcome.error());
        const auto& verify = outcome->verify;
        if (!verify || !verify->verdict || *verify->verdict != workload::CapacityVerdict::good)
            return fail(Errc::io_failed,
                        fmt::format("verify found {} bytes damaged of {}", verify ? verify->damaged_bytes.count : 0,
                                    verify ? verify->claimed.count : 0));
        return {};
    }

    Result<void> use(std::optional<std::uint32_t> partition) {
        meanwhile_(Moment::before_mount);
        const auto mounted = ask(stage_.agent().mount(*claim_, media::FileSystem::exfat, partition));
        if (!mounted) return fail(mounted.error());
        meanwhile_(Moment::mounted);
        auto ended = run(agent::RunTarget::mounted(*claim_), 4_MiB);
        meanwhile_(Moment::before_unmount);
        if (auto unmounted = ask(stage_.agent().unmount(*claim_)); !unmounted) return fail(unmounted.error());
        if (!ended) return ended;
        const auto check = ask(stage_.agent().check(*claim_, media::FileSystem::exfat, partition));
        if (!check) return fail(check.error());
        if (!check->clean) return fail(Errc::io_failed, "the check found the file system damaged");
        return {};
    }

    Stage& stage_;
    const Asked& asked_;
    const std::function<void(Moment)>& meanwhile_;
    std::optional<agent::ClaimId> claim_;
    bool another_{false};
};

} // namespace

std::string_view name_of(Operation operation) {
    constexpr std::array<std::string_view, 6> names{"claim",      "format", "format in a partition",
                                                    "raw verify", "volume", "existing volume"};
    return names[static_cast<std::size_t>(operation)];
}

std::string_view name_of(Moment moment) {
    constexpr std::array<std::string_view, 9> names{"before it was identified",
                                                    "between identify and claim",
                                                    "during the claim",
                                                    "between claim and format",
                                                    "during format",
                                                    "before mount",
                                                    "while mounted",
                                                    "during the run",
                                                    "before unmount"};
    return names[static_cast<std::size_t>(moment)];
}

std::span<const Moment> moments_of(Operation operation) {
    switch (operation) {
        case Operation::claim:
            return claim_moments;
        case Operation::format:
        case Operation::table:
            return format_moments;
        case Operation::verify:
            return verify_moments;
        case Operation::volume:
            return volume_moments;
        case Operation::reuse:
            break;
    }
    return reuse_moments;
}

Ending perform(Stage& stage, const Asked& asked, const std::function<void(Moment)>& meanwhile) {
    return Performance(stage, asked, meanwhile).play();
}

} // namespace mediarig::lab
