// SPDX-License-Identifier: GPL-3.0-or-later
/// Uses the window from the choice of an attached medium to the answer, with a real block device.
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTableView>
#include <QTextBrowser>
#include <QTreeWidget>

#include <chrono>
#include <iostream>

#include "tests/gui/window.hpp"

using namespace mediarig;
using namespace mediarig::gui;

TEST_CASE("window: no question can be asked before a medium is chosen") {
    Window of;
    of.open();
    CHECK(of.child<QListWidget>("attached").currentItem() == nullptr);
    for (auto* const button : of.window.findChildren<QCommandLinkButton*>()) {
        // The tray button is always enabled: the contents of a rig are queried later.
        CHECK(button->isEnabled() == (button->objectName() == "tray"));
        CHECK(!button->accessibleName().isEmpty());
    }
    CHECK(!of.child<QPushButton>("stop").isEnabled());
    CHECK(!of.child<QPushButton>("pause").isEnabled());
}

TEST_CASE("window: each question of a chosen medium shows its cost, or the reason why it cannot be asked") {
    if (!e2e::is_root()) MEDIARIG_SKIP("needs root for loop devices");
    if (e2e::is_plain_chroot()) MEDIARIG_SKIP("loop devices cannot be tested in a plain chroot");
    Window of;
    const LoopDevice formatted(of.folder / "holiday.img", 8ull << 30), blank(of.folder / "blank.img", 64 << 20);
    if (e2e::tool({"mkfs.exfat", "-L", "HOLIDAY", formatted.node()}).status != 0)
        MEDIARIG_SKIP("mkfs.exfat is not installed");
    of.open();
    const auto says = [&](const char* question, const char* text) {
        return until([&] { return of.child<QCommandLinkButton>(question).description().contains(text); });
    };
    of.choose(blank.node());
    CHECK(says("verify", "About"));
    CHECK(says("bench --suite quickbench", "file system"));
    // A comparison needs more space than this medium has.
    CHECK(says("compare --formats exfat,fat32", "does not fit"));
    of.choose(formatted.node());
    CHECK(of.entry(formatted.node())->text().contains("On the medium: exFAT"));
    for (const char* question : {"verify --probe", "verify", "bench --suite quickbench"}) {
        CAPTURE(question);
        CHECK(says(question, "About"));
    }
    // The button shows both formats, or the reason why this machine cannot compare them.
    const auto& formats = of.child<QCommandLinkButton>("compare --formats exfat,fat32");
    CHECK(
        until([&] { return formats.description().contains("About") || formats.description().contains("no driver"); }));
    QCoreApplication::processEvents();
    CHECK(cut_texts(of.window) == std::vector<std::string>{});
    auto& list = of.child<QListWidget>("attached");
    for (int i = 0; i < list.count(); ++i) {
        const QRect card = list.visualItemRect(list.item(i));
        const QRect beside_icon(0, 0, card.width() - list.iconSize().width() - 12, QWIDGETSIZE_MAX);
        const QString text = list.item(i)->text();
        CAPTURE(text.toStdString());
        CHECK(list.fontMetrics().boundingRect(beside_icon, Qt::TextWordWrap, text).height() <= card.height());
    }
    picture(of.window, "window-start");
}

TEST_CASE("window: a medium is tested from attachment to verdict, and not erased before confirmation") {
    if (!e2e::is_root()) MEDIARIG_SKIP("needs root for loop devices");
    if (e2e::is_plain_chroot()) MEDIARIG_SKIP("loop devices cannot be tested in a plain chroot");
    Window of;
    // The medium is large enough that the campaign still runs when the window finds it.
    const LoopDevice device(of.folder / "medium.img", 1 << 30);
    of.open();
    of.choose(device.node());
    auto& question = of.child<QCommandLinkButton>("verify");
    REQUIRE(until([&] { return question.description().contains("About"); }));

    SECTION("other input or Return erases nothing") {
        EraseDialog& dialog = of.ask("verify");
        auto& begin = of.child<QPushButton>("begin", &dialog);
        auto& typed = of.child<QLineEdit>("confirmation", &dialog);
        CHECK(!begin.isEnabled());
        QTest::keyClicks(&typed, "0000");
        CHECK(!begin.isEnabled());
        typed.setText(QString::fromStdString(device.confirm()));
        CHECK(begin.isEnabled());
        picture(dialog, "window-erase");
        QTest::keyClick(&typed, Qt::Key_Return);
        CHECK(until([&] { return of.dialog<EraseDialog>() == nullptr; }));
        CHECK(of.pages().currentIndex() == 0);
        CHECK(!std::filesystem::exists(of.folder / "r.db"));
    }
    SECTION("a confirmation starts the test in three clicks and the last component of its path") {
        const Clicks clicks;
        of.click_on(device.node());
        EraseDialog& dialog = of.ask("verify");
        QTest::keyClicks(&of.child<QLineEdit>("confirmation", &dialog),
                         QString::fromStdString(std::filesystem::path(device.confirm()).filename().string()));
        REQUIRE(QTest::qWaitForWindowExposed(&dialog));
        Window::click(of.child<QPushButton>("begin", &dialog));
        REQUIRE(until([&] { return of.pages().currentIndex() == 1; }));
        REQUIRE(until([&] { return of.child<QPlainTextEdit>("log").toPlainText().contains("verify"); }));
        picture(of.window, "window-running");
        REQUIRE(until([&] { return of.pages().currentIndex() == 2; }));
        const QString cards = of.child<QTextBrowser>("cards").toPlainText();
        CAPTURE(cards.toStdString());
        CHECK(cards.contains("PASS"));
        CHECK(cards.contains("Genuine?"));
        CHECK(clicks.count == 3);
        CHECK(of.child<QTableView>("campaigns").model()->rowCount() == 1);
        picture(of.window, "window-results");
        CHECK(e2e::call_mediarig({"results", "--store", (of.folder / "r.db").string()}, of.folder.path()).status == 0);
    }
    SECTION("the button stops a campaign") {
        EraseDialog& dialog = of.ask("verify");
        of.child<QLineEdit>("confirmation", &dialog).setText(QString::fromStdString(device.confirm()));
        of.child<QPushButton>("begin", &dialog).click();
        auto& stop = of.child<QPushButton>("stop");
        REQUIRE(until([&] { return stop.isEnabled(); }));
        const auto pressed = std::chrono::steady_clock::now();
        QTest::mouseClick(&stop, Qt::LeftButton);
        REQUIRE(until([&] { return of.pages().currentIndex() == 2; }));
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - pressed;
        std::cout << "stopped " << took.count() << " s after the button was pressed\n";
    }
    SECTION("the button pauses a campaign after its step and continues it") {
        EraseDialog& dialog = of.ask("verify --probe");
        of.child<QLineEdit>("confirmation", &dialog).setText(QString::fromStdString(device.confirm()));
        of.child<QPushButton>("begin", &dialog).click();
        auto& pause = of.child<QPushButton>("pause");
        auto& log = of.child<QPlainTextEdit>("log");
        REQUIRE(until([&] { return pause.isEnabled(); }));
        QTest::mouseClick(&pause, Qt::LeftButton);
        REQUIRE(until([&] { return pause.text().contains("Continue"); }));
        REQUIRE(until([&] { return log.toPlainText().contains("paused: the running step will finish"); }));
        CHECK(of.pages().currentIndex() == 1);
        picture(of.window, "window-paused");
        QTest::mouseClick(&pause, Qt::LeftButton);
        REQUIRE(until([&] { return of.pages().currentIndex() == 2; }));
        CHECK(log.toPlainText().contains("continues"));
        CHECK(of.child<QTextBrowser>("cards").toPlainText().contains("Genuine?"));
    }
}

TEST_CASE("window: a campaign started in a terminal is shown and continues after the window closes") {
    if (!e2e::is_root()) MEDIARIG_SKIP("needs root for loop devices");
    if (e2e::is_plain_chroot()) MEDIARIG_SKIP("loop devices cannot be tested in a plain chroot");
    const Folder folder;
    const LoopDevice device(folder / "medium.img", 256 << 20);
    const std::string store = (folder / "r.db").string();
    e2e::Running terminal({"verify", device.node(), "--confirm", device.confirm(), "--store", store}, folder.path());
    REQUIRE(terminal.says("verify"));
    {
        QApplication& app = application();
        (void)app;
        MainWindow window(store);
        window.show();
        window.open();
        auto* const log = window.findChild<QPlainTextEdit*>("log");
        CHECK(until([&] { return log->toPlainText().contains("verify"); }));
    }
    const e2e::ProgramOutput said = terminal.wait();
    CAPTURE(said.err);
    CHECK(said.status == 0);
}

TEST_CASE("window: two selected results are shown next to each other with the comparison of the command") {
    if (!e2e::is_root()) MEDIARIG_SKIP("needs root for loop devices");
    if (e2e::is_plain_chroot()) MEDIARIG_SKIP("loop devices cannot be tested in a plain chroot");
    Window of;
    const LoopDevice device(of.folder / "medium.img", 64 << 20);
    const std::string store = (of.folder / "r.db").string();
    for (int run = 0; run < 2; ++run)
        REQUIRE(e2e::call_mediarig({"verify", device.node(), "--confirm", device.confirm(), "--store", store},
                                   of.folder.path())
                    .status == 0);
    of.open();
    of.pages().setCurrentIndex(2);
    auto& list = of.child<QTableView>("campaigns");
    auto& second = of.child<QTextBrowser>("cards2");
    auto& compared = of.child<QPlainTextEdit>("compared");
    REQUIRE(list.model()->rowCount() == 2);
    list.selectRow(0);
    CHECK(!second.isVisible());
    CHECK(!compared.isVisible());
    list.selectAll();
    CHECK(second.isVisible());
    CHECK(of.child<QTextBrowser>("cards").toPlainText().contains("PASS"));
    CHECK(second.toPlainText().contains("PASS"));
    REQUIRE(until([&] { return !compared.toPlainText().isEmpty(); }));
    picture(of.window, "window-side-by-side");
    const QStringList ids{list.model()->index(0, 0).data().toString(), list.model()->index(1, 0).data().toString()};
    const e2e::ProgramOutput said =
        e2e::call_mediarig({"compare", "--media", ids.join(',').toStdString(), "--store", store}, of.folder.path());
    CAPTURE(said.err);
    const std::string shown = compared.toPlainText().toStdString();
    CHECK((said.status == 0 ? said.out == shown : said.err.ends_with(shown + '\n')));
}

TEST_CASE("window: an inspected image shows its deviations first") {
    Window of;
    const std::filesystem::path image = of.folder / "card.img";
    e2e::make_image(image, 64 << 20);
    if (e2e::tool({"mkfs.exfat", image.string()}).status != 0) MEDIARIG_SKIP("mkfs.exfat is not installed");
    of.open();
    of.pages().setCurrentIndex(3);
    of.child<QComboBox>("target").setEditText(QString::fromStdString(image.string()));
    auto& expected = of.child<QComboBox>("expected");
    expected.setCurrentIndex(expected.findData("sd"));
    of.child<QPushButton>("look").click();
    auto& tree = of.child<QTreeWidget>("inspected");
    REQUIRE(until([&] { return tree.topLevelItemCount() > 0; }));
    CHECK(tree.topLevelItem(0)->childCount() > 0);
    CHECK(tree.topLevelItem(0)->child(0)->text(0).contains("warning: partition table, scheme"));
    CHECK(!tree.findItems("cluster_size", Qt::MatchExactly | Qt::MatchRecursive).isEmpty());
    auto& bar = of.child<QWidget>("layout");
    QTest::mouseClick(&bar, Qt::LeftButton, {}, QPoint(bar.width() / 50, bar.height() * 3 / 4));
    REQUIRE(tree.currentItem() != nullptr);
    CHECK(tree.currentItem()->text(0).startsWith("a "));
    REQUIRE(tree.currentItem()->childCount() > 0);
    CHECK(!tree.currentItem()->child(0)->text(3).isEmpty());
    picture(of.window, "window-inspect");
}

TEST_CASE("window: a missing target is reported, and the contents of the former target are cleared") {
    Window of;
    of.open();
    of.pages().setCurrentIndex(3);
    of.child<QComboBox>("target").setEditText("/nonexistent/card.img");
    of.child<QPushButton>("look").click();
    const auto told = [&] {
        for (auto* const label : of.page(3).findChildren<QLabel*>())
            if (label->text().contains("mediarig: ") && label->text().contains("/nonexistent/card.img")) return true;
        return false;
    };
    CHECK(until(told));
    CHECK(of.child<QTreeWidget>("inspected").topLevelItemCount() == 0);
}

TEST_CASE("window: an error that prevents a campaign is reported in one line") {
    Window of;
    e2e::write_file(of.folder / "r.db", "no database");
    of.open();
    of.pages().setCurrentIndex(2);
    bool told = false;
    for (auto* const label : of.page(2).findChildren<QLabel*>()) told = told || label->text().contains("r.db");
    CHECK(told);
}
