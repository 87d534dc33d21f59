// SPDX-License-Identifier: GPL-3.0-or-later
/// Compares the contents of each page and their order with the approved version. $MEDIARIG_APPROVE=1 writes the present
/// contents into tests/golden/gui for inspection. $MEDIARIG_PICTURES names a folder for pictures.
#include <QCommandLinkButton>
#include <QDir>
#include <QFontInfo>
#include <QLabel>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QTabWidget>
#include <QTextBrowser>
#include <QtTest/QTest>
#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "host/gui/campaign_pane.hpp"
#include "host/gui/device_card.hpp"
#include "host/gui/erase_dialog.hpp"
#include "host/gui/lane_row.hpp"
#include "host/gui/language.hpp"
#include "host/gui/main_window.hpp"
#include "host/gui/question_text.hpp"
#include "host/gui/tray_dialog.hpp"
#include "tests/catch.hpp"
#include "tests/cli/demo_events.hpp"
#include "tests/fakes/sample_campaign.hpp"
#include "tests/gui/application.hpp"
#include "tests/gui/watched.hpp"
#include "tests/scratch.hpp"

using namespace mediarig;
using namespace mediarig::gui;

namespace {

/// Internal widgets of Qt are omitted, because they differ between versions of Qt.
bool is_ours(const QWidget& widget) {
    return !widget.objectName().startsWith("qt_") && !widget.inherits("QScrollBar") && !widget.inherits("QSizeGrip") &&
           !widget.inherits("QSplitterHandle") && !widget.inherits("QLineEditIconButton");
}

void dump(const QWidget& widget, int depth, std::string& text) {
    std::vector<const QWidget*> children;
    for (QObject* const each : widget.children())
        if (const auto* const child = qobject_cast<const QWidget*>(each);
            child != nullptr && !child->isHidden() && !child->isWindow())
            children.push_back(child);
    // Widgets are sorted by position, from top to bottom and then from left to right, not by creation.
    std::ranges::stable_sort(children, [&](const QWidget* one, const QWidget* other) {
        const int below = one->geometry().center().y() - other->geometry().center().y();
        return std::abs(below) > widget.fontMetrics().height() / 3 ? below < 0 : one->x() < other->x();
    });
    if (is_ours(widget)) {
        text += std::string(static_cast<std::size_t>(depth) * 2, ' ') + widget.metaObject()->className();
        if (!widget.objectName().isEmpty()) text += '#' + widget.objectName().toStdString();
        if (!widget.isEnabled()) text += " (disabled)";
        for (const ShownText& each : texts_of_one(widget)) {
            QString line = each.text;
            text += " '" + line.replace('\n', "\\n").toStdString() + "'";
        }
        text += '\n';
        ++depth;
        QString shown;
        if (const auto* const lines = qobject_cast<const QPlainTextEdit*>(&widget); lines && lines->isReadOnly())
            shown = lines->toPlainText();
        if (const auto* const page = qobject_cast<const QTextBrowser*>(&widget)) shown = page->toPlainText();
        for (const QString& line : shown.split('\n', Qt::SkipEmptyParts))
            text += std::string(static_cast<std::size_t>(depth) * 2, ' ') + "| " + line.toStdString() + '\n';
    }
    for (const QWidget* const child : children) dump(*child, depth, text);
}

QPalette dark() {
    QPalette palette(QColor(45, 45, 45));
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        palette.setColor(QPalette::Disabled, role, QColor(150, 150, 150));
    palette.setColor(QPalette::Base, QColor(30, 30, 30));
    palette.setColor(QPalette::Highlight, QColor(42, 130, 218));
    return palette;
}

AttachedMedium medium(const char* title, const char* serial, std::vector<std::string> refusals) {
    AttachedMedium attached{.confirm = serial, .title = title, .refusals = std::move(refusals), .contents = {}};
    attached.medium.node = "/dev/sdb";
    attached.medium.transport = media::Transport::usb;
    attached.medium.serial = serial;
    attached.medium.size = Bytes{64'000'000'000};
    attached.contents = {"exfat “HOLIDAY”, 63.9 GB"};
    return attached;
}

/// Every page and question with constant contents.
struct AllPages {
    MainWindow window{"/nonexistent/folder/r.db"};
    EraseDialog erase{medium("SanDisk Ultra, 63.9 GB", "4C530001230715117180", {}), Question::every_byte,
                      text_of(RunEstimate{.time = std::chrono::minutes(125),
                                          .written = Bytes{64'000'000'000},
                                          .read = Bytes{64'000'000'000},
                                          .problem = {},
                                          .media = {}}),
                      nullptr};
    EraseDialog fast{medium("SanDisk Ultra, 63.9 GB", "4C530001230715117180", {}), Question::how_fast, {}, nullptr};
    TrayDialog tray{"/nonexistent/folder/r.db", {}, nullptr};

    AllPages() {
        auto* const list = window.findChild<QListWidget*>("attached");
        list->addItem(new DeviceCard(medium("SanDisk Ultra, 63.9 GB", "4C530001230715117180", {})));
        AttachedMedium disk = medium("Acme Disk, 512 GB", "A1", {"it carries the running system (/)"});
        disk.medium.node = "/dev/sda";
        disk.medium.transport = media::Transport::sata;
        disk.contents = {"ext4, 511 GB"};
        list->addItem(new DeviceCard(disk));
        window.show();
        REQUIRE(QTest::qWaitForWindowExposed(&window));
    }
    /// Calls `look` with each page and its name.
    void visit(const std::function<void(const std::string&, QWidget&)>& look) {
        auto* const pages = window.findChild<QTabWidget*>();
        const std::array names{"start", "running", "results", "inspect", "rig"};
        REQUIRE(pages->count() == static_cast<int>(names.size()));
        for (int page = 0; page < pages->count(); ++page) {
            pages->setCurrentIndex(page);
            QCoreApplication::sendPostedEvents();
            look(names.at(static_cast<std::size_t>(page)), *pages->currentWidget());
        }
        for (const auto& [name, dialog] :
             {std::pair<const char*, QDialog*>{"erase", &erase}, {"fast", &fast}, {"tray", &tray}}) {
            dialog->show();
            REQUIRE(QTest::qWaitForWindowExposed(dialog));
            look(name, *dialog);
            dialog->close();
        }
    }
};

void hold_against(const std::string& name, const QString& language, bool is_dark, QWidget& page) {
    std::string text;
    dump(page, 0, text);
    const auto file = std::filesystem::path(MEDIARIG_GOLDEN_GUI) / (name + "." + language.toStdString() + ".txt");
    if (qEnvironmentVariableIsSet("MEDIARIG_APPROVE")) std::ofstream(file) << text;
    picture(page, QString("%1-%2-%3-%4")
                      .arg(QString::fromStdString(name), language, is_dark ? "dark" : "light")
                      .arg(page.devicePixelRatio()));
    CAPTURE(file.string(), is_dark);
    CHECK(text == tests::text_of(file));
    CHECK(cut_texts(page) == std::vector<std::string>{});
    CHECK(nameless(page) == std::vector<std::string>{});
}

/// Calls `look` for each page with the language and the colour scheme.
template <class Look>
void in_each_language_light_and_dark(const Look& look) {
    const QPalette light = QApplication::palette();
    for (const QString& language : languages())
        for (const bool is_dark : {false, true}) {
            const Language spoken(language);
            QApplication::setPalette(is_dark ? dark() : light);
            look(language, is_dark);
        }
    QApplication::setPalette(light);
}

} // namespace

TEST_CASE("each page equals its approved version in both languages, light and dark, at every scale") {
    application();
    if (QFontInfo(QApplication::font()).pixelSize() == 0) MEDIARIG_SKIP("no font is installed");
    in_each_language_light_and_dark([](const QString& language, bool is_dark) {
        AllPages shown;
        shown.visit([&](const std::string& name, QWidget& page) { hold_against(name, language, is_dark, page); });
    });
}

TEST_CASE("pages with a campaign equal their approved versions, light and dark, at every scale") {
    application();
    if (QFontInfo(QApplication::font()).pixelSize() == 0) MEDIARIG_SKIP("no font is installed");
    in_each_language_light_and_dark([](const QString& language, bool is_dark) {
        {
            // The page is compared twice: after the first finding and at the end.
            Watched watched;
            auto& place = watched.child<QLabel>("place");
            auto& log = watched.child<QPlainTextEdit>("log");
            const auto drawn = [&](const auto& holds) {
                REQUIRE(QTest::qWaitFor([&] {
                    watched.pass();
                    return holds();
                }));
            };
            bool looked = false;
            for (const campaign::SessionEvent& event : cli::demo_events()) {
                watched.server.publish(event);
                if (looked || !std::holds_alternative<campaign::FindingReported>(event.body)) continue;
                looked = true;
                watched.tell(event.since_start, campaign::TemperatureRead{.medium = "fast", .celsius = 41});
                watched.tell(event.since_start, campaign::TimeLeft{.left = std::chrono::minutes(12),
                                                                   .within = std::chrono::minutes(3),
                                                                   .at_most = false});
                drawn([&] { return place.text().contains("±") && log.toPlainText().contains("changed level"); });
                hold_against("one-lane", language, is_dark, watched.page);
            }
            drawn([&] { return !watched.ended.empty(); });
            hold_against("ended", language, is_dark, watched.page);
        }
        {
            Watched watched;
            watched.begin(12);
            for (std::size_t lane = 0; lane < 12; ++lane)
                for (int second = 1; second < 60; ++second)
                    watched.progress(std::chrono::seconds(second), lane, static_cast<std::uint64_t>(second) << 24);
            watched.tell(std::chrono::seconds(60),
                         campaign::VerdictReached{.medium = "slot-3", .verdict = {.grade = measure::Grade::fake}});
            REQUIRE(QTest::qWaitFor([&] {
                watched.pass();
                return watched.child<QPlainTextEdit>("log").toPlainText().contains("slot-3: FAKE");
            }));
            hold_against("twelve-lanes", language, is_dark, watched.page);
        }
        CampaignPane pane(1);
        pane.resize(1100, 900);
        pane.show_campaign(fakes::sample_campaign());
        pane.show();
        REQUIRE(QTest::qWaitForWindowExposed(&pane));
        hold_against("result", language, is_dark, pane);
    });
}
