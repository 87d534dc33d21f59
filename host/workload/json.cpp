// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/json.hpp"

#include <atomic>
#include <string>
#include <utility>

#include "host/base/json/codec.hpp"
#include "host/measure/json.hpp"
#include "host/workload/outcome.hpp"

namespace mediarig::workload {
namespace {

using nlohmann::json;

constexpr std::size_t most_cells = 4096;
constexpr std::size_t longest_id = 200;
constexpr std::size_t largest_given = std::size_t{1} << 20;
constexpr std::uint64_t deepest_queue_told = 4096;
constexpr std::size_t most_seconds = 1'000'000; // eleven days in one cell
constexpr std::size_t most_findings = 10'000;
constexpr std::size_t most_ranges = 10'000;
constexpr std::size_t most_speeds = 2;
constexpr std::uint64_t most_rounds = 1000;
constexpr std::size_t most_levels = 15;
constexpr std::uint64_t most_people = 1000;

std::atomic<std::uint64_t> cells_encoded{0}, cells_decoded{0};

json hex_of(const std::vector<std::uint8_t>& bytes) {
    constexpr char digits[] = "0123456789abcdef";
    std::string text;
    text.reserve(bytes.size() * 2);
    for (const std::uint8_t byte : bytes) {
        text += digits[byte >> 4];
        text += digits[byte & 15];
    }
    return text;
}

int digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

Result<std::vector<std::uint8_t>> bytes_from_hex(const json& from) {
    const auto* text = from.get_ptr<const std::string*>();
    if (text == nullptr || text->size() % 2 != 0) return fail(Errc::bad_format, "must be hexadecimal");
    if (text->size() > largest_given * 2)
        return fail(Errc::bad_format, "must have at most " + std::to_string(largest_given) + " bytes");
    std::vector<std::uint8_t> bytes;
    bytes.reserve(text->size() / 2);
    for (std::size_t i = 0; i < text->size(); i += 2) {
        const int high = digit((*text)[i]);
        const int low = digit((*text)[i + 1]);
        if (high < 0 || low < 0) return fail(Errc::bad_format, "must be hexadecimal");
        bytes.push_back(static_cast<std::uint8_t>(high * 16 + low));
    }
    return bytes;
}

bool has_its_bytes(const Payload& payload) {
    return payload.kind != PayloadKind::given || !payload.given.empty();
}

} // namespace

using codec::member;

constexpr auto members_of(codec::Tag<CellMinimum>) {
    return codec::members(member("operations", &CellMinimum::operations), member("time_ns", &CellMinimum::time),
                          member("longest_ns", &CellMinimum::longest));
}

constexpr auto members_of(codec::Tag<CellSpec>) {
    return codec::members(
        member("id", &CellSpec::id).at_most(longest_id),
        member("table", &CellSpec::table).at_most(longest_id).or_default(), member("access", &CellSpec::access),
        member("block", &CellSpec::block).at_least(1), member("volume", &CellSpec::volume),
        member("time_limit_ns", &CellSpec::time_limit), member("minimum", &CellSpec::minimum),
        member("payload", &CellSpec::payload),
        member("queue_depth", &CellSpec::queue_depth).at_least(1).at_most(deepest_queue_told).or_default());
}

constexpr auto members_of(codec::Tag<Pace>) {
    return codec::members(member("interval_ns", &Pace::interval), member("warm_up", &Pace::warm_up).or_default());
}

constexpr auto members_of(codec::Tag<SweepJob>) {
    return codec::members(member("span", &SweepJob::span), member("cells", &SweepJob::cells).at_most(most_cells),
                          member("random_span", &SweepJob::random_span).or_default(),
                          member("no_layout", &SweepJob::no_layout).unless_default(), member("pace", &SweepJob::pace));
}

constexpr auto members_of(codec::Tag<MixCell>) {
    return codec::members(member("cell", &MixCell::cell), member("reads", &MixCell::reads).or_default(),
                          member("writes", &MixCell::writes).or_default(),
                          member("on_new_files", &MixCell::on_new_files).unless_default());
}

constexpr auto members_of(codec::Tag<Rounds>) {
    return codec::members(member("window", &Rounds::window), member("most", &Rounds::most).at_most(most_rounds),
                          member("precondition", &Rounds::precondition).or_default());
}

constexpr auto members_of(codec::Tag<MixJob>) {
    return codec::members(member("files", &MixJob::files), member("file_size", &MixJob::file_size),
                          member("cells", &MixJob::cells).at_most(most_cells),
                          member("sync_every", &MixJob::sync_every).or_default(), member("rounds", &MixJob::rounds),
                          member("mode", &MixJob::mode).or_default(),
                          member("backlog", &MixJob::backlog).at_least(1).at_most(deepest_queue_told).or_default(),
                          member("syncs_each_write", &MixJob::syncs_each_write).unless_default(),
                          member("syncs_attributes", &MixJob::syncs_attributes).unless_default(),
                          member("leaves_last_sync_out", &MixJob::leaves_last_sync_out).unless_default());
}

constexpr auto members_of(codec::Tag<SizeLaw>) {
    return codec::members(member("smallest", &SizeLaw::smallest).at_least(1), member("largest", &SizeLaw::largest));
}

constexpr auto members_of(codec::Tag<FileSet>) {
    return codec::members(member("files", &FileSet::files),
                          member("sizes", &FileSet::sizes).at_most(most_cells).or_default(),
                          member("law", &FileSet::law), member("first", &FileSet::first).or_default(),
                          member("folders", &FileSet::folders).at_most(most_levels).or_default(),
                          member("names", &FileSet::names).or_default());
}

constexpr auto members_of(codec::Tag<FileStep>) {
    return codec::members(
        member("cell", &FileStep::cell), member("work", &FileStep::work), member("set", &FileStep::set).or_default(),
        member("order", &FileStep::order).or_default(), member("part", &FileStep::part).or_default(),
        member("by_size", &FileStep::by_size).unless_default(), member("from", &FileStep::from).or_default(),
        member("seekers", &FileStep::seekers).at_least(1).at_most(most_people).or_default(),
        member("flush", &FileStep::flush).or_default());
}

constexpr auto members_of(codec::Tag<FilesJob>) {
    return codec::members(member("sets", &FilesJob::sets).at_most(most_cells),
                          member("steps", &FilesJob::steps).at_most(most_cells));
}

constexpr auto members_of(codec::Tag<BlogJob>) {
    return codec::members(member("writers", &BlogJob::writers).at_least(1).at_most(most_people),
                          member("rewriters", &BlogJob::rewriters).at_most(most_people),
                          member("commenters", &BlogJob::commenters).at_most(most_people),
                          member("readers", &BlogJob::readers).at_most(most_people),
                          member("intervals", &BlogJob::intervals).at_least(1).at_most(most_rounds),
                          member("interval_ns", &BlogJob::interval), member("space", &BlogJob::space));
}

constexpr auto members_of(codec::Tag<VerifyJob>) {
    return codec::members(member("span", &VerifyJob::span).or_default(),
                          member("chunk", &VerifyJob::chunk).or_default(),
                          member("generation", &VerifyJob::generation).or_default(),
                          member("written_at", &VerifyJob::written_at).unless_default(),
                          member("power_cycle", &VerifyJob::power_cycle).unless_default());
}

constexpr auto members_of(codec::Tag<ProbeJob>) {
    return codec::members(member("assumed_cache", &ProbeJob::assumed_cache).or_default(),
                          member("run_time_ns", &ProbeJob::run_time).or_default(),
                          member("generation", &ProbeJob::generation).or_default(),
                          member("keeps_data", &ProbeJob::keeps_data).unless_default(),
                          member("widen_time_ns", &ProbeJob::widen_time).unless_default());
}

constexpr auto members_of(codec::Tag<Payload>) {
    return codec::members(member("kind", &Payload::kind).or_default(), member("seed", &Payload::seed).or_default(),
                          member("given", &Payload::given).shaped(hex_of, bytes_from_hex).unless_default(),
                          codec::must("given", has_its_bytes, "missing"));
}

constexpr auto members_of(codec::Tag<JobSpec>) {
    return codec::members(
        member("suite", &JobSpec::suite).at_most(longest_id),
        member("suite_version", &JobSpec::suite_version).or_default(), member("quick", &JobSpec::quick).or_default(),
        member("engine", &JobSpec::engine).or_default(), member("cache", &JobSpec::cache).or_default(),
        member("sync", &JobSpec::sync).or_default(), member("on_io_error", &JobSpec::on_io_error).or_default(),
        member("keep_raw_log", &JobSpec::keep_raw_log).or_default(),
        member("order_seed", &JobSpec::order_seed).or_default(), member("payload", &JobSpec::payload).or_default(),
        member("from", &JobSpec::from).unless_default(), member("rate_limit", &JobSpec::rate_limit).unless_default(),
        codec::one_of(&JobSpec::kind, "sweep", "verify", "probe", "mix", "files", "blog"));
}

constexpr auto members_of(codec::Tag<CacheEvidence>) {
    return codec::members(
        member("used", &CacheEvidence::used), member("sync", &CacheEvidence::sync),
        member("engine", &CacheEvidence::engine),
        member("page_cache_dropped", &CacheEvidence::page_cache_dropped).or_default(),
        member("write_cache_flushed", &CacheEvidence::write_cache_flushed).or_default(),
        member("sync_calls", &CacheEvidence::sync_calls).or_default(),
        member("alignment", &CacheEvidence::alignment).or_default(), member("device_read", &CacheEvidence::device_read),
        member("device_written", &CacheEvidence::device_written), member("file_at", &CacheEvidence::file_at));
}

constexpr auto members_of(codec::Tag<SeriesSample>) {
    return codec::members(member("length_ns", &SeriesSample::length), member("moved", &SeriesSample::moved),
                          member("operations", &SeriesSample::operations), member("worst_ns", &SeriesSample::worst));
}

constexpr auto members_of(codec::Tag<HostLoad>) {
    return codec::members(member("over_ns", &HostLoad::over), member("processor_waits_ns", &HostLoad::processor_waits),
                          member("memory_waits_ns", &HostLoad::memory_waits),
                          member("io_waits_ns", &HostLoad::io_waits), member("stolen_ns", &HostLoad::stolen),
                          member("involuntary_switches", &HostLoad::involuntary_switches));
}

/// All members of a cell except latency and series.
constexpr auto facts_of_cell() {
    return codec::members(
        member("cell", &CellResult::cell), member("moved", &CellResult::moved),
        member("operations", &CellResult::operations), member("elapsed_ns", &CellResult::elapsed),
        member("sync_time_ns", &CellResult::sync_time).or_default(),
        member("prepare_time_ns", &CellResult::prepare_time).or_default(),
        member("processor_time_ns", &CellResult::processor_time),
        member("evidence", &CellResult::evidence).or_default(), member("host_load", &CellResult::host_load),
        member("findings", &CellResult::findings).at_most(most_findings).or_default(), member("end", &CellResult::end));
}
constexpr auto members_of(codec::Tag<CellResult>) {
    return std::tuple_cat(facts_of_cell(),
                          codec::members(member("latency", &CellResult::latency).or_default(),
                                         member("series", &CellResult::series).at_most(most_seconds).or_default(),
                                         codec::omitted(&CellResult::raw_log)));
}

constexpr auto members_of(codec::Tag<DamagedRange>) {
    return codec::members(member("offset", &DamagedRange::offset), member("length", &DamagedRange::length),
                          member("kind", &DamagedRange::kind), member("belongs_at", &DamagedRange::belongs_at));
}

constexpr auto members_of(codec::Tag<SlowRegion>) {
    return codec::members(member("offset", &SlowRegion::offset), member("length", &SlowRegion::length),
                          member("bytes_per_second", &SlowRegion::bytes_per_second));
}

constexpr auto members_of(codec::Tag<Stall>) {
    return codec::members(member("offset", &Stall::offset), member("length_ns", &Stall::length));
}

constexpr auto members_of(codec::Tag<PassSpeed>) {
    return codec::members(member("access", &PassSpeed::access), member("region", &PassSpeed::region).or_default(),
                          member("median_bytes_per_second", &PassSpeed::median_bytes_per_second).or_default(),
                          member("slow_below", &PassSpeed::slow_below).or_default(),
                          member("slow", &PassSpeed::slow).at_most(most_ranges).or_default(),
                          member("stalls", &PassSpeed::stalls).at_most(most_ranges).or_default());
}

constexpr auto members_of(codec::Tag<ProbeEffort>) {
    return codec::members(
        member("assumed_cache", &ProbeEffort::assumed_cache), member("read", &ProbeEffort::read).or_default(),
        member("rounds", &ProbeEffort::rounds).or_default(), member("elapsed_ns", &ProbeEffort::elapsed));
}

constexpr auto members_of(codec::Tag<CheckedPlace>) {
    return codec::members(member("offset", &CheckedPlace::offset), member("length", &CheckedPlace::length),
                          member("state", &CheckedPlace::state), member("took_ns", &CheckedPlace::took).or_default());
}

constexpr auto members_of(codec::Tag<ScanRegion>) {
    return codec::members(member("offset", &ScanRegion::offset), member("length", &ScanRegion::length),
                          member("read", &ScanRegion::read), member("elapsed_ns", &ScanRegion::elapsed),
                          member("worst_ns", &ScanRegion::worst));
}

constexpr auto members_of(codec::Tag<WeakPlace>) {
    return codec::members(member("offset", &WeakPlace::offset), member("length", &WeakPlace::length),
                          member("state", &WeakPlace::state), member("failed", &WeakPlace::failed),
                          member("took_ns", &WeakPlace::took).at_most(most_rounds),
                          member("files", &WeakPlace::files).at_most(most_rounds).unless_default(),
                          member("more_files", &WeakPlace::more_files).unless_default());
}

constexpr auto members_of(codec::Tag<KeptData>) {
    return codec::members(
        member("medium", &KeptData::medium), member("size", &KeptData::size), member("start", &KeptData::start),
        member("end", &KeptData::end), member("written_at", &KeptData::written_at), member("good", &KeptData::good),
        member("damaged", &KeptData::damaged).at_most(most_ranges), member("damaged_bytes", &KeptData::damaged_bytes),
        member("foreign_bytes", &KeptData::foreign_bytes));
}

constexpr auto members_of(codec::Tag<ScanReport>) {
    return codec::members(member("size", &ScanReport::size), member("transfer", &ScanReport::transfer),
                          member("read", &ScanReport::read), member("elapsed_ns", &ScanReport::elapsed),
                          member("whole", &ScanReport::whole), member("median_ns", &ScanReport::median),
                          member("regions", &ScanReport::regions).at_most(most_ranges),
                          member("places", &ScanReport::places).at_most(most_ranges),
                          member("stopped", &ScanReport::stopped).unless_default(), member("kept", &ScanReport::kept),
                          member("unnamed", &ScanReport::unnamed).at_most(most_rounds).unless_default());
}

constexpr auto members_of(codec::Tag<ComparedPlace>) {
    return codec::members(member("offset", &ComparedPlace::offset), member("length", &ComparedPlace::length),
                          member("here", &ComparedPlace::here), member("there", &ComparedPlace::there),
                          member("fault", &ComparedPlace::fault));
}

constexpr auto members_of(codec::Tag<RestoreReport>) {
    return codec::members(member("places", &RestoreReport::places), member("bytes", &RestoreReport::bytes),
                          member("written", &RestoreReport::written), member("lost", &RestoreReport::lost),
                          member("first_lost", &RestoreReport::first_lost));
}

constexpr auto members_of(codec::Tag<VerifyOutcome>) {
    return codec::members(member("claimed", &VerifyOutcome::claimed), member("written", &VerifyOutcome::written),
                          member("good", &VerifyOutcome::good),
                          member("damaged", &VerifyOutcome::damaged).at_most(most_ranges).or_default(),
                          member("damaged_bytes", &VerifyOutcome::damaged_bytes).or_default(),
                          member("true_capacity", &VerifyOutcome::true_capacity),
                          member("verdict", &VerifyOutcome::verdict), member("fake", &VerifyOutcome::fake),
                          member("speeds", &VerifyOutcome::speeds).at_most(most_speeds).or_default(),
                          member("resumed_at", &VerifyOutcome::resumed_at), member("probe", &VerifyOutcome::probe),
                          member("places", &VerifyOutcome::places).at_most(most_ranges).unless_default(),
                          member("restored", &VerifyOutcome::restored),
                          member("power_cycled", &VerifyOutcome::power_cycled).unless_default());
}

json to_json(const JobSpec& job) {
    return codec::encode(job);
}
Result<JobSpec> job_from_json(const json& from) {
    return codec::decode<JobSpec>(from);
}
void read_form(const json& from, const codec::Path& at, JobSpec& job, codec::DecodeError& fault) {
    codec::read(from, at, job, fault);
}
void check_form(const JobSpec& job, const codec::Path& at, codec::DecodeError& fault) {
    codec::check(job, at, fault);
}

json to_json(const CellResult& result) {
    ++cells_encoded;
    return codec::encode(result);
}
json facts_to_json(const CellResult& result) {
    return codec::encode(result, facts_of_cell());
}
Result<CellResult> cell_result_from_json(const json& from) {
    ++cells_decoded;
    return codec::decode<CellResult>(from);
}
void read_form(const json& from, const codec::Path& at, CellResult& result, codec::DecodeError& fault) {
    ++cells_decoded;
    codec::read(from, at, result, fault);
}
void check_form(const CellResult& result, const codec::Path& at, codec::DecodeError& fault) {
    codec::check(result, at, fault);
}
CellConversions cell_conversions() {
    return {.encoded = cells_encoded, .decoded = cells_decoded};
}

json to_json(const ScanReport& report) {
    return codec::encode(report);
}
json to_json(const ComparedPlace& place) {
    return codec::encode(place);
}
Result<ScanReport> scan_report_from_json(const json& from) {
    return codec::decode<ScanReport>(from);
}

json to_json(const RestoreReport& report) {
    return codec::encode(report);
}
Result<RestoreReport> restore_report_from_json(const json& from) {
    return codec::decode<RestoreReport>(from);
}

json to_json(const VerifyOutcome& outcome) {
    return codec::encode(outcome);
}
Result<VerifyOutcome> verify_outcome_from_json(const json& from) {
    return codec::decode<VerifyOutcome>(from);
}
void read_form(const json& from, const codec::Path& at, VerifyOutcome& outcome, codec::DecodeError& fault) {
    codec::read(from, at, outcome, fault);
}
void check_form(const VerifyOutcome& outcome, const codec::Path& at, codec::DecodeError& fault) {
    codec::check(outcome, at, fault);
}

} // namespace mediarig::workload
