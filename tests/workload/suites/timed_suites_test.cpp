// SPDX-License-Identifier: GPL-3.0-or-later
/// Jobs and refusals of the suites that are not plain sweeps.
#include <algorithm>
#include <regex>
#include <set>

#include "host/workload/suites/suite.hpp"
#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::workload;
using mediarig::suites::SuiteRequest, mediarig::suites::Suite, mediarig::suites::all_suites, mediarig::suites::expand;
using std::chrono::seconds;

namespace {

SuiteRequest request_for(std::string name) {
    SuiteRequest request;
    request.name = std::move(name);
    return request;
}

template <class Change>
std::string refusal(const char* name, Bytes available, Change change) {
    SuiteRequest request = request_for(name);
    change(request);
    const auto job = expand(request, available);
    CHECK((job || job.error().code == Errc::bad_request || job.error().code == Errc::host_fault));
    return reason(job);
}

} // namespace

TEST_CASE("ioping: makes one request of 4 KiB per second within 1 MiB and does not count the first request") {
    const auto job = expand(request_for("ioping"), 32_GiB);
    REQUIRE(job);
    const SweepJob& sweep = *job->as<SweepJob>();
    CHECK(sweep.span == 1_MiB);
    REQUIRE(sweep.pace);
    CHECK(*sweep.pace == Pace{.interval = seconds(1), .warm_up = 1});
    REQUIRE(sweep.cells.size() == 2);
    for (const CellSpec& cell : sweep.cells) {
        CHECK(cell.block == 4_KiB);
        CHECK(cell.volume == 40_KiB);
        CHECK(random(cell.access));
    }
    CHECK(job->cache == CachePolicy::dropped);
    const auto rate = expand(request_for("ioping-rate"), 32_GiB);
    CHECK(rate->as<SweepJob>()->span == 64_MiB);
    CHECK(rate->as<SweepJob>()->pace->interval == seconds(0));
    CHECK(rate->as<SweepJob>()->cells.front().time_limit == seconds(3));
}

TEST_CASE("disktester-fill: the first cell writes nearly the whole medium once") {
    const auto job = expand(request_for("disktester-fill"), 64_GiB);
    REQUIRE(job);
    const SweepJob& sweep = *job->as<SweepJob>();
    CHECK(sweep.no_layout);
    CHECK(sweep.span == 63_GiB);
    REQUIRE(sweep.cells.size() == 2);
    for (const CellSpec& cell : sweep.cells) CHECK(cell.volume == sweep.span);
    CHECK(traffic_of(*job, 64_GiB).written == sweep.span);
    // A suite that only reads needs existing data, so its test file is laid out first.
    SuiteRequest reading = request_for("disktester-fill");
    reading.accesses = {Access::sequential_read};
    CHECK_FALSE(expand(reading, 64_GiB)->as<SweepJob>()->no_layout);
}

TEST_CASE("sysbench-fileio: tests 2 GiB in 128 files in six modes of 10 s and flushes all files after 100 requests") {
    const auto job = expand(request_for("sysbench-fileio"), 32_GiB);
    REQUIRE(job);
    const MixJob& mix = *job->as<MixJob>();
    CHECK(mix.files == 128);
    CHECK(mix.file_size == 16_MiB);
    CHECK(mix.sync_every == 100);
    REQUIRE(mix.cells.size() == 6);
    CHECK(mix.cells[0].on_new_files);
    CHECK(mix.cells[5].reads * 2 == mix.cells[5].writes * 3); // a ratio of 1.5
    for (const MixCell& cell : mix.cells) {
        CHECK(cell.cell.block == 16_KiB);
        CHECK(cell.cell.time_limit == seconds(10));
    }
    SuiteRequest request = request_for("sysbench-fileio");
    request.tables = {"rndrw"};
    request.blocks = {4_KiB};
    request.span = 64_MiB;
    request.sync = SyncLevel::none;
    const auto small = expand(request, 32_GiB);
    REQUIRE(small);
    CHECK(small->as<MixJob>()->cells.size() == 1);
    CHECK(small->as<MixJob>()->file_size == 512_KiB);
    CHECK(small->as<MixJob>()->sync_every == 0);
}

TEST_CASE("sysbench-fileio: accepts the option names of sysbench") {
    CHECK(expand(request_for("sysbench-fileio"), 32_GiB)->as<MixJob>()->syncs_attributes);
    SuiteRequest request = request_for("sysbench-fileio");
    request.options = {"file-io-mode=async", "file-async-backlog=32",     "file-fsync-freq=7", "file-fsync-end=off",
                       "file-num=64",        "file-fsync-mode=fdatasync", "file-rw-ratio=4"};
    const auto job = expand(request, 32_GiB);
    REQUIRE(job);
    const MixJob& mix = *job->as<MixJob>();
    CHECK(mix.mode == MixMode::async);
    CHECK(mix.backlog == 32);
    CHECK(mix.sync_every == 7);
    CHECK(mix.leaves_last_sync_out);
    CHECK_FALSE(mix.syncs_attributes);
    CHECK(mix.files == 64);
    CHECK(mix.file_size == 32_MiB);
    CHECK(mix.cells[5].reads == 4);
    CHECK(mix.cells[5].writes == 1);
    // Sysbench never flushes in this case either.
    request.options = {"file-io-mode=mmap", "file-fsync-all=on"};
    const auto all = expand(request, 32_GiB);
    REQUIRE(all);
    CHECK(all->as<MixJob>()->mode == MixMode::mmap);
    CHECK(all->as<MixJob>()->syncs_each_write);
    CHECK(all->as<MixJob>()->sync_every == 0);
    CHECK(all->as<MixJob>()->leaves_last_sync_out);

    const auto refused = [](std::vector<std::string> options) {
        return refusal("sysbench-fileio", 1_GiB, [&](auto& r) { r.options = std::move(options); });
    };
    CHECK(refused({"file-block-size=4096"}) ==
          "suite sysbench-fileio has no option \"file-block-size\"; it has file-io-mode, file-async-backlog, "
          "file-fsync-freq, file-fsync-all, file-fsync-end, file-fsync-mode, file-rw-ratio, file-num");
    CHECK(refused({"file-io-mode"}) == "option file-io-mode needs a value: file-io-mode=…");
    CHECK(refused({"file-io-mode=libaio"}) == "option file-io-mode is not \"libaio\" but one of sync, async, mmap");
    CHECK(refused({"file-num=4", "file-num=5"}) == "option file-num is given twice; give it once");
    CHECK(refused({"file-num=0"}) == "option file-num is a whole number from 1 to 4096, not \"0\"");
    CHECK(refused({"file-num=2.7"}) == "option file-num is a whole number from 1 to 4096, not \"2.7\"");
    CHECK(refused({"file-fsync-freq=0.5"}) ==
          "option file-fsync-freq is a whole number from 0 to 1000000000, not \"0.5\"");
    CHECK(refused({"file-rw-ratio=half"}) == "option file-rw-ratio is a number from 0.001 to 1000, not \"half\"");
    CHECK(refusal("bonnie", 64_GiB, [](auto& r) { r.options = {"-b=1"}; }) ==
          "suite bonnie accepts no options of its original program; omit them");
}

TEST_CASE("steady: writes the whole span twice, then repeats three mixes until their results are steady") {
    const auto job = expand(request_for("steady"), 64_GiB);
    REQUIRE(job);
    const MixJob& mix = *job->as<MixJob>();
    REQUIRE(mix.rounds);
    CHECK(mix.rounds->window == 5);
    CHECK(mix.rounds->most == 25);
    CHECK(mix.rounds->precondition == mix.file_size * 2);
    CHECK(mix.file_size == 63_GiB);
    REQUIRE(mix.cells.size() == 3);
    CHECK(mix.cells[0].writes == 0);
    CHECK(mix.cells[2].reads == 0);
    CHECK(mix.cells[1].reads == 65);
    CHECK(mix.cells[1].writes == 35);
}

TEST_CASE("stibium: writes 160 files of 16 sizes, 53.3 GB in total, or only the sizes that fit") {
    const auto whole = expand(request_for("stibium"), 128_GiB);
    REQUIRE(whole);
    CHECK(whole->as<FilesJob>()->sets[0].files == 160);
    CHECK(traffic_of(*whole, {}).written == Bytes{53'300'000'000});
    const auto card = expand(request_for("stibium"), 4_GiB);
    REQUIRE(card);
    CHECK(card->as<FilesJob>()->sets[0].sizes.size() == 10);
    CHECK(traffic_of(*card, {}).written <= 4_GiB);
}

TEST_CASE("bonnie: writes files of 1 GiB, then creates, checks and removes 16 x 1024 empty files twice") {
    const auto job = expand(request_for("bonnie"), 64_GiB);
    REQUIRE(job);
    const FilesJob& files = *job->as<FilesJob>();
    REQUIRE(files.sets.size() == 4);
    CHECK(files.sets[0].sizes == std::vector{3_MiB});
    CHECK(files.sets[1].files == 16);
    CHECK(files.sets[2].files == 16384);
    CHECK(files.sets[3].files == 16384);
    CHECK(files.steps.size() == 12);
    CHECK(files.steps[5].seekers == 5);
    SuiteRequest request = request_for("bonnie");
    request.span = 1_GiB + 1_MiB;
    const auto odd = expand(request, 64_GiB);
    CHECK(odd->as<FilesJob>()->sets[1].sizes == std::vector<Bytes>{1_GiB, 1_MiB});
}

TEST_CASE("enumerate: each cycle replaces 5 % of the files and walks a tree of three folder levels") {
    const auto job = expand(request_for("enumerate-million"), 256_GiB);
    REQUIRE(job);
    const FilesJob& files = *job->as<FilesJob>();
    CHECK(files.sets[0].files == 1'000'000);
    CHECK(files.sets[0].folders == std::vector<std::uint32_t>{1000, 10, 10});
    CHECK(std::ranges::count(files.steps, FileWork::replace, &FileStep::work) == 20);
    CHECK(std::ranges::count(files.steps, FileWork::walk, &FileStep::work) == 21);
    // The files are copied, renamed and checked for fragments in the fresh and in the aged tree.
    CHECK(files.sets[1].files == 50'000);
    for (const FileWork work : {FileWork::copy, FileWork::rename, FileWork::pieces})
        CHECK(std::ranges::count(files.steps, work, &FileStep::work) == 2);
    const auto small = expand(request_for("enumerate"), 32_GiB);
    CHECK(small->as<FilesJob>()->sets[0].files == 10'000);
}

TEST_CASE("blogbench: runs 3 writers, 1 rewriter, 5 commenters and 100 readers for 30 intervals of 10 s") {
    const auto job = expand(request_for("blogbench"), 32_GiB);
    REQUIRE(job);
    BlogJob published;
    published.space = 24_GiB;
    CHECK(*job->as<BlogJob>() == published);
    CHECK(job->cache == CachePolicy::cached);
    CHECK(job->sync == SyncLevel::none);
}

TEST_CASE("the refusal of a request names the unsupported option or the minimum size of the suite") {
    const auto nothing = [](SuiteRequest&) {};
    CHECK(refusal("ioping", 1_GiB, [](auto& r) { r.queue_depth = 4; }) ==
          "suite ioping makes one request at a time; omit queue depth and engine");
    CHECK(refusal("disktester-fill", 1_GiB, [](auto& r) { r.volume = 1_MiB; }) ==
          "suite disktester-fill writes its span once; it has no volumes, time limits or blocks: choose a span");
    CHECK(refusal("disktester-fill", 4_MiB, nothing) ==
          "suite disktester-fill needs 21.3 MB, with 4.19 MB available: use a larger medium or span");
    CHECK(refusal("sysbench-fileio", 1_GiB, [](auto& r) { r.accesses = {Access::random_read}; }) ==
          "suite sysbench-fileio takes no choice of accesses; leave it out");
    CHECK(refusal("sysbench-fileio", 1_GiB, [](auto& r) { r.tables = {"rndmix"}; }) ==
          "suite sysbench-fileio has no table \"rndmix\"; it has seqwr, seqrewr, seqrd, rndrd, rndwr, rndrw");
    CHECK(refusal("sysbench-fileio", 1_MiB, nothing) ==
          "suite sysbench-fileio needs 2.10 MB, with 1.05 MB available: use a larger medium or smaller blocks");
    CHECK(refusal("stibium", 100_MiB, nothing) ==
          "suite stibium needs 133 MB, with 105 MB available: use a larger medium");
    CHECK(refusal("bonnie", 1_GiB, [](auto& r) { r.engine = Engine::uring; }) ==
          "suite bonnie makes one request at a time; omit queue depth and engine");
    CHECK(refusal("bonnie", 64_GiB, [](auto& r) { r.cache = CachePolicy::direct; }) ==
          "suite bonnie makes files through the page cache; choose \"dropped\" or \"cached\"");
    CHECK(refusal("sysbench-fileio", 1_GiB, [](auto& r) {
              r.tables = {"rndrd", "seqrd", "rndrd"};
          }) == "table rndrd is named twice; name it once");
    CHECK(refusal("enumerate", 256_MiB, nothing) ==
          "suite enumerate needs 734 MB, with 268 MB available: use a larger medium or --quick");
    CHECK(refusal("blogbench", 128_MiB, nothing) ==
          "suite blogbench needs 358 MB, with 134 MB available: use a larger medium");
    CHECK(refusal("blogbench", 1_GiB, [](auto& r) { r.sync = SyncLevel::at_end; }) ==
          "suite blogbench works through the page cache without a sync; omit the cache policy and the sync level");
    CHECK(refusal("steady", 512_KiB, nothing) ==
          "suite steady needs 1.05 MB, with 524 kB available: free some space, or use a larger medium");
}

TEST_CASE("each suite refuses an unknown option or table before any write") {
    for (const Suite* suite : all_suites()) {
        CAPTURE(suite->name);
        const std::string name(suite->name);
        CHECK_THAT(refusal(name.c_str(), 1024_GiB, [](auto& r) { r.options = {"no-such-option=1"}; }),
                   ContainsSubstring("suite " + name) && ContainsSubstring(" no option"));
        CHECK_THAT(refusal(name.c_str(), 1024_GiB, [](auto& r) { r.tables = {"no-such-table"}; }),
                   ContainsSubstring("suite " + name) && ContainsSubstring(" table"));
    }
}

TEST_CASE("each suite that does not fit on a medium names the smallest sufficient size") {
    int too_small = 0;
    for (const Suite* suite : all_suites())
        for (const bool quick : {false, true}) {
            CAPTURE(suite->name, quick);
            SuiteRequest request;
            request.name = std::string(suite->name);
            request.quick = quick;
            const auto refused = expand(request, 64_KiB);
            if (refused) continue; // verify, which uses the available space
            ++too_small;
            std::smatch size;
            // With less space than any sweep needs, the disk is full.
            const bool full = refused.error().code == Errc::host_fault;
            REQUIRE(std::regex_search(refused.error().detail, size, std::regex("needs ([0-9.]+) ([MG])B,")));
            // The size has three digits; its rounding error is at most half of the last digit.
            const double named = std::stod(size[1]) * (size[2] == "M" ? 1e6 : 1e9);
            CHECK(reason(expand(request, Bytes{static_cast<std::uint64_t>(named * 1.005)})) == "success");
            if (!full) CHECK(reason(expand(request, Bytes{static_cast<std::uint64_t>(named * 0.995)})) != "success");
        }
    CHECK(too_small > 30);
}
