// SPDX-License-Identifier: GPL-3.0-or-later
/// Tests a tray of cards on the simulated rig from the window. The firmware core moves the cards, and the virtual lab
/// is connected to the readers.
#include <QComboBox>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QTextBrowser>

#include "host/gui/tray_dialog.hpp"
#include "tests/e2e/require_lab.hpp"
#include "tests/gui/window.hpp"
#include "tests/json.hpp"
#include "tests/sample.hpp"

using namespace mediarig;
using namespace mediarig::gui;

TEST_CASE("window: a tray is tested on the simulated rig from its plan to the bins") {
    MEDIARIG_LAB_PART(4);
    NEEDS_LAB();
    Window of;
    nlohmann::json plan = {{"mediarig_plan", 1},
                           {"name", "tray"},
                           {"media", {{{"slot", 1}}, {{"slot", 2}}}},
                           {"suites", {{{"suite", "capacity"}, {"where", "raw"}, {"assumed_cache", "4MiB"}}}}};
    const nlohmann::json cards[] = {{{"claimed_bytes", "64MiB"}},
                                    {{"claimed_bytes", "96MiB"}, {"real_bytes", "32MiB"}, {"beyond_real", "wrap"}}};
    for (std::size_t slot = 1; slot <= std::size(cards); ++slot) {
        const std::filesystem::path card = of.folder / ("card-" + std::to_string(slot) + ".json");
        e2e::write_file(card, cards[slot - 1].dump());
        plan["lab"].push_back({{"slot", slot}, {"kind", "usb"}, {"card", card.string()}});
    }
    e2e::write_file(of.folder / "plan.json", plan.dump());
    of.open();
    const Clicks clicks;
    Window::click(of.child<QCommandLinkButton>("tray"));
    auto* const tray = of.dialog<TrayDialog>();
    REQUIRE(tray != nullptr);
    REQUIRE(QTest::qWaitForWindowExposed(tray));
    tray->open_plan(QString::fromStdString((of.folder / "plan.json").string()));
    auto& rig = of.child<QComboBox>("rig", tray);
    rig.setCurrentIndex(rig.findData("sim"));
    Window::click(of.child<QPushButton>("estimate_run", tray));
    auto& begin = of.child<QPushButton>("begin", tray);
    auto& typed = of.child<QLineEdit>("confirmation", tray);
    REQUIRE(until([&] { return typed.isVisible(); }));
    QTest::keyClicks(&typed, "2");
    Window::click(begin);
    CHECK(clicks.count == 3);
    auto& log = of.child<QPlainTextEdit>("log");
    // Emulated cards take long on a busy machine.
    for (int tries = 0; tries < 6 && of.pages().currentIndex() != 2; ++tries)
        (void)until([&] { return of.pages().currentIndex() == 2; });
    CAPTURE(log.toPlainText().toStdString());
    REQUIRE(of.pages().currentIndex() == 2);
    const QString cards_shown = of.child<QTextBrowser>("cards").toPlainText();
    CHECK(cards_shown.contains("PROBED"));
    CHECK(cards_shown.contains("FAKE"));
    CHECK(log.toPlainText().contains("into bin pass"));
    CHECK(log.toPlainText().contains("into bin fail"));
    picture(of.window, "window-tray-answer");
}
