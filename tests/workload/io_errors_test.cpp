// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/io/io_errors.hpp"

#include <cerrno>

#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::workload;
using measure::FindingKind;

namespace {
IoErrors going_on() {
    return {OnIoError::go_on, LossTest([] { return false; })};
}
} // namespace

TEST_CASE("adjacent failed transfers give one finding with offset and number") {
    IoErrors errors = going_on();
    for (const std::uint64_t offset : {8192u, 0u, 4096u, 65536u}) CHECK(errors.failed(false, offset, 4096, EIO));
    const auto findings = errors.take_findings();
    REQUIRE(findings.size() == 2);
    CHECK(findings[0].kind == FindingKind::io_error);
    CHECK(findings[0].offset == Bytes{0});
    CHECK(findings[0].length == 12_KiB);
    CHECK(findings[0].count == 3);
    CHECK(findings[0].detail == "read failed: Input/output error");
    CHECK(findings[1].offset == 64_KiB);
    CHECK(errors.take_findings().empty());
    CHECK(errors.count() == 4);
}

TEST_CASE("failed transfers of different kinds give separate findings") {
    IoErrors errors = going_on();
    CHECK(errors.failed(false, 0, 4096, EIO));
    CHECK(errors.failed(false, 4096, 4096, EILSEQ));
    CHECK(errors.failed(true, 8192, 4096, EIO));
    CHECK(errors.take_findings().size() == 3);
}

TEST_CASE("a job with stop-on-error stops at the first failed transfer") {
    IoErrors errors(OnIoError::stop, LossTest([] { return false; }));
    CHECK_FALSE(errors.failed(true, 0, 512, EIO));
    CHECK(errors.first_error() == EIO);
    CHECK_FALSE(errors.medium_lost());
}

TEST_CASE("a lost medium stops the job under any error policy") {
    for (const int error : {ENODEV, ENXIO, ENOMEDIUM, ESHUTDOWN}) {
        IoErrors errors = going_on();
        CHECK_FALSE(errors.failed(false, 0, 512, error));
        CHECK(errors.medium_lost());
        CHECK(errors.take_findings().at(0).kind == FindingKind::medium_lost);
    }
    IoErrors errors(OnIoError::go_on, LossTest([] { return true; }));
    CHECK_FALSE(errors.failed(false, 0, 512, EIO));
    CHECK(errors.medium_lost());
    IoErrors empty(OnIoError::go_on, LossTest([] { return true; }));
    CHECK_FALSE(empty.record_short_transfer(false, 0, 512, 0));
    CHECK(empty.medium_lost());
}

TEST_CASE("a full medium stops the job") {
    IoErrors errors = going_on();
    CHECK_FALSE(errors.failed(true, 0, 512, ENOSPC));
    CHECK(errors.medium_full());
    CHECK(errors.take_findings().at(0).kind == FindingKind::medium_full);
}

TEST_CASE("a short transfer is reported with the missing part") {
    IoErrors errors = going_on();
    CHECK(errors.record_short_transfer(false, 4096, 4096, 1024));
    const auto findings = errors.take_findings();
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].kind == FindingKind::short_transfer);
    CHECK(findings[0].offset == 5_KiB);
    CHECK(findings[0].length == 3_KiB);
}

TEST_CASE("the list of failed transfers stays bounded on a medium that fails everywhere") {
    IoErrors errors = going_on();
    for (std::uint64_t i = 0; i < 50'000; ++i) CHECK_NOTHROW(errors.failed(false, i * 8192, 4096, EIO));
    const auto findings = errors.take_findings();
    REQUIRE(findings.size() == IoErrors::most_places + 1);
    CHECK_FALSE(findings.back().offset);
    CHECK(findings.back().count == 50'000 - IoErrors::most_places);
    CHECK(errors.count() == 50'000);
}

TEST_CASE("a process limit or user quota stops the job without a finding about the medium") {
    for (const int error : {EFBIG, EDQUOT}) {
        IoErrors errors = going_on();
        CHECK_FALSE(errors.failed(true, 0, 512, error));
        REQUIRE(errors.host_error());
        CHECK(errors.host_error()->code == Errc::no_permission);
        CHECK(errors.take_findings().empty());
    }
}

TEST_CASE("a medium that responds at no position is reported as lost after its first ambiguous failure") {
    for (const int error : {EIO, EREMOTEIO, ETIMEDOUT, EPROTO}) {
        CAPTURE(error);
        IoErrors errors(OnIoError::go_on, LossTest([] { return false; }, [] { return false; }));
        CHECK_FALSE(errors.failed(false, 0, 512, error));
        CHECK(errors.medium_lost());
        CHECK(errors.take_findings().at(0).kind == FindingKind::medium_lost);
    }
}

TEST_CASE("whether a medium still responds at other positions is tested after its first failures, and then rarely") {
    int asked = 0;
    bool responds = true;
    IoErrors errors(OnIoError::go_on, LossTest([] { return false; },
                                               [&] {
                                                   ++asked;
                                                   return responds;
                                               }));
    for (std::uint64_t i = 0; i < 160; ++i) CHECK(errors.failed(false, i * 8192, 4096, EIO));
    CHECK(asked == 4 + 10);
    // Now the medium is removed, in the middle of a bad region.
    responds = false;
    std::uint64_t more = 0;
    while (errors.failed(false, (1 << 30) + more * 8192, 4096, EIO)) ++more;
    CHECK(more < 16);
    CHECK(errors.medium_lost());
}

TEST_CASE("the time of failed transfers is bounded, unless the job continues without a limit") {
    using namespace std::chrono_literals;
    for (const OnIoError policy : {OnIoError::bounded, OnIoError::go_on}) {
        IoErrors errors(policy, LossTest([] { return false; }));
        const bool bounded = policy == OnIoError::bounded;
        CHECK(errors.failed(false, 0, 4096, EIO, 2min));
        CHECK(errors.failed_in_parts(false, 4096, EIO, 2min));
        CHECK(errors.failed(false, 8192, 4096, EIO, 30s));
        CHECK_FALSE(errors.took_too_long());
        CHECK(errors.failed(false, 12288, 4096, EIO, 30s) != bounded);
        CHECK(errors.took_too_long() == bounded);
        CHECK(errors.failed_in_parts(true, 0, EIO, 0s) != bounded);
        CHECK_FALSE(errors.medium_lost());
    }
}

TEST_CASE("the time of failed transfers and flushes is bounded for all parts of a job together") {
    using namespace std::chrono_literals;
    FailedTransfers failures;
    {
        IoErrors first(OnIoError::bounded, LossTest([] { return false; }), {}, &failures);
        CHECK(first.failed(true, 0, 4096, EIO, 2min));
        CHECK(first.failed_flush(2min));
    }
    IoErrors second(OnIoError::bounded, LossTest([] { return false; }), {}, &failures);
    CHECK_FALSE(second.took_too_long());
    CHECK_FALSE(second.failed_flush(1min));
    CHECK(second.took_too_long());
    CHECK(failures.took() == 5min);
    CHECK(failures.count() == 1); // a flush is no transfer
    IoErrors unlimited(OnIoError::go_on, LossTest([] { return false; }), {}, &failures);
    CHECK(unlimited.failed_flush(1h));
}

TEST_CASE("the progress of a job contains the number of failed transfers and the first failed transfer") {
    FailedTransfers failures;
    IoErrors errors(OnIoError::go_on, LossTest([] { return false; }), {}, &failures);
    CHECK(failures.count() == 0);
    CHECK(errors.failed_in_parts(true, 4096, EREMOTEIO, {}));
    CHECK(errors.failed(false, 0, 512, EIO));
    CHECK(errors.record_short_transfer(false, 8192, 512, 100));
    CHECK(failures.count() == 3);
    CHECK(failures.first().writing);
    CHECK(failures.first().offset == 4096);
    CHECK(failures.first().error == EREMOTEIO);
}
