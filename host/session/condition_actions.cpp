// SPDX-License-Identifier: GPL-3.0-or-later
/// What is done to a medium so that each pass of a comparison meets it alike: its discard or a fill, a rest, and the
/// wait for what its format does by itself.
#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/awaitable.hpp>
#include <chrono>

#include "host/session/step_actions.hpp"
#include "host/store/record_json.hpp"
#include "host/text.hpp"

namespace mediarig::session {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

constexpr Bytes transfer = 1_MiB;
/// Takes a card a fraction of a second, and is more than a reader holds back.
constexpr Bytes pace_length = 8_MiB;
/// A medium is as it was from here on: a throttle takes more, the scatter of eight megabytes less.
constexpr double same_rate = 0.9, same_degrees = 2;
constexpr auto between_looks = 5s;

/// Writes the head of a bare medium in order.
workload::JobSpec written_in_order(const char* name, Bytes length) {
    workload::SweepJob sweep{.cells = {}, .span = length, .first_cell_fills = true};
    sweep.cells.push_back({.id = name,
                           .table = name,
                           .access = workload::Access::sequential_write,
                           .block = std::min(transfer, length),
                           .volume = length,
                           .time_limit = {}});
    workload::JobSpec job{.suite = name, .kind = std::move(sweep)};
    job.cache = workload::CachePolicy::direct;
    job.sync = workload::SyncLevel::at_end;
    return job;
}

double per_second(const workload::CellResult& cell) {
    return rate_of(cell.moved, cell.elapsed).bytes_per_second;
}

std::string amount_of(store::RestUntil until, double value) {
    return until == store::RestUntil::temperature ? fmt::format("{:.0f} degrees", value)
                                                  : fmt::format("{:.1f} MB/s", value / 1e6);
}

bool is_back(store::RestUntil until, double value, double reference) {
    return until == store::RestUntil::temperature ? value <= reference + same_degrees : value >= reference * same_rate;
}

std::string text_of(const store::Rest& rest) {
    std::string text = fmt::format("{:.0f} s", std::chrono::duration<double>(rest.waited).count());
    if (rest.until == store::RestUntil::time) return text;
    return text + fmt::format(", {} at {}, before the first pass at {}{}", store::name_of(rest.until),
                              amount_of(rest.until, rest.value), amount_of(rest.until, rest.reference),
                              rest.reached ? "" : ": not back yet, and the longest rest is over");
}

/// Of the first pass of this medium that has one; a resumed comparison goes on with it.
std::optional<store::Rest> first_rest(const MediumState& medium, store::RestUntil until) {
    for (const store::PassView& view : medium.tested.passes)
        if (view.pass.condition && view.pass.condition->rested && view.pass.condition->rested->until == until)
            return view.pass.condition->rested;
    return std::nullopt;
}

} // namespace

asio::awaitable<Result<workload::CellResult>> StepActions::write_in_order(MediumState& medium, const char* name,
                                                                          Bytes length) {
    std::optional<workload::CellResult> cell;
    agent::RunHandlers handlers;
    handlers.on_cell = [&](const workload::CellResult& result) { cell = result; };
    // Named, not written into the call: GCC 12 destroys an aggregate twice that is made inside a co_await expression.
    const agent::RunTarget target = agent::RunTarget::raw(*medium.claim);
    const workload::JobSpec job = written_in_order(name, align_down(std::min(length, medium.identity->size), 4_KiB));
    const std::vector<workload::DoneCell> none;
    auto report = co_await context_.ports.agent.run(target, job, none, std::move(handlers));
    if (!report) co_return fail(report.error());
    if (!cell || cell->end != workload::CellEnd::volume || cell->elapsed.count() <= 0)
        co_return fail(Errc::io_failed,
                       fmt::format("{} of the bare medium was not written to its end", size_text(length)));
    co_return std::move(*cell);
}

StepActions::Outcome StepActions::discard(MediumState& medium) {
    medium.discarded.reset();
    medium.condition = store::Condition{};
    auto done = co_await context_.ports.agent.discard(*medium.claim);
    if (!done) co_return fail(done.error());
    medium.discarded = *done;
    std::string words = media::text_of(*done);
    if (done->taken || !context_.plan.compare || context_.plan.compare->fill == 0_B) co_return words;
    const auto filled = co_await write_in_order(medium, "fill", context_.plan.compare->fill);
    if (!filled) co_return fail(filled.error());
    medium.condition->filled = store::Fill{.length = filled->moved, .elapsed = filled->elapsed};
    co_return fmt::format("{}; filled with {} at {:.1f} MB/s", words, size_text(filled->moved),
                          per_second(*filled) / 1e6);
}

StepActions::Done StepActions::leave_alone(std::chrono::milliseconds time) {
    co_await wait_until(context_, std::chrono::steady_clock::now() + time);
    if (auto stop = context_.stopped()) co_return fail(std::move(*stop));
    co_return Result<void>{};
}

/// The temperature, where the medium tells it; else how fast it takes a few megabytes.
asio::awaitable<Result<store::Rest>> StepActions::look_at_rest(MediumState& medium) {
    if (media::may_have_smart(*medium.identity)) {
        const auto smart = co_await context_.ports.agent.smart(medium.target);
        if (!smart && smart.error().code == Errc::cancelled) co_return fail(smart.error());
        if (smart && smart->temperature_c) {
            context_.tell(TemperatureRead{.medium = medium.ref->name, .celsius = *smart->temperature_c});
            co_return store::Rest{.until = store::RestUntil::temperature, .value = *smart->temperature_c};
        }
    }
    const auto written = co_await write_in_order(medium, "pace", pace_length);
    if (!written) co_return fail(written.error());
    co_return store::Rest{.until = store::RestUntil::rate, .value = per_second(*written)};
}

StepActions::Outcome StepActions::rest(const plan::Step& step, MediumState& medium) {
    if (auto left = co_await leave_alone(step.rest); !left) co_return fail(left.error());
    const std::chrono::milliseconds longest = context_.plan.compare->longest_rest;
    std::chrono::milliseconds waited = step.rest;
    store::Rest rest;
    for (;;) {
        auto seen = co_await look_at_rest(medium);
        if (!seen) co_return fail(seen.error());
        rest = *seen;
        const auto first = first_rest(medium, rest.until);
        // One look that happened to be quick would keep every later pass waiting.
        for (int again = 0; !first && rest.until == store::RestUntil::rate && again < 2; ++again) {
            seen = co_await look_at_rest(medium);
            if (!seen) co_return fail(seen.error());
            rest.value = std::min(rest.value, seen->value);
        }
        rest.waited = waited;
        rest.reference = first ? first->reference : rest.value;
        rest.reached = is_back(rest.until, rest.value, rest.reference);
        if (rest.reached || waited >= longest) break;
        const auto more = std::min<std::chrono::milliseconds>(between_looks, longest - waited);
        if (auto left = co_await leave_alone(more); !left) co_return fail(left.error());
        waited += more;
    }
    if (!medium.condition) medium.condition = store::Condition{};
    medium.condition->rested = rest;
    co_return text_of(rest);
}

asio::awaitable<Result<std::string>> StepActions::settle(MediumState& medium) {
    auto settled = co_await context_.ports.agent.settle(*medium.claim);
    if (!settled) co_return fail(settled.error());
    if (!medium.condition) medium.condition = store::Condition{};
    medium.condition->settled = *settled;
    co_return media::text_of(*settled);
}

} // namespace mediarig::session
