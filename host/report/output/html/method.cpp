// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "host/base/time_text.hpp"
#include "host/report/output/html/html_table.hpp"
#include "host/report/output/html/parts.hpp"
#include "host/report/text/display_text.hpp"
#include "host/workload/metrics/metrics.hpp"
#include "host/workload/outcome.hpp"
#include "host/workload/titles.hpp"

namespace mediarig::report::html {
namespace {

using workload::CellResult;

/// Returns the distinct values in the cells of a pass, in order; usually one.
template <class Get>
std::string different(const std::vector<CellResult>& cells, Get get) {
    std::vector<std::string> values;
    for (const CellResult& cell : cells) {
        std::string value(get(cell));
        if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(std::move(value));
    }
    return fmt::format("{}", fmt::join(values, ", "));
}

std::string asked_and_used(std::string_view asked, const std::string& used) {
    if (used.empty()) return fmt::format("{} requested", asked);
    return asked == used ? fmt::format("{}, as requested", used) : fmt::format("{} used, {} requested", used, asked);
}

std::string yes_for(const std::vector<CellResult>& cells, bool (*want)(const CellResult&),
                    bool (*is)(const CellResult&)) {
    std::size_t wanted = 0;
    std::size_t done = 0;
    for (const CellResult& cell : cells) {
        if (!want(cell)) continue;
        ++wanted;
        if (is(cell)) ++done;
    }
    if (wanted == 0) return {};
    return done == wanted ? "yes, verified in every cell" : fmt::format("in {} of {} cells", done, wanted);
}

bool reads(const CellResult& cell) {
    return !workload::writes(cell.cell.access);
}
bool writes(const CellResult& cell) {
    return workload::writes(cell.cell.access);
}

/// Returns the bytes that the test moved in one direction, and those that the block layer counted in the same cells.
std::string counters(const std::vector<CellResult>& cells, bool (*want)(const CellResult&),
                     std::optional<Bytes> workload::CacheEvidence::*counter) {
    Bytes moved;
    Bytes counted;
    bool known = true;
    bool any = false;
    for (const CellResult& cell : cells) {
        if (!want(cell)) continue;
        any = true;
        moved += cell.moved;
        if (const auto& value = cell.evidence.*counter)
            counted += *value;
        else
            known = false;
    }
    if (!any) return {};
    if (!known) return fmt::format("test {} bytes; the device keeps no counter", moved.count);
    const double ratio = moved.count == 0 ? 0 : static_cast<double>(counted.count) / static_cast<double>(moved.count);
    return fmt::format("test {} bytes, device {} bytes ({:.1f} %)", moved.count, counted.count, ratio * 100);
}

std::string parameters_of(const media::FormatReport& report) {
    std::string text;
    for (const auto& [name, value] : report.parameters)
        text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, value);
    return text;
}

std::string payload_of(const workload::Payload& payload) {
    switch (payload.kind) {
        case workload::PayloadKind::incompressible:
            return fmt::format("incompressible, unique per position, seed {}", payload.seed);
        case workload::PayloadKind::given:
            return fmt::format("a given pattern of {} bytes, repeated, with the position stamped into each sector",
                               payload.given.size());
        case workload::PayloadKind::zeros:
            return "zeros";
        case workload::PayloadKind::ones:
            return "bytes FF";
        case workload::PayloadKind::compressible:
            return fmt::format("half incompressible, half zeros in each sector, seed {}", payload.seed);
        case workload::PayloadKind::repeated:
            return fmt::format("one incompressible block of 4 KiB, repeated, seed {}", payload.seed);
    }
    return {};
}

std::string span_of(const workload::SweepJob& sweep) {
    return fmt::format("{} bytes ({})", sweep.span.count, size_text(sweep.span));
}
std::string span_of(const workload::VerifyJob& verify) {
    if (verify.span.count == 0) return "the whole medium or file system";
    return fmt::format("{} bytes", verify.span.count);
}
std::string span_of(const workload::MixJob& mix) {
    return fmt::format("{} files of {} bytes ({})", mix.files, mix.file_size.count, size_text(mix.file_size));
}
std::string sizes_of(const workload::FileSet& set) {
    if (set.law) return fmt::format("of {} to {} bytes", set.law->smallest.count, set.law->largest.count);
    Bytes all;
    for (std::uint32_t i = 0; i < set.files && !set.sizes.empty(); ++i) all += set.sizes[i % set.sizes.size()];
    return all == 0_B ? "without content" : fmt::format("of {} bytes in all", all.count);
}
std::string span_of(const workload::FilesJob& files) {
    std::string text;
    for (const workload::FileSet& set : files.sets)
        text += fmt::format("{}{} file{} {}", text.empty() ? "" : ", ", set.files, set.files == 1 ? "" : "s",
                            sizes_of(set));
    return text;
}
std::string span_of(const workload::BlogJob& blog) {
    return fmt::format("{} writers, {} rewriters, {} commenters and {} readers for {} intervals; at most {} bytes",
                       blog.writers, blog.rewriters, blog.commenters, blog.readers, blog.intervals, blog.space.count);
}
std::string span_of(const workload::ProbeJob& probe) {
    const std::string sized =
        probe.run_time.count() == 0
            ? ""
            : fmt::format(", less if the medium does not write that much in {:g} s (see “True capacity”)",
                          std::chrono::duration<double>(probe.run_time).count());
    return fmt::format("samples all over the medium{}; a volatile cache of up to {} bytes assumed{}",
                       probe.keeps_data ? ", whose content was restored" : "", probe.assumed_cache.count, sized);
}

std::string facts_of(const store::PassView& view) {
    const store::PassRecord& pass = view.pass;
    const workload::JobSpec& job = pass.job;
    FactList facts;
    facts.add("place in the order", fmt::format("{} on this medium, pass {}", pass.position + 1, pass.repeat));
    facts.add("started", local_time_text(pass.started));
    if (view.end && view.end->ended >= pass.started) facts.add("took", duration_text(view.end->ended - pass.started));
    if (pass.mounted) {
        facts.add("driver", pass.mounted->driver + " " + pass.mounted->driver_version);
        facts.add("mount options", pass.mounted->options);
        if (const auto& volume = pass.mounted->volume; volume && volume->partition != 0)
            facts.add("volume",
                      fmt::format("{}: {} bytes from byte {}{}", media::name_of(*volume), volume->length.count,
                                  volume->start.count, pass.mounted->through_loop ? ", through a loop device" : ""));
        for (const measure::Finding& limit : pass.mounted->limits) facts.add("driver's limit", limit.detail);
    }
    if (pass.formatted) {
        const media::FormatReport& format = *pass.formatted;
        facts.add("formatter",
                  fmt::format("{} {} {}", format.tool, format.tool_version, fmt::join(format.arguments, " ")));
        facts.add("read back from the medium", parameters_of(format));
    }
    facts.add("suite", fmt::format("{}, version {}{}", job.suite, job.suite_version, job.quick ? ", quick" : ""));
    const auto engine = [](const CellResult& c) { return workload::name_of(c.evidence.engine); };
    const auto cache = [](const CellResult& c) { return workload::name_of(c.evidence.used); };
    const auto sync = [](const CellResult& c) { return workload::name_of(c.evidence.sync); };
    facts.add("engine", asked_and_used(workload::name_of(job.engine), different(view.cells, engine)));
    facts.add("cache policy", asked_and_used(workload::name_of(job.cache), different(view.cells, cache)));
    facts.add("sync", asked_and_used(workload::name_of(job.sync), different(view.cells, sync)));
    facts.add("queue depth",
              different(view.cells, [](const CellResult& c) { return std::to_string(c.cell.queue_depth); }));
    facts.add("alignment", different(view.cells, [](const CellResult& c) {
                  return c.evidence.alignment.count > 1 ? fmt::format("{} bytes", c.evidence.alignment.count)
                                                        : std::string("as the file system lays files");
              }));
    facts.add("page cache empty before reading",
              yes_for(view.cells, reads, [](const CellResult& c) { return c.evidence.page_cache_dropped; }));
    facts.add("write cache flushed",
              yes_for(view.cells, writes, [](const CellResult& c) { return c.evidence.write_cache_flushed; }));
    facts.add("moved when reading", counters(view.cells, reads, &workload::CacheEvidence::device_read));
    facts.add("moved when writing", counters(view.cells, writes, &workload::CacheEvidence::device_written));
    facts.add("payload", payload_of(job.payload));
    facts.add("span", std::visit([](const auto& kind) { return span_of(kind); }, job.kind));
    facts.add("seed of random offsets", std::to_string(job.order_seed));
    return facts.html();
}

std::string latencies_of(const store::PassView& view) {
    std::vector<Column> columns{{"Cell", ColumnKind::head}, {"Operations"}, {"MB/s"}};
    for (const measure::Percentile& each : measure::percentiles) columns.push_back({each.title});
    columns.push_back({"max"});
    columns.push_back({"Ended by", ColumnKind::text});
    ListTable table(std::move(columns));
    for (const CellResult& cell : view.cells) {
        if (cell.latency.empty() || cell.elapsed.count() <= 0) continue;
        const auto rate = metrics::value_of(cell, suites::Value::mb_per_s);
        std::vector<std::string> row{html_escaped(workload::cell_title(cell.cell)), std::to_string(cell.operations),
                                     rate ? fmt::format("{:.3f}", *rate) : "–"};
        for (const measure::Percentile& each : measure::percentiles)
            row.push_back(latency_text(*cell.latency.quantile(each.fraction)));
        row.push_back(latency_text(cell.latency.max()));
        row.emplace_back(workload::name_of(cell.end));
        table.add(row);
    }
    return table.html();
}

} // namespace

std::string method_of(const store::CampaignView& view) {
    std::string text;
    for (const store::DeviceView& device : view.devices) {
        text += fmt::format("<h3>{} <small>{}</small></h3>\n", html_escaped(device.device.name),
                            html_escaped(device.device.key));
        for (const store::PassView& pass : device.passes)
            text += fmt::format("<details><summary>{}. {}, {}, pass {}</summary>{}{}</details>\n",
                                pass.pass.position + 1, html_escaped(suite_title(pass.pass.job.suite)),
                                html_escaped(format_title(pass.pass.format)), pass.pass.repeat, facts_of(pass),
                                latencies_of(pass));
    }
    return text;
}

} // namespace mediarig::report::html
