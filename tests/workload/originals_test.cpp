// SPDX-License-Identifier: GPL-3.0-or-later
/// Compares suites with the programs that they are named after. The kernel must receive equal requests, sizes and
/// flushes from both.
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>

#include "host/workload/io/work_names.hpp"
#include "host/workload/suites/suite.hpp"
#include "tests/catch.hpp"
#include "tests/workload/driven.hpp"

using namespace mediarig;
using namespace mediarig::tests;
using namespace mediarig::workload;

namespace {

struct Request {
    char kind{}; ///< r, w, f(lush), d(rop from the cache), c(reate), s(tat), u(nlink)
    std::uint64_t size{};
    std::uint64_t offset{}; ///< only for pread64 and pwrite64
    std::string file;       ///< name without folders
    std::string process;    ///< or thread
};

std::string base_name(const std::string& path) {
    return path.substr(path.rfind('/') + 1);
}

/// The number after the `index`-th of the last commas: "pwrite64(5</path>, ""..., 4096, 8192) = 4096".
std::uint64_t argument_from_end(const std::string& line, unsigned index) {
    auto at = line.rfind(')', line.rfind(" = "));
    for (unsigned i = 0; i <= index && at != std::string::npos; ++i) at = line.rfind(", ", at - 1);
    return at == std::string::npos ? 0 : std::strtoull(line.c_str() + at + 2, nullptr, 10);
}

/// True for a file of the current folder, which is named without a path.
bool is_relative(const std::string& name, const std::string& line) {
    return name == "unlink" && line.find("unlink(\"/") == std::string::npos;
}

std::vector<Request> parse_trace(const std::string& file, const std::string& folder) {
    static const std::map<std::string, char> kinds{{"read", 'r'},      {"pread64", 'r'}, {"write", 'w'},
                                                   {"pwrite64", 'w'},  {"fsync", 'f'},   {"fdatasync", 'f'},
                                                   {"fadvise64", 'd'}, {"openat", 'c'},  {"newfstatat", 's'},
                                                   {"statx", 's'},     {"unlink", 'u'},  {"unlinkat", 'u'}};
    std::vector<Request> requests;
    std::ifstream in(file);
    std::map<std::string, std::string> unfinished; // by process: a call whose trace line is interrupted by another call
    for (std::string line; std::getline(in, line);) {
        const std::string process = line.substr(0, line.find(' '));
        if (const auto cut = line.find(" <unfinished ...>"); cut != std::string::npos) {
            unfinished[process] = line.substr(0, cut);
            continue;
        }
        if (const auto resumed = line.find(" resumed>"); resumed != std::string::npos)
            line = unfinished[process] + line.substr(resumed + 9);
        const auto bracket = line.find('(');
        const auto result = line.rfind(" = "); // the result follows any number of spaces
        if (bracket == std::string::npos || result == std::string::npos || line[result + 3] == '-') continue;
        const auto name_at = line.rfind(' ', bracket) == std::string::npos ? 0 : line.rfind(' ', bracket) + 1;
        const std::string name = line.substr(name_at, bracket - name_at);
        const auto kind = kinds.find(name);
        if (kind == kinds.end()) continue;
        // The data of a write may contain the folder's name as well: the descriptor, or the name, comes first.
        const auto named = line.find(folder);
        const bool too_late = std::strchr("rwfd", kind->second) != nullptr && named > line.find('>');
        if ((named == std::string::npos || too_late) && !is_relative(name, line)) continue;
        Request request{.kind = kind->second, .size = 0, .offset = 0, .file = {}, .process = process};
        const auto open = line.find('<'), close = line.find('>');
        if (open != std::string::npos && close != std::string::npos)
            request.file = base_name(line.substr(open + 1, close - open - 1));
        // A call that names a file instead of a descriptor.
        if (const auto quote = line.find('"'), end = line.find('"', quote + 1);
            kind->second == 'c' || kind->second == 's' || kind->second == 'u')
            request.file = end == std::string::npos ? "" : base_name(line.substr(quote + 1, end - quote - 1));
        if (request.kind == 'r' || request.kind == 'w') {
            request.size = std::strtoull(line.c_str() + result + 3, nullptr, 10);
            if (request.size == 0) continue; // a read at the end of a file
            if (name == "pread64" || name == "pwrite64") request.offset = argument_from_end(line, 0);
        }
        if (request.kind == 'd' && line.find("POSIX_FADV_DONTNEED") == std::string::npos) continue;
        if (request.kind == 'c' && line.find("O_CREAT") == std::string::npos) continue;
        requests.push_back(std::move(request));
    }
    return requests;
}

constexpr const char* watcher =
    "strace -f -y -s 64 --seccomp-bpf -e "
    "trace=openat,read,write,pread64,pwrite64,fsync,fdatasync,fadvise64,newfstatat,statx,unlink,unlinkat -o ";

/// Returns the missing programs for a skip message, or an empty text.
std::string missing(const std::string& program) {
    return have("strace") && have(program) ? "" : program + " or strace is not installed";
}

std::vector<Request> original(const Folder& folder, const std::string& command) {
    std::filesystem::create_directories(folder.path("medium"));
    const Ran ran = run("cd " + folder.path("medium") + " && timeout 300 " + watcher + folder.path("theirs") + " " +
                        command + " > " + folder.path("output") + " 2>&1");
    CHECK(ran.status == 0);
    return parse_trace(folder.path("theirs"), folder.path("medium"));
}

std::vector<Request> ours(const Folder& folder, const JobSpec& job) {
    std::filesystem::create_directories(folder.path("medium"));
    const Driven driven =
        drive(watcher + folder.path("ours"), job, folder, "directory", folder.path("medium"), "--terse");
    CHECK(driven.status == 0);
    return parse_trace(folder.path("ours"), folder.path("medium"));
}

std::uint64_t count_of(const std::vector<Request>& requests, char kind, std::optional<Bytes> size = {}) {
    return static_cast<std::uint64_t>(std::ranges::count_if(
        requests, [&](const Request& r) { return r.kind == kind && (!size || r.size == size->count); }));
}

Bytes bytes_of(const std::vector<Request>& requests, char kind) {
    Bytes sum;
    for (const Request& request : requests)
        if (request.kind == kind) sum += Bytes{request.size};
    return sum;
}

/// "rrwrw": the directions of a mix.
std::string directions(const std::vector<Request>& requests, Bytes block) {
    std::string text;
    for (const Request& request : requests)
        if ((request.kind == 'r' || request.kind == 'w') && request.size == block.count) text += request.kind;
    return text;
}

JobSpec job_of(const char* suite, auto change) {
    suites::SuiteRequest request;
    request.name = suite;
    change(request);
    auto job = suites::expand(request, 16_GiB);
    REQUIRE(reason(job) == "success");
    return *job;
}

} // namespace

TEST_CASE("ioping makes the same requests as suite ioping, with dropped caches for reads and flushes for writes") {
    if (const auto why = missing("ioping"); !why.empty()) MEDIARIG_SKIP(why);
    for (const auto& [access, option, kind] :
         {std::tuple(Access::random_read, "", 'r'), {Access::random_write, "-W ", 'w'}}) {
        CAPTURE(option);
        Folder folder;
        const auto theirs = original(folder, std::string("ioping -i 0 -c 11 ") + option + folder.path("medium"));
        JobSpec job = job_of("ioping", [access = access](auto& r) { r.accesses = {access}; });
        job.as<SweepJob>()->pace->interval = {};
        const auto mine = ours(folder, job);
        // 1 MiB of test file, then 11 requests of 4 KiB including the warm-up.
        const Bytes requests = 4_KiB * 11;
        CHECK(bytes_of(theirs, 'w') == 1_MiB + (kind == 'w' ? requests : 0_B));
        CHECK(bytes_of(mine, 'w') == bytes_of(theirs, 'w'));
        CHECK(bytes_of(mine, 'r') == bytes_of(theirs, 'r'));
        if (kind == 'r') {
            CHECK(count_of(theirs, 'r', 4_KiB) == 11);
            CHECK(count_of(mine, 'r', 4_KiB) == 11);
            CHECK(count_of(theirs, 'd') == 11);
            CHECK(count_of(mine, 'd') >= 11); // including one drop of the whole file before the cell
            for (const Request& request : mine)
                if (request.kind == 'r') CHECK((request.offset % 4096 == 0 && request.offset < (1_MiB).count));
        } else {
            CHECK(count_of(theirs, 'f') == 1 + 11);
            CHECK(count_of(mine, 'f') == count_of(theirs, 'f'));
        }
    }
}

TEST_CASE("sysbench fileio and suite sysbench-fileio make the same requests in each mode") {
    if (const auto why = missing("sysbench"); !why.empty()) MEDIARIG_SKIP(why);
    for (const std::string mode : {"seqwr", "seqrewr", "seqrd", "rndrd", "rndwr", "rndrw"}) {
        CAPTURE(mode);
        Folder folder;
        const bool writing = mode != "seqrd" && mode != "rndrd";
        const std::string command = "sysbench fileio --file-num=4 --file-total-size=4M --file-test-mode=" + mode;
        std::filesystem::create_directories(folder.path("medium"));
        REQUIRE(run("cd " + folder.path("medium") + " && " + command + " prepare > /dev/null").status == 0);
        // Each intermediate flush is an event of sysbench: all four files after 100 and after 200 requests.
        const std::uint64_t requests = 250;
        const auto theirs =
            original(folder, command + " --time=0 --events=" + std::to_string(requests + (writing ? 8 : 0)) + " run");
        REQUIRE(run("cd " + folder.path("medium") + " && " + command + " cleanup > /dev/null").status == 0);

        JobSpec job = job_of("sysbench-fileio", [&](auto& r) {
            r.tables = {mode};
            r.span = 2_MiB; // the job is changed below, because the suite has 128 files
        });
        MixJob& mix = *job.as<MixJob>();
        mix.files = 4;
        mix.file_size = 1_MiB;
        mix.cells[0].cell.volume = 16_KiB * requests;
        mix.cells[0].cell.time_limit.reset();
        const auto mine = ours(folder, job);

        CHECK(directions(theirs, 16_KiB).size() == requests);
        CHECK(directions(mine, 16_KiB) == directions(theirs, 16_KiB));
        // Our suite also flushes the four new files, and again when it drops their pages before reading.
        const std::uint64_t preparing = mode == "seqwr" || mode == "seqrewr" || mode == "rndwr" ? 4 : 8;
        CHECK(count_of(theirs, 'f') == (writing ? 12 : 0));
        CHECK(count_of(mine, 'f') - preparing == count_of(theirs, 'f'));
        if (mode.starts_with("seq")) {
            std::vector<std::uint64_t> their_offsets, my_offsets;
            for (const auto& [from, to] : {std::pair(&theirs, &their_offsets), {&mine, &my_offsets}})
                for (const Request& request : *from)
                    if (request.size == (16_KiB).count) to->push_back(request.offset);
            CHECK(my_offsets == their_offsets);
        }
    }
}

/// System calls of sysbench and of our suite with an option, without the calls that lay out the test files.
struct Calls {
    std::uint64_t reads, writes, fsyncs, fdatasyncs, msyncs, submitted_reads, submitted_writes;
    bool operator==(const Calls&) const = default;
};
Calls calls_in(const std::string& file) {
    Calls calls{};
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
        const auto has = [&](const char* text) { return line.find(text) != std::string::npos; };
        const bool block = has(", 16384");
        // Includes calls interrupted in the trace by another thread: each call begins once.
        calls.reads += has("pread64(") && block ? 1 : 0;
        calls.writes += has("pwrite64(") && block ? 1 : 0;
        calls.fsyncs += has("fsync(") ? 1 : 0;
        calls.fdatasyncs += has("fdatasync(") ? 1 : 0;
        calls.msyncs += has("msync(") && has("MS_SYNC|MS_INVALIDATE") ? 1 : 0;
        calls.submitted_reads += has("io_submit(") && has("IOCB_CMD_PREAD") && has("aio_nbytes=16384") ? 1 : 0;
        calls.submitted_writes += has("io_submit(") && has("IOCB_CMD_PWRITE") && has("aio_nbytes=16384") ? 1 : 0;
    }
    return calls;
}
constexpr const char* counter =
    "strace -f -s 0 --seccomp-bpf -e "
    "trace=pread64,pwrite64,fsync,fdatasync,msync,io_submit -o ";

TEST_CASE("sysbench fileio and suite sysbench-fileio make the same calls with each I/O mode and kind of flush") {
    if (const auto why = missing("sysbench"); !why.empty()) MEDIARIG_SKIP(why);
    struct Row {
        std::vector<std::string> options;
        std::uint64_t flushes; ///< flushes that sysbench counts among its 250 events
    };
    for (const auto& [options, flushes] :
         {Row{{"file-io-mode=async", "file-async-backlog=8"}, 8}, Row{{"file-io-mode=mmap"}, 8},
          Row{{"file-fsync-mode=fdatasync"}, 8}, Row{{"file-fsync-all=on"}, 0},
          Row{{"file-fsync-freq=50", "file-fsync-end=off"}, 16},
          Row{{"file-io-mode=async", "file-fsync-mode=fdatasync"}, 4}}) {
        std::string given;
        for (const std::string& option : options) given += " --" + option;
        CAPTURE(given);
        Folder folder;
        const std::string medium = folder.path("medium");
        std::filesystem::create_directories(medium);
        const std::string command = "cd " + medium + " && sysbench fileio --file-num=4 --file-total-size=4M";
        REQUIRE(run(command + " --file-test-mode=rndrw prepare > /dev/null").status == 0);
        REQUIRE(run("cd " + medium + " && timeout 300 " + counter + folder.path("theirs") +
                    " sysbench fileio --file-num=4 --file-total-size=4M --file-test-mode=rndrw" + given +
                    " --time=0 --events=" + std::to_string(250 + flushes) + " run > " + folder.path("output") + " 2>&1")
                    .status == 0);
        REQUIRE(run(command + " cleanup > /dev/null").status == 0);
        JobSpec job = job_of("sysbench-fileio", [&](auto& r) {
            r.tables = {"rndrw"};
            r.span = 4_MiB;
            r.options = options;
            r.options.emplace_back("file-num=4");
        });
        job.as<MixJob>()->cells[0].cell.volume = 16_KiB * 250;
        job.as<MixJob>()->cells[0].cell.time_limit.reset();
        REQUIRE(drive(counter + folder.path("ours"), job, folder, "directory", medium, "--terse").status == 0);

        const Calls theirs = calls_in(folder.path("theirs"));
        Calls mine = calls_in(folder.path("ours"));
        // The layout of the test files flushes each of the four files, and again before their pages are dropped.
        CHECK(mine.fdatasyncs >= 4);
        const bool by_fdatasync = job.as<MixJob>()->syncs_attributes == false;
        CHECK((by_fdatasync ? mine.fdatasyncs - 8 : mine.fsyncs) == (by_fdatasync ? theirs.fdatasyncs : theirs.fsyncs));
        CHECK(mine.msyncs == theirs.msyncs);
        CHECK(mine.submitted_reads == theirs.submitted_reads);
        CHECK(mine.submitted_writes == theirs.submitted_writes);
        if (job.as<MixJob>()->mode == MixMode::mmap)
            // Sysbench copies within its own memory without a system call; our suite uses another file in memory.
            CHECK((mine.reads == 250 && mine.writes == 250));
        if (job.as<MixJob>()->mode == MixMode::sync) {
            CHECK(mine.reads == theirs.reads);
            CHECK(mine.writes == theirs.writes);
        }
    }
}

TEST_CASE("bonnie++ accepts the CSV line that suite bonnie prints") {
    if (!have("bon_csv2txt")) MEDIARIG_SKIP("bonnie++ is not installed");
    Folder folder;
    JobSpec job = job_of("bonnie", [](auto& r) { r.quick = true; });
    JobControl control;
    Watcher watcher;
    std::filesystem::create_directories(folder.path("medium"));
    const auto outcome = run_job(job, directory(folder.path("medium")), {}, control, watcher);
    REQUIRE(reason(outcome) == "success");
    // The phases take long enough for a figure.
    std::vector<CellResult> cells = outcome->cells;
    for (CellResult& cell : cells) cell.elapsed = std::chrono::seconds(1);
    const auto view = suites::find_suite("bonnie")->view(
        {.value_of = [](const suites::Metric&) { return std::optional<double>(); }, .passes = {cells}});
    REQUIRE(view);
    const auto csv =
        std::ranges::find_if(view->notes, [](const std::string& note) { return note.starts_with("CSV: "); });
    REQUIRE(csv != view->notes.end());
    std::ofstream(folder.path("line")) << csv->substr(5) << "\n";
    const Ran told = run("bon_csv2txt < " + folder.path("line"));
    REQUIRE(told.status == 0);
    CHECK_THAT(told.output, ContainsSubstring("medium"));
    CHECK_THAT(told.output, ContainsSubstring("32M")); // the size of the data
    CHECK_THAT(told.output, ContainsSubstring(":5"));  // number of seekers
    for (const char* phase : {"putc", "getc", "get_block", "seeks"}) {
        const auto cell = std::ranges::find(cells, phase, [](const CellResult& c) { return c.cell.table; });
        REQUIRE(cell != cells.end());
        // 32k, 32.0m, 512
        const auto figure = cell->cell.table == "seeks" ? std::to_string(cell->operations)
                            : cell->moved >= 1_MiB      ? std::to_string(cell->moved.count >> 20) + ".0m"
                                                        : std::to_string(cell->moved.count >> 10) + "k";
        CHECK_THAT(told.output, ContainsSubstring(figure));
    }
}

/// Names of 10 digits with up to 12 letters at the end, then at the start. The second half is in random order, the
/// first in the order of the folder's listing, which is not that of the numbers.
void check_small_files(const std::vector<Request>& requests, std::size_t files) {
    const auto names_of = [&](char kind) {
        std::vector<std::string> names;
        for (const Request& request : requests)
            if (request.kind == kind && is_numbered_name(request.file)) names.push_back(request.file);
        return names;
    };
    const auto number_of = [](const std::string& name, bool behind) {
        return std::stoul(behind ? name.substr(name.size() - 10) : name.substr(0, 10), nullptr, 16);
    };
    const std::vector<std::string> made = names_of('c'), looked_at = names_of('s'), removed = names_of('u');
    REQUIRE(made.size() == 2 * files);
    REQUIRE(looked_at.size() == 2 * files);
    REQUIRE(removed.size() == 2 * files);
    std::size_t longest = 0;
    for (std::size_t i = 0; i < 2 * files; ++i) {
        CHECK(number_of(made[i], i >= files) == i % files);
        longest = std::max(longest, made[i].size());
    }
    CHECK(longest == 22);
    for (const auto* order : {&looked_at, &removed}) {
        CHECK(*order != made);
        for (std::size_t half : {std::size_t{0}, files})
            CHECK(std::is_permutation(made.begin() + static_cast<std::ptrdiff_t>(half),
                                      made.begin() + static_cast<std::ptrdiff_t>(half + files),
                                      order->begin() + static_cast<std::ptrdiff_t>(half),
                                      order->begin() + static_cast<std::ptrdiff_t>(half + files)));
    }
    // A folder lists the same names in the same order both times.
    CHECK(std::equal(looked_at.begin(), looked_at.begin() + static_cast<std::ptrdiff_t>(files), removed.begin()));
    CHECK_FALSE(std::equal(looked_at.begin() + static_cast<std::ptrdiff_t>(files), looked_at.end(),
                           removed.begin() + static_cast<std::ptrdiff_t>(files)));
}

TEST_CASE("bonnie++ and suite bonnie transfer the same bytes in the same chunks and create equally many files") {
    if (const auto why = missing("bonnie++"); !why.empty()) MEDIARIG_SKIP(why);
    Folder folder;
    const std::string user = are_root() ? " -u root" : "";
    const auto theirs = original(folder, "bonnie++ -f -q -s 4 -r 2 -n 1 -d " + folder.path("medium") + user);
    JobSpec job = job_of("bonnie", [](auto& r) { r.span = 4_MiB; });
    FilesJob& files = *job.as<FilesJob>();
    files.sets[2].files = files.sets[3].files = 1024;
    job.cache = CachePolicy::cached; // dropping the cache would add flushes
    // -f omits the single bytes.
    std::erase_if(files.steps, [](const FileStep& step) { return step.set == 0; });
    const auto mine = ours(folder, job);
    // Our suite flushes the data file after writing and after rewriting; bonnie++ also flushes in its seekers. Neither
    // program flushes a small file.
    CHECK(count_of(mine, 'f') == 2);
    CHECK(count_of(theirs, 'f') >= 2);
    for (const auto* requests : {&theirs, &mine}) {
        const auto small = std::ranges::find_if(
            *requests, [](const Request& request) { return request.kind == 'c' && is_numbered_name(request.file); });
        CHECK(count_of(std::vector<Request>(small, requests->end()), 'f') == 0);
    }
    for (const auto* requests : {&theirs, &mine}) check_small_files(*requests, 1024);

    // 512 chunks written, read and rewritten, read, then 8192 seeks.
    CHECK(count_of(theirs, 'r', 8_KiB) == 512 + 512 + 8192);
    CHECK(count_of(mine, 'r', 8_KiB) == count_of(theirs, 'r', 8_KiB));
    const auto written = [](const std::vector<Request>& requests) {
        return count_of(requests, 'w', 8_KiB) - 512 - 512;
    };
    CHECK(written(mine) == 819); // every tenth seek writes; the seeks of bonnie++ write at random
    CHECK(static_cast<double>(written(theirs)) == Approx(819).epsilon(0.15));
    // Five seekers run at once. The first seeker of our suite is the job's own thread, which has read before.
    for (const auto* requests : {&theirs, &mine}) {
        std::map<std::string, std::uint64_t> seeks;
        for (const Request& request : *requests)
            if (request.kind == 'r' && request.size == (8_KiB).count) ++seeks[request.process];
        CHECK(std::ranges::count_if(seeks, [](const auto& of) { return of.second > 10; }) ==
              (requests == &mine ? 5 : 6));
    }
    CHECK(count_of(mine, 'c') - 1 == 2 * 1024); // minus the data file
    CHECK(count_of(theirs, 'c') >= 2 * 1024);
    CHECK(count_of(theirs, 'c') <= 2 * 1024 + 3);
    CHECK(count_of(mine, 'u') >= 2 * 1024);
    CHECK(count_of(theirs, 'u') >= 2 * 1024);
}

TEST_CASE("dd transfers the same blocks as suite dd") {
    if (const auto why = missing("dd"); !why.empty()) MEDIARIG_SKIP(why);
    Folder folder;
    const auto written = original(folder, "dd if=/dev/zero of=" + folder.path("medium") + "/file bs=2048k count=4");
    const auto read = original(folder, "dd if=" + folder.path("medium") + "/file of=/dev/null bs=2048k");
    std::filesystem::remove(folder.path("medium") + "/file");
    const auto mine = ours(folder, job_of("dd", [](auto& r) {
                               r.span = 8_MiB;
                               r.volume = 8_MiB;
                           }));
    CHECK(count_of(written, 'w', 2_MiB) == 4);
    CHECK(count_of(read, 'r', 2_MiB) == 4);
    CHECK(count_of(mine, 'w', 2_MiB) == 4);
    CHECK(count_of(mine, 'r', 2_MiB) == 4);
    CHECK(bytes_of(mine, 'w') == bytes_of(written, 'w')); // into a new file, not laid out before
}
