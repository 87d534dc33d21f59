// SPDX-License-Identifier: GPL-3.0-or-later
/// strace is the reference: it shows that every write of a call is synced when the call returns.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "host/store/logged_store.hpp"
#include "host/store/sqlite/open_store.hpp"
#include "tests/catch.hpp"
#include "tests/scratch.hpp"
#include "tests/store/scripted_campaign.hpp"

using namespace mediarig;
using namespace mediarig::store;
namespace fs = std::filesystem;

namespace {

constexpr const char* directory_variable = "MEDIARIG_TRACED_STORE";

} // namespace

/// The test below runs this test under strace. Marks the return of each call in the trace.
TEST_CASE("a traced campaign", "[.traced]") {
    const char* directory = std::getenv(directory_variable);
    REQUIRE(directory != nullptr);
    auto opened = open_store(fs::path(directory) / "mediarig.db");
    REQUIRE(opened);
    const auto store = make_logged_store(std::move(*opened), fs::path(directory) / "devices");
    REQUIRE(store);
    const int mark =
        ::open((fs::path(directory) / "returned").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    REQUIRE(mark >= 0);
    for (const Call& call : scripted_campaign("c")) {
        REQUIRE(call.make(**store));
        const std::string line = call.what + "\n";
        REQUIRE(::write(mark, line.data(), line.size()) == static_cast<ssize_t>(line.size()));
    }
    ::close(mark);
}

TEST_CASE("database log and device log are synced when a call returns, as strace shows") {
    if (std::system("strace -V > /dev/null 2>&1") != 0) MEDIARIG_SKIP("strace is not installed");
    tests::Scratch scratch;
    const auto trace_file = scratch / "trace";
    // The leak check of a sanitized build cannot run together with another tracer.
    const std::string command =
        std::string(directory_variable) + "='" + scratch.path().string() +
        "' ASAN_OPTIONS=detect_leaks=0 strace -f -y -qq -s 0 -e trace=write,pwrite64,fsync,fdatasync -o '" +
        trace_file.string() + "' '" + fs::read_symlink("/proc/self/exe").string() + "' '[.traced]' > '" +
        (scratch / "said").string() + "' 2>&1";
    const int status = std::system(command.c_str());
    if (status != 0 && !fs::exists(scratch / "returned")) MEDIARIG_SKIP("strace may not trace here");
    REQUIRE(status == 0);

    std::map<std::string, int> unsynced;
    std::size_t returned = 0, database_syncs = 0, log_syncs = 0;
    std::ifstream trace(trace_file);
    for (std::string line; std::getline(trace, line);) {
        // E.g. "1234  pwrite64(5</tmp/x/mediarig.db-wal>, ""..., 24, 32) = 24"; lines about the process have no
        // bracket.
        const auto name = line.find_first_not_of("0123456789 "), bracket = line.find('(');
        const auto path = line.find('<'), end = line.find('>');
        if (std::max({name, bracket, path, end}) == std::string::npos || bracket < name || end < path) continue;
        const std::string call = line.substr(name, bracket - name);
        const fs::path file(line.substr(path + 1, end - path - 1));
        const bool database = file.filename() == "mediarig.db-wal";
        const bool log = file.extension() == ".jsonl";
        if (file.filename() == "returned") {
            ++returned;
            for (const auto& [unsynced_file, writes] : unsynced) {
                CAPTURE(unsynced_file, returned);
                CHECK(writes == 0);
            }
        } else if (call == "write" || call == "pwrite64") {
            if (database || log) ++unsynced[file.string()];
        } else {
            unsynced[file.string()] = 0;
            database_syncs += database ? 1 : 0;
            log_syncs += log ? 1 : 0;
        }
    }
    const auto calls = scripted_campaign("c");
    CHECK(returned == calls.size());
    CHECK(database_syncs >= calls.size());
    const auto journalled =
        std::count_if(calls.begin(), calls.end(), [](const Call& call) { return call.what.rfind("journal", 0) == 0; });
    constexpr std::ptrdiff_t begin_is_not_logged = 1, end_is_logged_twice_each = 2;
    CHECK(log_syncs ==
          static_cast<std::size_t>(std::ssize(calls) - journalled - begin_is_not_logged + end_is_logged_twice_each));
}
