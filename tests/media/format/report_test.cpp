// SPDX-License-Identifier: GPL-3.0-or-later
/// Common parts of all formatters: interpretation of a checker's output, and writing of zeros.
#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "host/media/format/linux/check_report.hpp"
#include "host/media/format/linux/clear.hpp"
#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::media;

namespace {

const Tool checker{.program = "fsck.none", .package = "nothing"};

process::Finished finished(int status, std::string out) {
    process::Finished run;
    run.exit_status = status;
    run.out = std::move(out);
    return run;
}

} // namespace

TEST_CASE("a volume is clean if neither the checker nor mediarig's own check reports a problem") {
    const CheckReport clean = report_of(checker, "1.0", finished(0, "all well\n"), "");
    CHECK(clean.clean);
    CHECK(clean.tool == "fsck.none");
    CHECK(clean.tool_version == "1.0");
    CHECK(clean.said == std::vector<std::string>{"all well"});

    const CheckReport damaged = report_of(checker, "1.0", finished(4, "lost\n"), "");
    CHECK_FALSE(damaged.clean);
    CHECK(damaged.said == std::vector<std::string>{"lost", "fsck.none ended with exit status 4"});

    const CheckReport dirty = report_of(checker, "1.0", finished(0, "all well\n"), "VolumeDirty is set");
    CHECK_FALSE(dirty.clean);
    CHECK(dirty.said == std::vector<std::string>{"all well", "VolumeDirty is set"});
}

TEST_CASE("the problem from mediarig's own check is kept if the checker prints many lines") {
    std::string many;
    for (int line = 0; line < 100; ++line) many += fmt::format("line {}\n", line);
    const CheckReport report = report_of(checker, "1.0", finished(1, many), "VolumeDirty is set");
    CHECK(report.said.size() == most_lines_said);
    CHECK(report.said.front() == "line 0");
    CHECK(report.said.back() == "VolumeDirty is set");
}

TEST_CASE("zeros are written at the requested offsets, and a failure reports its offset") {
    std::string name = "/tmp/mediarig-zeros.XXXXXX";
    const int file = ::mkstemp(name.data());
    REQUIRE(file >= 0);
    ::unlink(name.c_str());
    const std::string before((3_MiB).count, 'x');
    REQUIRE(::pwrite(file, before.data(), before.size(), 0) == static_cast<ssize_t>(before.size()));
    CHECK(reason(write_zeros(file, "head", 512_B, 2_MiB)) == "success");
    std::string after(before.size(), '?');
    CHECK(::pread(file, after.data(), after.size(), 0) == static_cast<ssize_t>(after.size()));
    CHECK(after.substr(0, 512) == before.substr(0, 512));
    CHECK(std::count(after.begin() + 512, after.end(), '\0') == static_cast<std::ptrdiff_t>((2_MiB).count));
    CHECK(after.substr(512 + (2_MiB).count) == before.substr(512 + (2_MiB).count));
    ::close(file);

    const int read_only = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    const auto refused = write_zeros(read_only, "head", 512_B, 2_MiB);
    ::close(read_only);
    CHECK(reason(refused) == "cannot write the head at byte 512: Bad file descriptor");
}
