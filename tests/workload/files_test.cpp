// SPDX-License-Identifier: GPL-3.0-or-later
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "host/workload/io/linux/file_tree.hpp"
#include "host/workload/io/linux/work_folder.hpp"
#include "host/workload/suites/suite.hpp"
#include "tests/catch.hpp"
#include "tests/workload/machine.hpp"
#include "tests/workload/quick_job.hpp"

using namespace mediarig;
using namespace mediarig::tests;
using namespace mediarig::workload;
using measure::FindingKind;
using std::chrono::milliseconds;

namespace {

const CellResult* first_of(const std::vector<CellResult>& cells, const std::string& id) {
    const auto found = std::ranges::find_if(cells, [&](const CellResult& cell) { return cell.cell.id == id; });
    return found == cells.end() ? nullptr : &*found;
}

std::uint64_t operations_of(const std::vector<CellResult>& cells, const std::string& id) {
    const CellResult* cell = first_of(cells, id);
    return cell != nullptr ? cell->operations : 0;
}

} // namespace

TEST_CASE("bonnie: all twelve phases run on the files of the job and leave no files") {
    Folder folder;
    JobControl control;
    Watcher watcher;
    const auto outcome = run_job(quick_job("bonnie", 4_GiB), directory(folder.path()), {}, control, watcher);
    REQUIRE(reason(outcome) == "success");
    REQUIRE(outcome->cells.size() == 12);
    CHECK(operations_of(outcome->cells, "putc") == 32768);
    CHECK(operations_of(outcome->cells, "getc") == 32768);
    CHECK(first_of(outcome->cells, "put_block")->moved == 32_MiB);
    CHECK(operations_of(outcome->cells, "rewrite") == 4096);
    CHECK(operations_of(outcome->cells, "get_block") == 4096);
    CHECK(operations_of(outcome->cells, "seeks") == 512);
    for (const char* phase : {"seq_create", "seq_stat", "seq_del", "ran_create", "ran_stat", "ran_del"}) {
        CAPTURE(phase);
        CHECK(operations_of(outcome->cells, phase) == 256);
        CHECK(first_of(outcome->cells, phase)->moved == 0_B);
    }
    CHECK(first_of(outcome->cells, "put_block")->evidence.sync_calls == 1);
    CHECK(watcher.found(FindingKind::io_error) == nullptr);
    CHECK(folder.empty());
}

TEST_CASE("bonnie: seekers run in parallel, and each phase reports its processor time") {
    Folder folder;
    JobControl control;
    Watcher watcher;
    const auto outcome = run_job(quick_job("bonnie", 4_GiB), directory(folder.path()), {}, control, watcher);
    REQUIRE(reason(outcome) == "success");
    for (const CellResult& cell : outcome->cells) {
        CAPTURE(cell.cell.id);
        REQUIRE(cell.processor_time);
        CHECK(cell.processor_time->count() > 0);
    }
    const CellResult* const seeks = first_of(outcome->cells, "seeks");
    CHECK(seeks->latency.count() == 512);
    CHECK(seeks->moved == 8_KiB * 512);
}

TEST_CASE("the counted pieces of a file agree with filefrag") {
    if (!have("filefrag")) MEDIARIG_SKIP("filefrag is missing");
    Folder folder;
    const Result<Descriptor> root = open_directory(folder.path());
    REQUIRE(root);
    const LinuxFileTree tree(Descriptor(::dup(root->get())));
    // Two files that grow alternately are interleaved.
    const auto first = tree.create("piece-1.bin", SyncLevel::none),
               second = tree.create("piece-2.bin", SyncLevel::none);
    REQUIRE((first.error == 0 && second.error == 0));
    const std::vector<std::byte> bytes(65536);
    for (std::uint64_t i = 0; i < 200; ++i)
        for (const auto* file : {&first, &second}) {
            CHECK(file->file->write(bytes, i * bytes.size()).bytes == bytes.size());
            CHECK(file->file->flush() == 0);
        }
    if (!first.file->pieces()) MEDIARIG_SKIP("this file system does not report the extents of a file");
    for (const auto& [name, file] : {std::pair("piece-1.bin", &first), {"piece-2.bin", &second}}) {
        const Ran ran = run("filefrag " + folder.path(name));
        REQUIRE(ran.status == 0);
        const auto at = ran.output.rfind(": ");
        REQUIRE(at != std::string::npos);
        CHECK(*file->file->pieces() == std::stoull(ran.output.substr(at + 2)));
    }
}

TEST_CASE("stibium: whole files give one cell per size and one sample per file") {
    Folder folder;
    JobControl control;
    Watcher watcher;
    const auto outcome = run_job(quick_job("stibium", 4_GiB), directory(folder.path()), {}, control, watcher);
    REQUIRE(reason(outcome) == "success");
    REQUIRE(outcome->cells.size() == 10);
    for (const CellResult& cell : outcome->cells) {
        CAPTURE(cell.cell.id);
        CHECK(cell.operations == 2);
        CHECK(cell.series.size() == 2);
        CHECK(cell.moved == cell.cell.block * 2);
        for (const SeriesSample& file : cell.series) CHECK(file.moved == cell.cell.block);
    }
    CHECK(folder.empty());
}

TEST_CASE("enumerate: every walk finds the whole tree, including replaced files") {
    Folder folder;
    JobControl control;
    Watcher watcher;
    const auto outcome = run_job(quick_job("enumerate", 4_GiB), directory(folder.path()), {}, control, watcher);
    REQUIRE(reason(outcome) == "success");
    constexpr std::uint64_t entries = 200 + 5 + 10 + 20;
    CHECK(operations_of(outcome->cells, "create") == 200);
    CHECK(operations_of(outcome->cells, "walk") == entries);
    CHECK(operations_of(outcome->cells, "aged_walk") == entries * 2);
    CHECK(first_of(outcome->cells, "aged_walk")->series.size() == 2);
    CHECK(operations_of(outcome->cells, "last_walk") == entries);
    CHECK(operations_of(outcome->cells, "replace") == 10 * 3);
    CHECK(operations_of(outcome->cells, "copy") == 10);
    CHECK(first_of(outcome->cells, "aged_copy")->moved > 10_KiB);
    CHECK(operations_of(outcome->cells, "aged_rename") == 10 * 2);   // each file is renamed forward and back
    CHECK(operations_of(outcome->cells, "remove_copies") == 10 * 2); // copies of the fresh and of the aged tree
    CHECK(operations_of(outcome->cells, "remove") == 200);
    // Each file has at least one piece, unless the file system does not report it.
    if (watcher.found(FindingKind::driver_limit) == nullptr) CHECK(operations_of(outcome->cells, "aged_pieces") >= 200);
    CHECK(folder.empty());
}

TEST_CASE("a folder shared by several file sets is created with its first file") {
    Folder folder;
    JobSpec job = quick_job("enumerate", 4_GiB);
    auto& files = *job.as<FilesJob>();
    // Three files are in folders 0, 2 and 5 of eight.
    files.sets[0].files = 3;
    files.sets[0].folders = {2, 2, 2};
    files.sets[1].files = 8;
    files.sets[1].folders = {2, 2, 2};
    auto [create, walk] = std::pair(files.steps[0], files.steps[1]);
    auto other = create, again = walk;
    other.set = 1;
    other.cell.id = "other";
    again.cell.id = "again";
    files.steps = {create, walk, other, again};
    JobControl control;
    Watcher watcher;
    const auto outcome = run_job(job, directory(folder.path()), {}, control, watcher);
    REQUIRE(reason(outcome) == "success");
    CHECK(operations_of(outcome->cells, "walk") == 3 + (3 + 3 + 2)); // walked files and their folders
    CHECK(operations_of(outcome->cells, "again") == 3 + 8 + (8 + 4 + 2));
    CHECK(folder.empty());
}

TEST_CASE("a folder with more entries than one listing is walked completely") {
    Folder folder;
    JobSpec job = quick_job("enumerate", 4_GiB);
    auto& files = *job.as<FilesJob>();
    files.sets = {{.files = 3000, .sizes = {}, .law = {}, .first = 0, .folders = {1}}};
    files.steps.resize(2);
    JobControl control;
    Watcher watcher;
    const auto outcome = run_job(job, directory(folder.path()), {}, control, watcher);
    REQUIRE(reason(outcome) == "success");
    CHECK(operations_of(outcome->cells, "walk") == 3001);
}

TEST_CASE("blogbench: blogs are written and read concurrently with a sample per interval") {
    Folder folder;
    JobSpec job = quick_job("blogbench", 4_GiB);
    job.as<BlogJob>()->intervals = 3;
    JobControl control;
    Watcher watcher;
    const auto outcome = run_job(job, directory(folder.path()), {}, control, watcher);
    REQUIRE(reason(outcome) == "success");
    REQUIRE(outcome->cells.size() == 8);
    for (const CellResult& cell : outcome->cells) {
        CAPTURE(cell.cell.id);
        CHECK(cell.series.size() == 3);
        std::uint64_t sum = 0;
        for (const SeriesSample& sample : cell.series) sum += sample.operations;
        CHECK(sum == cell.operations);
    }
    CHECK(operations_of(outcome->cells, "articles.write") > 0);
    CHECK(first_of(outcome->cells, "articles.write")->moved > 0_B);
    CHECK(folder.empty());
}

TEST_CASE("a file job cancelled in any phase leaves no files") {
    for (const char* suite : {"bonnie", "stibium", "enumerate", "blogbench"}) {
        CAPTURE(suite);
        Folder folder;
        JobControl control;
        Watcher watcher;
        std::size_t phases = 0;
        watcher.when_phase = [&](const std::string&) {
            control.cancel = ++phases == 2 || std::string_view(suite) == "blogbench";
        };
        const auto outcome = run_job(quick_job(suite, 4_GiB), directory(folder.path()), {}, control, watcher);
        REQUIRE_FALSE(outcome);
        CHECK(outcome.error().code == Errc::cancelled);
        CHECK(folder.empty());
    }
}

TEST_CASE("a file job is refused without a file system, free space or the page cache") {
    Folder folder;
    const auto refused = [&](const JobSpec& job, const JobTarget& target) {
        JobControl control;
        Watcher watcher;
        return reason(run_job(job, target, {}, control, watcher));
    };
    JobSpec job = quick_job("bonnie", 4_GiB);
    JobTarget raw;
    raw.kind = JobTarget::Kind::device;
    raw.device_fd = 0;
    raw.path = "/dev/sdx";
    CHECK(refused(job, raw) ==
          "suite bonnie makes files, which need a file system: name a directory, or measure a medium that has one");
    CHECK(refused(quick_job("blogbench", 4_GiB), raw) ==
          "suite blogbench makes files, which need a file system: name a directory, or measure a medium that has one");
    job.cache = CachePolicy::direct;
    CHECK(refused(job, directory(folder.path())) ==
          "suite bonnie makes files through the page cache; choose \"dropped\" or \"cached\"");
    job = quick_job("bonnie", 4_GiB);
    job.as<FilesJob>()->sets[1].sizes = {Bytes{std::uint64_t{1} << 50}};
    CHECK_THAT(refused(job, directory(folder.path())), ContainsSubstring("the test needs 1.13 PB; "));
    job = quick_job("bonnie", 4_GiB);
    job.as<FilesJob>()->steps[0].set = 7;
    CHECK(refused(job, directory(folder.path())) == "step putc: the set of files does not exist");
    CHECK(folder.empty());
}

TEST_CASE("the files of a killed job are removed unless their folder contains other files") {
    Folder folder;
    for (const char* name : {"0123456789abcdef", "fedcba9876543210"}) {
        const std::string left = folder.path(std::string(WorkFolder::prefix) + name);
        std::filesystem::create_directories(left + "/folder-0/folder-12");
        REQUIRE(::chmod(left.c_str(), S_IRWXU) == 0);
        std::ofstream(left + "/folder-0/piece-3.bin") << "x";
        std::ofstream(left + "/folder-0/folder-12/piece-4.new") << "x";
        std::ofstream(left + "/folder-0/00000001f7vtrT3gNw6B") << "x";
    }
    const std::string kept = folder.path(std::string(WorkFolder::prefix) + "fedcba9876543210");
    std::ofstream(kept + "/folder-0/folder-12/letter.txt") << "mine";
    JobControl control;
    Watcher watcher;
    REQUIRE(reason(run_job(quick_job("stibium", 4_GiB), directory(folder.path()), {}, control, watcher)) == "success");
    CHECK_FALSE(std::filesystem::exists(folder.path(std::string(WorkFolder::prefix) + "0123456789abcdef")));
    CHECK(std::filesystem::exists(kept + "/folder-0/folder-12/letter.txt"));
    CHECK(std::filesystem::exists(kept + "/folder-0/piece-3.bin"));
}

TEST_CASE("a walk of a tree follows no links and counts the bytes of each file once") {
    Folder folder;
    const Result<Descriptor> root = open_directory(folder.path());
    REQUIRE(root);
    const LinuxFileTree tree(Descriptor(::dup(root->get())));
    REQUIRE(tree.make_folder("folder-0") == 0);
    const auto inner = tree.open_folder("folder-0").folder;
    REQUIRE(inner);
    const auto made = inner->create("piece-1.bin", SyncLevel::none);
    REQUIRE(made.error == 0);
    const std::vector<std::byte> bytes(5000);
    CHECK(made.file->write(bytes, 0).bytes == 5000);
    std::filesystem::create_directory_symlink("/", folder.path("folder-0/folder-1"));
    const timespec long_ago[] = {{.tv_sec = 1, .tv_nsec = 0}, {.tv_sec = 2, .tv_nsec = 0}};
    REQUIRE(::utimensat(AT_FDCWD, folder.path("folder-0").c_str(), long_ago, 0) == 0);
    CHECK(tree.walk() == FileTree::Contents{.files = 2, .folders = 1, .bytes = Bytes{5001}, .error = 0});
    struct stat walked {};
    REQUIRE(::stat(folder.path("folder-0").c_str(), &walked) == 0);
    CHECK(walked.st_atim.tv_sec == 1); // no access time was written
    CHECK(tree.open_folder("folder-0/folder-1").error != 0);
    CHECK(tree.make_folder("folder-0") == EEXIST);
    CHECK(inner->create("piece-1.bin", SyncLevel::none).error == EEXIST);
    CHECK(inner->open("piece-2.bin").error == ENOENT);
    CHECK(inner->ask_attributes("piece-1.bin") == 0);
    CHECK(inner->rename("piece-1.bin", "piece-2.bin") == 0);
    CHECK(inner->remove("piece-2.bin") == 0);
    CHECK(inner->remove("folder-1") == 0);
    CHECK(tree.remove_folder("folder-0") == 0);
}

TEST_CASE("an unreadable folder is reported as an error and not treated as empty") {
    Folder folder;
    std::filesystem::create_directory(folder.path("removed"));
    const Result<Descriptor> root = open_directory(folder.path("removed"));
    REQUIRE(root);
    REQUIRE(std::filesystem::remove(folder.path("removed")));
    CHECK(LinuxFileTree(Descriptor(::dup(root->get()))).walk().error == ENOENT);
}

TEST_CASE("a copied file has the length of its source for any number of transfers") {
    Folder folder;
    const Bytes size = GENERATE(Bytes{0}, 4_KiB, 8_KiB, Bytes{10'000});
    FilesJob files;
    for (const std::uint32_t set : {0U, 1U}) {
        files.sets.push_back({.files = 1, .sizes = {size}, .law = {}, .first = set, .folders = {}});
        const FileWork work = set == 0 ? FileWork::create : FileWork::copy;
        const char* const name = set == 0 ? "create" : "copy";
        files.steps.push_back({.cell = {.id = name, .table = name, .block = 4_KiB, .volume = size, .queue_depth = 1},
                               .work = work,
                               .set = set});
    }
    JobSpec job = quick_job("enumerate", 4_GiB);
    job.kind = files;
    JobControl control;
    Watcher watcher;
    const auto outcome = run_job(job, directory(folder.path()), {}, control, watcher);
    REQUIRE(reason(outcome) == "success");
    REQUIRE(first_of(outcome->cells, "copy"));
    CHECK(first_of(outcome->cells, "copy")->moved == size);
}
