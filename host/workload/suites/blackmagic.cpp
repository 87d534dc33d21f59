// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <utility>

#include "host/base/text.hpp"
#include "host/workload/suites/originals.hpp"
#include "host/workload/suites/sweep_suite.hpp"

namespace mediarig::suites {
namespace {

using std::chrono::seconds;

// A file of 5 GB, written and read in turn; the transfer size is not published.
constexpr std::array tables{
    SuiteTable{.name = "stream",
               .shape = Shape::named_views,
               .names = MetricNaming::table,
               .sizes = {8_MiB, 8_MiB, {}},
               .accesses = sequential_accesses,
               .full = {5_GiB, {}},
               .quick = {64_MiB, seconds(3)}},
};

constexpr Metric rate_of(Access access) {
    return {.table = "stream", .access = access, .block = {}, .value = Value::mb_per_s};
}
constexpr std::array headlines{
    Headline{rate_of(Access::sequential_write), "write, MB/s", 1},
    Headline{rate_of(Access::sequential_read), "read, MB/s", 1},
};

struct Video {
    std::string_view name;
    double width, height, frames;
};
constexpr std::array videos{
    Video{"PAL 576i25", 720, 576, 25}, Video{"720p60", 1280, 720, 60},   Video{"1080p24", 1920, 1080, 24},
    Video{"1080p25", 1920, 1080, 25},  Video{"1080p30", 1920, 1080, 30}, Video{"1080p50", 1920, 1080, 50},
    Video{"1080p60", 1920, 1080, 60},  Video{"2160p24", 3840, 2160, 24}, Video{"2160p25", 3840, 2160, 25},
    Video{"2160p30", 3840, 2160, 30},  Video{"2160p50", 3840, 2160, 50}, Video{"2160p60", 3840, 2160, 60},
};
constexpr double eight_bit = 2, ten_bit = 8.0 / 3;

/// MiB/s.
double video_rate(const Video& video, double bytes_per_pixel) {
    return suites::video_rate(video.width, video.height, bytes_per_pixel, video.frames);
}

/// Returns the more precise one of two texts of one figure.
std::string longer(std::string one, std::string other) {
    return other.size() > one.size() ? std::move(other) : std::move(one);
}

/// Returns e.g. "write, read", "read only", "no".
std::string sustained(double asked, std::optional<double> written, std::optional<double> read) {
    const bool writes = written && *written >= asked, reads = read && *read >= asked;
    if (writes && reads) return "write, read";
    if (writes) return "write only";
    return reads ? "read only" : "no";
}

std::optional<View> video_table(const DeviceResults& measured) {
    const auto mebibytes = [&](Access access) {
        const auto rate = measured.value_of(rate_of(access));
        return rate ? std::optional(Rate{*rate * 1e6}.mebibytes_per_second()) : std::nullopt;
    };
    const auto written = mebibytes(Access::sequential_write), read = mebibytes(Access::sequential_read);
    if (!written && !read) return std::nullopt;
    const auto text = [](std::optional<double> rate) {
        std::string figure = rate ? fmt::format("{:.1f}", *rate) : "–";
        for (const Video& video : videos)
            for (const double bytes : {eight_bit, ten_bit})
                if (rate) figure = longer(figure, text_beside(video_rate(video, bytes), *rate, 1));
        return figure;
    };
    View view{.title = "Video formats that the medium sustains",
              .columns = {"8 bit 4:2:2", "8 bit, MiB/s", "10 bit 4:2:2", "10 bit, MiB/s"},
              .rows = {},
              .notes = {"Uncompressed: width x height x bytes per pixel x frames per second. The figures are mean "
                        "rates; leave a margin for the slowest second and for a full disk."}};
    view.notes.push_back(fmt::format("Measured: write {} MiB/s, read {} MiB/s.", text(written), text(read)));
    for (const Video& video : videos) {
        View::Row row{std::string(video.name), {}};
        for (const double bytes : {eight_bit, ten_bit}) {
            const double asked = video_rate(video, bytes);
            row.cells.push_back(sustained(asked, written, read));
            std::string figure = fmt::format("{:.0f}", asked);
            for (const auto& rate : {written, read})
                if (rate) figure = longer(figure, text_beside(*rate, asked, 0));
            row.cells.push_back(std::move(figure));
        }
        view.rows.push_back(std::move(row));
    }
    return view;
}

} // namespace

extern const Suite blackmagic;
constexpr Suite blackmagic{.name = "blackmagic",
                           .title = "Blackmagic Disk Speed Test",
                           .tables = tables,
                           .headlines = headlines,
                           .full_span = 5_GiB,
                           .quick_span = 64_MiB,
                           .kind_of = sweep_of,
                           .view = video_table};

} // namespace mediarig::suites
