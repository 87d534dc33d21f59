// SPDX-License-Identifier: GPL-3.0-or-later
#include <numeric>

#include "host/store/sqlite/open_store.hpp"
#include "tests/catch.hpp"
#include "tests/scratch.hpp"
#include "tests/store/database.hpp"
#include "tests/store/played_store.hpp"
#include "tests/store/scripted_campaign.hpp"

using namespace mediarig;
using namespace mediarig::store;

TEST_CASE_METHOD(PlayedStore, "a store has the same contents after it is closed and opened again") {
    play();
    const std::string before = told(*store, campaign);
    store.reset();
    store = open();
    CHECK(told(*store, campaign) == before);

    const auto view = store->load(campaign);
    REQUIRE(view);
    CHECK(view->campaign.name == "lot 17");
    CHECK(view->campaign.state == CampaignState::finished);
    REQUIRE(view->devices.size() == 2);
    const DeviceView& stick = view->devices[0];
    CHECK(stick.device.identity.usb->driver == "uas");
    CHECK(stick.device.found->volumes.front().label == "CARD");
    REQUIRE(stick.passes.size() == 2);
    CHECK(stick.passes[0].pass.id == "m0.r1.exfat.quickbench");
    REQUIRE(stick.made.size() == 3);
    CHECK(stick.made[0].step == "m0.r1.exfat.format");
    CHECK(stick.made[0].device == first_device);
    CHECK(stick.made[0].formatted.arguments == std::vector<std::string>{"-c", "128K"});
    CHECK(stick.made[1].format == "apfs");
    CHECK(stick.made[1].formatted.usable == 62_GiB);
    CHECK_FALSE(stick.made[1].seen);
    CHECK(stick.made[2].repeat == 2);
    CHECK(stick.made[2].seen->volumes.at(0).label == "MEDIARIG");
    REQUIRE(stick.passes[0].pass.discarded);
    CHECK(stick.passes[0].pass.discarded->zeros == 7);
    CHECK(stick.passes[0].pass.discarded->kept == 1);
    REQUIRE(stick.passes[0].pass.condition);
    CHECK(stick.passes[0].pass.condition->filled->elapsed == std::chrono::seconds(30));
    CHECK(stick.passes[0].pass.condition->rested->until == RestUntil::temperature);
    CHECK(stick.passes[0].pass.condition->rested->reference == 31.5);
    CHECK(stick.passes[0].pass.condition->idle->written == 4_KiB);
    CHECK(stick.passes[0].pass.formatted->parameters[1].second == "16777216");
    CHECK(stick.passes[0].pass.job.keep_raw_log);
    REQUIRE(stick.passes[0].end);
    CHECK(stick.passes[0].end->ended - stick.passes[0].pass.started == std::chrono::seconds(30));
    CHECK_FALSE(stick.passes[1].end);
    CHECK(stick.checks.size() == 2);
    CHECK(stick.findings.front().detail == "was 32 GB");
    CHECK(stick.verdict->grade == measure::Grade::marginal);
    CHECK(stick.verdict->limits.front().uncertainty == 1.0 / 3.0);

    const DeviceView& image = view->devices[1];
    CHECK(image.passes[0].end->verify->true_capacity == 512_MiB);
    CHECK(image.passes[0].findings.front().cell == "verify.read");
    const workload::CellResult& cell = image.passes[0].cells[1];
    const workload::CellResult original = scripted_cell("verify.read", 0, 12);
    CHECK(cell.latency == original.latency);
    CHECK(cell.series == original.series);
    CHECK(cell.evidence == original.evidence);
    CHECK(cell.findings == original.findings);
    CHECK(cell.sync_time == original.sync_time);
}

TEST_CASE_METHOD(PlayedStore, "one device is loaded completely without the others") {
    play();
    const auto whole = store->load(campaign);
    REQUIRE(whole);
    const auto device = store->load_device(campaign, first_device);
    REQUIRE(reason(device) == "success");
    CampaignView alone = *whole;
    alone.devices = {*device};
    CampaignView first = *whole;
    first.devices.resize(1);
    CHECK(told(alone) == told(first));
    CHECK(reason(store->load_device("x", first_device)) == "the store holds no campaign 'x'");
    CHECK(reason(store->load_device(campaign, "d")) == "campaign " + campaign + " holds no device 'd'");
}

TEST_CASE_METHOD(
    PlayedStore,
    "a device that is stored again keeps its passes and findings and loses its verdict and untested parts") {
    play();
    const auto before = store->load(campaign);
    REQUIRE(before);
    DeviceRecord again = before->devices[0].device;
    again.label = "no. 4";
    REQUIRE(reason(store->put(campaign, again)) == "success");
    const auto view = store->load(campaign);
    REQUIRE(view);
    const DeviceView& device = view->devices[0];
    CHECK(device.device.label == "no. 4");
    CHECK(device.passes.size() == 2);
    CHECK(device.findings.size() == 1);
    CHECK(device.checks.size() == 2);
    CHECK(device.made.size() == 3);
    CHECK_FALSE(device.verdict);
    CHECK(device.untested.empty());
    CHECK(view->devices[1].verdict);
}

TEST_CASE_METHOD(PlayedStore, "the contents of a device before the first write are recorded only once") {
    play();
    const auto before = store->load(campaign);
    REQUIRE(before);
    DeviceRecord again = before->devices[0].device;
    again.found = media::InspectReport{.size = 1_GiB, .scheme = "ours", .volumes = {}};
    DeviceRecord other = again;
    other.key = "usb-other";
    other.name = "other";
    other.found.reset();
    REQUIRE(reason(store->put(campaign, other)) == "success");
    const std::string first = before->devices[0].device.found ? before->devices[0].device.found->scheme : "ours";
    other.found = again.found;
    REQUIRE(reason(store->put(campaign, again)) == "success");
    REQUIRE(reason(store->put(campaign, other)) == "success");
    again.found->scheme = other.found->scheme = "ours, later";
    REQUIRE(reason(store->put(campaign, again)) == "success");
    other.found.reset();
    REQUIRE(reason(store->put(campaign, other)) == "success");
    const auto view = store->load(campaign);
    REQUIRE(view);
    REQUIRE(view->devices[0].device.found);
    CHECK(view->devices[0].device.found->scheme == first);
    REQUIRE(view->devices.back().device.key == "usb-other");
    REQUIRE(view->devices.back().device.found);
    CHECK(view->devices.back().device.found->scheme == "ours");
}

TEST_CASE_METHOD(PlayedStore, "a pass that is stored again keeps its cells and loses its end") {
    play();
    auto view = store->load(campaign);
    REQUIRE(view);
    PassRecord again = view->devices[0].passes[0].pass;
    again.repeat = 7;
    REQUIRE(reason(store->put(campaign, again)) == "success");
    view = store->load(campaign);
    REQUIRE(view);
    const PassView& pass = view->devices[0].passes[0];
    CHECK(pass.pass.repeat == 7);
    CHECK_FALSE(pass.end);
    CHECK(pass.cells.size() == 2);
}

TEST_CASE_METHOD(PlayedStore, "a format that is stored again replaces its former record") {
    play();
    FormatRecord again = store->load(campaign)->devices[0].made[0];
    CHECK(again.seen->volumes.at(0).label == "MEDIARIG"); // label of the second format
    again.formatted.tool = "newfs_exfat";
    again.seen.reset();
    REQUIRE(reason(store->put(campaign, again)) == "success");
    const auto view = store->load(campaign);
    REQUIRE(view);
    const auto& made = view->devices[0].made;
    REQUIRE(made.size() == 3);
    CHECK(made[0].step == "m0.r1.exfat.format");
    CHECK(made[0].formatted.tool == "newfs_exfat");
    CHECK_FALSE(made[0].seen);
    CHECK(Database(file).run("SELECT step, format, repeat, tool, usable_bytes FROM made_format ORDER BY id") ==
          std::vector<std::string>{"m0.r1.exfat.format|exfat|1|newfs_exfat|67645734912",
                                   "m0.r1.apfs.format|apfs|1|mkapfs|66571993088",
                                   "m0.r2.exfat.format|exfat|2|mkfs.exfat|67645734912"});
}

TEST_CASE_METHOD(PlayedStore, "a cell that is stored again gets a new raw log and keeps its position") {
    play();
    const std::string pass = "m0.r1.exfat.quickbench";
    const workload::CellResult again = scripted_cell("standard.seq_write.4096", 10, 99);
    REQUIRE(reason(store->put_cell(campaign, pass, again)) == "success");
    const auto view = store->load(campaign);
    REQUIRE(view);
    const auto& cells = view->devices[0].passes[0].cells;
    REQUIRE(cells.size() == 2);
    CHECK(cells[0].cell.id == "standard.seq_write.4096");
    CHECK(cells[0].latency == again.latency);
    CHECK(store->raw_log(campaign, pass, again.cell.id) == again.raw_log);
}

TEST_CASE_METHOD(PlayedStore, "a raw log of any length is returned in order") {
    play();
    for (const std::size_t length : {0u, 1u, 8191u, 8192u, 8193u, 50'000u}) {
        CAPTURE(length);
        workload::CellResult cell = scripted_cell("c", 0, 1);
        cell.raw_log.resize(length);
        std::iota(cell.raw_log.begin(), cell.raw_log.end(),
                  4'294'900'000u); // the values wrap around, so that every encoded width occurs
        REQUIRE(reason(store->put_cell(campaign, "m0.r2.exfat.quickbench", cell)) == "success");
        CHECK(store->raw_log(campaign, "m0.r2.exfat.quickbench", "c") == cell.raw_log);
    }
}

TEST_CASE_METHOD(PlayedStore, "a duplicate finding or untested part is not added, but a second check is added") {
    play();
    const auto before = store->load(campaign);
    REQUIRE(before);
    const DeviceView& device = before->devices[0];
    for (int i = 0; i < 2; ++i) {
        REQUIRE(reason(store->add(campaign, first_device, device.findings[0])) == "success");
        REQUIRE(reason(store->add(campaign, first_device, device.untested[0])) == "success");
        REQUIRE(reason(store->add(campaign, first_device, device.checks[0])) == "success");
    }
    measure::Finding other = device.findings[0];
    other.count += 1;
    REQUIRE(reason(store->add(campaign, first_device, other)) == "success");
    const auto view = store->load(campaign);
    REQUIRE(view);
    CHECK(view->devices[0].findings.size() == 2);
    CHECK(view->devices[0].untested == device.untested);
    CHECK(view->devices[0].checks.size() == 4);
}

TEST_CASE_METHOD(PlayedStore, "the journal returns the last state of each step") {
    play();
    const auto steps = store->steps(campaign);
    REQUIRE(steps);
    CHECK(steps->size() == 3);
    CHECK(steps->at("m0.r1.exfat.quickbench.run").state == StepState::done);
    REQUIRE(reason(store->journal(campaign, {.key = "m0.identify", .state = StepState::failed, .detail = "gone"})) ==
            "success");
    CHECK(store->steps(campaign)->at("m0.identify").detail == "gone");
    CHECK(Database(file).one("SELECT count(*) FROM journal WHERE step = 'm0.identify'") == "3");
}

TEST_CASE_METHOD(PlayedStore, "beginning an existing campaign replaces its record and keeps its dependent records") {
    play();
    auto record = store->load(campaign)->campaign;
    record.state = CampaignState::running;
    record.ended.reset();
    record.origin.kernel = "6.12";
    REQUIRE(reason(store->begin(record)) == "success");
    const auto view = store->load(campaign);
    REQUIRE(view);
    CHECK(view->campaign.state == CampaignState::running);
    CHECK_FALSE(view->campaign.ended);
    CHECK(view->campaign.origin.kernel == "6.12");
    CHECK(view->devices.size() == 2);
}

TEST_CASE_METHOD(PlayedStore, "campaigns are listed newest first and found by complete ids only") {
    for (const char* id : {"0193a", "0193b", "0293b"}) {
        CampaignRecord record{.id = id, .name = id};
        record.started = TimePoint(std::chrono::seconds(id[4]));
        REQUIRE(reason(store->begin(record)) == "success");
    }
    const auto all = store->campaigns();
    REQUIRE(all);
    REQUIRE(all->size() == 3);
    CHECK((*all)[0].id == "0293b");
    CHECK((*all)[2].id == "0193a");

    CHECK(store->load("0193a")->campaign.id == "0193a");
    for (const char* word : {"02", "0193", "9", "", "%"})
        CHECK(reason(store->load(word)) == "the store holds no campaign '" + std::string(word) + "'");
    CHECK(store->load("9").error().code == Errc::bad_request);
}

TEST_CASE_METHOD(PlayedStore, "a reference to a missing record is refused and stores nothing") {
    play();
    const std::string before = told(*store, campaign);
    const auto check_refused = [](const auto& result, const std::string& why) {
        CHECK(reason(result) == why);
        CHECK((!result && result.error().code == Errc::bad_request));
    };
    const workload::CellResult cell = scripted_cell("c", 10, 1);
    const std::string no_campaign = "the store holds no campaign 'x'";
    check_refused(store->end("x", CampaignState::finished, {}), no_campaign);
    check_refused(store->journal("x", {.key = "m0.identify"}), no_campaign);
    DeviceRecord device{.key = "d"};
    device.identity.node = "/dev/sdx";
    check_refused(store->put("x", device), no_campaign);
    PassRecord pass = store->load(campaign)->devices[0].passes[0].pass;
    pass.device = "d";
    const std::string no_device = "the store holds no device 'd' in campaign '" + campaign + "'";
    check_refused(store->put(campaign, pass), no_device);
    check_refused(store->put(campaign, FormatRecord{.step = "m0.r1.exfat.format", .device = "d", .repeat = 1}),
                  no_device);
    for (const DeviceEntry& entry : {DeviceEntry(measure::Finding{}), DeviceEntry(media::CheckReport{}),
                                     DeviceEntry(measure::Untested{"x", "y"}), DeviceEntry(measure::Verdict{})})
        check_refused(store->add(campaign, "d", entry), no_device);
    const std::string no_pass = "the store holds no pass 'p' in campaign '" + campaign + "'";
    check_refused(store->put_cell(campaign, "p", cell), no_pass);
    check_refused(store->put_end(campaign, "p", {}), no_pass);
    check_refused(store->add(campaign, first_device, measure::Finding{.pass = "p"}), no_pass);
    check_refused(store->add(campaign, first_device, measure::Finding{.pass = "m1.r1.raw.verify"}),
                  "pass 'm1.r1.raw.verify' is not one of device '" + first_device + "'");
    check_refused(store->raw_log(campaign, "m1.r1.raw.verify", "c"),
                  "pass 'm1.r1.raw.verify' of campaign '" + campaign + "' holds no cell 'c'");
    check_refused(store->steps("x"), no_campaign);
    CHECK(told(*store, campaign) == before);
}

TEST_CASE_METHOD(PlayedStore, "a record that could not be read back is not stored") {
    play();
    const std::string before = told(*store, campaign);
    const auto check_refused = [](const Result<void>& result, const std::string& why) {
        CHECK_THAT(reason(result), ContainsSubstring("not stored, because it could not be read back: " + why));
        CHECK((!result && result.error().code == Errc::bad_request));
    };
    check_refused(store->put(campaign, DeviceRecord{.key = "d"}), "device.identity.node: missing");
    const PassRecord pass{.id = "p", .device = first_device, .job = {.payload = {workload::PayloadKind::given}}};
    check_refused(store->put(campaign, pass), "pass.job.payload.given: missing");
    FormatRecord made = store->load(campaign)->devices[0].made[0];
    made.formatted.elapsed = std::chrono::nanoseconds(-1);
    check_refused(store->put(campaign, made), "made format.formatted.elapsed_ns: ");
    measure::Finding finding = store->load(campaign)->devices[0].findings[0];
    finding.detail = std::string(100'000, 'x');
    check_refused(store->add(campaign, first_device, finding), "finding.detail: ");
    workload::CellResult cell = scripted_cell("c", 10, 1);
    cell.findings[0].detail = std::string(100'000, 'x');
    check_refused(store->put_cell(campaign, "m0.r2.exfat.quickbench", cell), "cell.findings[0].detail: ");
    CHECK(told(*store, campaign) == before);
}

TEST_CASE_METHOD(PlayedStore, "invalid UTF-8, quotes and line ends are stored safely") {
    REQUIRE(store->begin({.id = "c", .name = "a'b\"c\nd", .plan = "\\ :x ?1"}));
    DeviceRecord device{.key = "d", .name = "käse"};
    device.identity.node = "/dev/sdx";
    device.identity.model = "bad \xff\xfe byte";
    REQUIRE(reason(store->put("c", device)) == "success");
    const auto view = store->load("c");
    REQUIRE(reason(view) == "success");
    CHECK(view->campaign.name == "a'b\"c\nd");
    CHECK(view->campaign.plan == "\\ :x ?1");
    CHECK(view->devices[0].device.name == "käse");
    CHECK(view->devices[0].device.identity.model == "bad \xef\xbf\xbd\xef\xbf\xbd byte");
}

TEST_CASE_METHOD(PlayedStore, "a cell without measurements has NULL as percentiles") {
    play();
    workload::CellResult cell = scripted_cell("empty", 0, 1);
    cell.latency = {};
    cell.operations = 0;
    cell.elapsed = {};
    cell.end = workload::CellEnd::error;
    REQUIRE(reason(store->put_cell(campaign, "m0.r2.exfat.quickbench", cell)) == "success");
    CHECK(store->load(campaign)->devices[0].passes[1].cells[0].latency.empty());
    Database database(file);
    CHECK(database.one("SELECT min_ns, p50_ns, max_ns FROM cell WHERE key = 'empty'") == "null|null|null");
    CHECK(database.one("SELECT bytes_per_s, ops_per_s FROM measurement WHERE cell = 'empty'") == "null|null");
}

TEST_CASE_METHOD(PlayedStore, "rates and latencies can be read as plain SQL columns") {
    play();
    Database database(file);
    const workload::CellResult cell = scripted_cell("verify.read", 0, 12);
    CHECK(database.one("SELECT access, block_bytes, queue_depth, bytes, ops, elapsed_ns, p50_ns, p99_ns, max_ns, "
                       "round(bytes_per_s), round(ops_per_s, 1), model, format, suite FROM measurement "
                       "WHERE cell = 'verify.read'") ==
          "seq_write|4096|1|16777216|4096|1234567890|" + std::to_string(cell.latency.quantile(0.5)->count()) + "|" +
              std::to_string(cell.latency.quantile(0.99)->count()) + "|" + std::to_string(cell.latency.max().count()) +
              "|13589545.0|3317.8||raw|verify");
    CHECK(database.one("SELECT min_ns, mean_ns FROM cell WHERE key = 'verify.read'") ==
          std::to_string(cell.latency.min().count()) + "|" + std::to_string(cell.latency.mean()->count()));
    CHECK(database.one("SELECT kind, severity, times FROM finding WHERE cell = 'verify.read'") ==
          "capacity_missing|fault|3");
    CHECK(database.run("SELECT name, grade FROM device ORDER BY id") ==
          std::vector<std::string>{"fast|MARGINAL", "slow|FAKE"});
}

TEST_CASE_METHOD(PlayedStore, "the SQL examples of docs/reference/store.md return results") {
    play();
    const std::string text = tests::text_of(MEDIARIG_DOCS_DIR "/reference/store.md");
    const std::string begins = "```sql\n", ends = "```";
    std::vector<std::string> questions;
    for (auto at = text.find(begins); at != std::string::npos; at = text.find(begins, at + begins.size()))
        questions.push_back(text.substr(at + begins.size(), text.find(ends, at + begins.size()) - at - begins.size()));
    REQUIRE(questions.size() == 2);
    Database database(file);
    CHECK(database.run(questions[0]) == std::vector<std::string>{"fast|exfat|seq_write|4|13.6|2"});
    // The example in the document reads small random writes, but the cells of this test are sequential.
    const std::string question = replaced(questions[1], "random_write", "seq_write");
    const auto cell = scripted_cell("", 9'000, 22);
    const auto rows = database.run(question);
    REQUIRE(rows.size() == 2);
    CHECK(rows[0] == "lot 17|MARGINAL|exfat|" + std::to_string(cell.latency.quantile(0.99)->count() / 1000) + "|" +
                         std::to_string(cell.latency.max().count() / 1000));
}
