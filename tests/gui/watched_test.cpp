// SPDX-License-Identifier: GPL-3.0-or-later
/// Tests the page of a running campaign with the events of campaigns that are too long for a real test.
#include <malloc.h>
#include <sys/resource.h>

#include <QEvent>
#include <QLabel>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QtTest/QTest>
#include <array>
#include <chrono>
#include <iostream>

#include "host/gui/curve.hpp"
#include "tests/gui/watched.hpp"

using namespace mediarig;
using namespace mediarig::gui;
using namespace std::chrono_literals;

namespace {

/// Counts paint events.
class Paints final : public QObject {
public:
    explicit Paints(const QWidget& window) : window_(window) { qApp->installEventFilter(this); }
    std::size_t curves{}, windows{};

protected:
    bool eventFilter(QObject* of, QEvent* event) override {
        if (event->type() == QEvent::Paint && dynamic_cast<Curve*>(of) != nullptr) ++curves;
        if (event->type() == QEvent::UpdateRequest && of == &window_) ++windows;
        return false;
    }

private:
    const QWidget& window_;
};

std::size_t curves_of(const QWidget& page) {
    std::size_t count = 0;
    for (const auto* const each : page.findChildren<QWidget*>())
        if (dynamic_cast<const Curve*>(each) != nullptr) ++count;
    return count;
}

std::chrono::microseconds spent() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return std::chrono::seconds(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           std::chrono::microseconds(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

} // namespace

TEST_CASE("64 lanes are drawn at most 60 times per second at any event rate") {
    Watched watched;
    watched.begin(64);
    REQUIRE(QTest::qWaitFor([&] {
        watched.pass();
        return curves_of(watched.page) == 65;
    }));
    const Paints paints(watched.page);
    const auto begun = std::chrono::steady_clock::now();
    const auto before = spent();
    std::uint64_t told = 0;
    // In practice each lane reports four times per second. Here it reports as fast as possible. The rate rises all the
    // time, because a curve with a constant rate looks the same and is not redrawn.
    for (std::uint64_t tick = 1; paints.windows < 8 && tick < 200'000; ++tick) {
        for (std::size_t lane = 0; lane < 64; ++lane, ++told)
            watched.progress(std::chrono::milliseconds(250 * tick), lane, (tick * tick * (lane + 1)) << 6);
        watched.pass();
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
    const std::chrono::duration<double> used = spent() - before;
    std::cout << told << " events in " << took.count() << " s, " << used.count() << " s of them CPU, " << paints.windows
              << " redraws, " << paints.curves << " curves\n";
    CHECK(paints.windows >= 8);
    CHECK(static_cast<double>(paints.windows) <= 60 * took.count() + 2);
    CHECK(paints.curves <= paints.windows * 65);
    CHECK(told > 64 * paints.windows);
    CHECK(cut_texts(watched.page) == std::vector<std::string>{});
    CHECK(nameless(watched.page) == std::vector<std::string>{});
}

TEST_CASE("each of 64 small lanes shows its state, and the large lane shows every detail") {
    Watched watched;
    watched.page.resize(1200, 1150);
    watched.begin(64);
    media::Medium card;
    card.node = "/dev/sdb";
    card.transport = media::Transport::usb;
    card.vendor = "SanDisk";
    card.model = "Ultra";
    card.size = Bytes{63'900'000'000};
    card.serial = "4C530001230715117180";
    watched.tell(1s, campaign::MediumIdentified{.medium = "slot-1", .identity = card});
    watched.tell(1s, campaign::TemperatureRead{.medium = "slot-1", .celsius = 38});
    // Each medium is fast until its cache is full, at different times, and never at a steady rate.
    std::array<std::uint64_t, 64> done{};
    std::uint64_t noise = 1;
    for (std::uint64_t tick = 1; tick <= 150; ++tick) {
        for (std::size_t lane = 0; lane < done.size(); ++lane) {
            noise = noise * 6364136223846793005u + 1442695040888963407u;
            const bool is_full = tick > 40 + lane;
            done[lane] += (is_full ? 9'000'000 : 20'000'000 + lane * 200'000) + (noise >> 33) % 6'000'000;
            watched.tell(1s + std::chrono::milliseconds(500 * tick),
                         campaign::StepProgress{
                             .index = lane, .phase = "write", .done = {done[lane]}, .total = {4'000'000'000}});
        }
        watched.pass();
    }
    const auto judge = [&](const char* medium, measure::Grade grade) {
        watched.tell(80s, campaign::VerdictReached{.medium = medium, .verdict = {.grade = grade}});
    };
    judge("slot-7", measure::Grade::fake);
    judge("slot-12", measure::Grade::fail);
    judge("slot-20", measure::Grade::pass);
    const auto shown = [&](const char* text) {
        std::size_t count = 0;
        for (auto* const label : watched.page.findChildren<QLabel*>())
            if (label->isVisible() && label->text().contains(text)) ++count;
        return count;
    };
    REQUIRE(QTest::qWaitFor([&] {
        watched.pass();
        return shown("FAKE") == 1 && shown("FAIL") == 1 && shown("PASS") == 1;
    }));
    CHECK(shown("SanDisk Ultra 63.9 GB 4C530001230715117180, 38 °C") == 1);
    CHECK(cut_texts(watched.page) == std::vector<std::string>{});
    CHECK(nameless(watched.page) == std::vector<std::string>{});
    picture(watched.page, "window-64-lanes");
}

TEST_CASE("a small lane expands when its name is pressed") {
    Watched watched;
    watched.begin(12);
    REQUIRE(QTest::qWaitFor([&] {
        watched.pass();
        return curves_of(watched.page) == 13;
    }));
    QPushButton* seventh = nullptr;
    for (auto* const each : watched.page.findChildren<QPushButton*>())
        if (each->text() == "slot-7") seventh = each;
    REQUIRE(seventh != nullptr);
    QTest::keyClick(seventh, Qt::Key_Space);
    const auto whole = watched.page.findChild<QProgressBar*>();
    REQUIRE(whole != nullptr);
    CHECK(whole->parentWidget()->accessibleName() == "slot-7");
}

TEST_CASE("the remaining time of a lane is shown with its uncertainty") {
    Watched watched;
    watched.begin(1);
    // The medium becomes slower all the time: the average of the step and the rate of the last seconds differ.
    std::uint64_t done = 0;
    for (int second = 1; second <= 60; ++second) {
        done += (second < 40 ? 8ull : 2ull) << 40;
        watched.progress(std::chrono::seconds(second), 0, done);
    }
    const auto told = [&] {
        watched.pass();
        for (auto* const label : watched.page.findChildren<QLabel*>())
            if (label->text().contains("±") && label->text().contains("left")) return true;
        return false;
    };
    CHECK(QTest::qWaitFor(told));
    picture(watched.page, "window-one-lane");
}

TEST_CASE("pressing the stop button requests a stop at once") {
    Watched watched;
    watched.begin(1);
    auto& stop = watched.child<QPushButton>("stop");
    REQUIRE(stop.isEnabled());
    QTest::mouseClick(&stop, Qt::LeftButton);
    REQUIRE(QTest::qWaitFor([&] {
        watched.pass();
        return !watched.asked.empty();
    }));
    CHECK(watched.asked == std::vector{events::ControlRequest::stop});
    watched.tell(1s,
                 campaign::CampaignEnded{.campaign = "c1", .state = store::CampaignState::interrupted, .detail = ""});
    REQUIRE(QTest::qWaitFor([&] {
        watched.pass();
        return !watched.ended.empty();
    }));
    CHECK(watched.ended == "c1");
}

TEST_CASE("pressing the pause button requests a pause, and pressing it again continues the campaign") {
    Watched watched;
    watched.begin(1);
    auto& pause = watched.child<QPushButton>("pause");
    const auto press = [&](events::ControlRequest wanted, std::size_t asked) {
        QTest::mouseClick(&pause, Qt::LeftButton);
        REQUIRE(QTest::qWaitFor([&] {
            watched.pass();
            return watched.asked.size() == asked;
        }));
        CHECK(watched.asked.back() == wanted);
    };
    const auto shows = [&](const char* text) {
        return QTest::qWaitFor([&] {
            watched.pass();
            return pause.text().contains(text);
        });
    };
    press(events::ControlRequest::pause, 1);
    CHECK(shows("Pause"));
    watched.tell(1s, campaign::PauseChanged{true});
    REQUIRE(shows("Continue"));
    press(events::ControlRequest::resume, 2);
    watched.tell(2s, campaign::PauseChanged{false});
    CHECK(shows("Pause"));
}

TEST_CASE("the remaining time of the campaign is shown above its lanes with its uncertainty") {
    Watched watched;
    watched.begin(2);
    const auto shows = [&](const char* text) {
        return QTest::qWaitFor([&] {
            watched.pass();
            return watched.child<QLabel>("place").text() == text;
        });
    };
    CHECK(shows("step 2 of 2"));
    watched.tell(10s, campaign::TimeLeft{.left = 720s, .within = std::nullopt, .at_most = false});
    CHECK(shows("step 2 of 2; 12 min left"));
    watched.tell(20s, campaign::TimeLeft{.left = 720s, .within = 180s, .at_most = true});
    CHECK(shows("step 2 of 2; at most 12 min ± 3 min left"));
    picture(watched.page, "window-time-left");
}

TEST_CASE("the temperature of a medium with a sensor is shown with its name") {
    Watched watched;
    watched.begin(1);
    watched.tell(1s, campaign::TemperatureRead{.medium = "slot-1", .celsius = 43.6});
    CHECK(QTest::qWaitFor([&] {
        watched.pass();
        for (auto* const label : watched.page.findChildren<QLabel*>())
            if (label->text().contains("44 °C")) return true;
        return false;
    }));
}

TEST_CASE("the event list keeps a limited number of lines") {
    Watched watched;
    watched.begin(1);
    auto& log = watched.child<QPlainTextEdit>("log");
    const std::size_t lines = CampaignModel::most_lines + 500;
    for (std::size_t i = 0; i < lines; ++i) {
        watched.tell(std::chrono::seconds(i),
                     campaign::FindingReported{.medium = "slot-1",
                                               .finding = {.kind = measure::FindingKind::data_damaged,
                                                           .severity = measure::Severity::warning,
                                                           .detail = "number " + std::to_string(i)}});
        if (i % 100 == 0) watched.pass();
    }
    const QString last = QString("number %1").arg(lines - 1);
    CHECK(QTest::qWaitFor([&] {
        watched.pass();
        return log.toPlainText().contains(last);
    }));
    CHECK(log.blockCount() <= static_cast<int>(CampaignModel::most_lines));
}

TEST_CASE("the memory of a campaign does not grow with time") {
    Watched watched;
    watched.begin(4);
    std::size_t before = 0;
    std::uint64_t second = 0;
    const auto until = [&](std::chrono::seconds end) {
        for (; second < static_cast<std::uint64_t>(end.count()); second += 4) {
            const std::chrono::seconds at(second);
            for (std::size_t lane = 0; lane < 4; ++lane) watched.progress(at, lane, second << 20);
            if (second % 60 == 0)
                watched.tell(at,
                             campaign::FindingReported{.medium = "slot-1",
                                                       .finding = {.kind = measure::FindingKind::data_damaged,
                                                                   .severity = measure::Severity::warning,
                                                                   .detail = "at second " + std::to_string(second)}});
            if (second % 200 == 0) watched.pass();
        }
        for (int rounds = 0; rounds < 100; ++rounds) watched.pass();
        QTest::qWait(300);
        return ::mallinfo2().uordblks;
    };
    // The last 1,000 lines and 600 rates are kept: after 17 hours this amount is constant.
    before = until(17h);
    const std::size_t after_a_day = until(24h);
    std::cout << "memory in use: " << before / 1024 << " KiB after 17 h, " << after_a_day / 1024 << " KiB after 24 h\n";
    CHECK(after_a_day < before + 512 * 1024);
}
