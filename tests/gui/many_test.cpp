// SPDX-License-Identifier: GPL-3.0-or-later
/// The window with a rig, a tray of media, two campaigns, and a store of many campaigns.
#include <sys/stat.h>
#include <time.h>

#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QFile>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPrintDialog>
#include <QSpinBox>
#include <QTableView>
#include <QTextBlock>
#include <QTextBrowser>
#include <QTreeWidget>
#include <iostream>

#include "host/gui/results_page.hpp"
#include "host/gui/tray_dialog.hpp"
#include "tests/gui/window.hpp"
#include "tests/json.hpp"

using namespace mediarig;
using namespace mediarig::gui;

namespace {

TrayDialog& tray_of(Window& of) {
    of.child<QCommandLinkButton>("tray").click();
    auto* const dialog = of.dialog<TrayDialog>();
    REQUIRE(dialog != nullptr);
    return *dialog;
}

/// Two image files with contents to be erased.
std::string plan_of_two(const Folder& folder, const char* suite) {
    nlohmann::json media = nlohmann::json::array();
    for (const char* name : {"one.img", "two.img"}) {
        e2e::make_image(folder / name, 32 << 20);
        media.push_back({{"image", (folder / name).string()}, {"confirm", (folder / name).string()}});
    }
    return nlohmann::json{
        {"mediarig_plan", 1}, {"name", "two"}, {"media", media}, {"suites", {{{"suite", suite}, {"where", "raw"}}}}}
        .dump(2);
}

bool says(const QWidget& page, const char* text) {
    for (auto* const label : page.findChildren<QLabel*>())
        if (label->text().contains(text)) return true;
    return false;
}

} // namespace

TEST_CASE("window: a plan file for a tray of media runs after the user typed the number of media to erase") {
    if (!e2e::is_root()) MEDIARIG_SKIP("needs root to claim images");
    Window of;
    e2e::write_file(of.folder / "plan.json", plan_of_two(of.folder, "capacity"));
    of.open();
    TrayDialog& tray = tray_of(of);
    tray.open_plan(QString::fromStdString((of.folder / "plan.json").string()));
    auto& rig = of.child<QComboBox>("rig", &tray);
    rig.setCurrentIndex(rig.findData(""));
    auto& begin = of.child<QPushButton>("begin", &tray);
    CHECK(!begin.isEnabled());
    of.child<QPushButton>("estimate_run", &tray).click();
    auto& found = of.child<QListWidget>("found", &tray);
    REQUIRE(until([&] { return found.count() == 2; }));
    CHECK(!begin.isEnabled());
    auto& typed = of.child<QLineEdit>("confirmation", &tray);
    typed.setText("3");
    CHECK(!begin.isEnabled());
    typed.setText("2");
    CHECK(begin.isEnabled());
    picture(tray, "window-tray");
    begin.click();
    REQUIRE(until([&] { return of.pages().currentIndex() == 2; }));
    CHECK(of.child<QTextBrowser>("cards").toPlainText().count("PROBED") >= 2);
}

TEST_CASE("window: a fault of a plan is shown at its position") {
    Window of;
    e2e::write_file(of.folder / "plan.json", plan_of_two(of.folder, "nosuch"));
    of.open();
    TrayDialog& tray = tray_of(of);
    tray.open_plan(QString::fromStdString((of.folder / "plan.json").string()));
    auto& found = of.child<QListWidget>("found", &tray);
    REQUIRE(found.count() > 0);
    CHECK(!of.child<QPushButton>("estimate_run", &tray).isEnabled());
    CHECK(!of.child<QPushButton>("begin", &tray).isEnabled());
    found.setCurrentRow(0);
    auto& plan = of.child<QPlainTextEdit>("plan", &tray);
    CHECK(plan.textCursor().block().text().contains("nosuch"));
    CHECK(plan.textCursor().hasSelection());
    picture(tray, "window-tray-fault");
    // The corrected plan can be started.
    plan.setPlainText(plan.toPlainText().replace("nosuch", "verify"));
    CHECK(found.count() == 0);
    CHECK(of.child<QPushButton>("estimate_run", &tray).isEnabled());
}

TEST_CASE("window: without a rig, the tray dialog reports the missing rig and nothing can be started") {
    Window of;
    of.open();
    TrayDialog& tray = tray_of(of);
    auto& rig = of.child<QComboBox>("rig", &tray);
    rig.setCurrentIndex(rig.findData(""));
    of.child<QPushButton>("estimate_run", &tray).click();
    CHECK(until([&] { return says(tray, "no rig is connected"); }));
    CHECK(!of.child<QPushButton>("begin", &tray).isEnabled());
}

TEST_CASE("window: a simulated rig is shown, moved by hand and stopped") {
    Window of;
    const std::filesystem::path runtime = of.folder / "runtime";
    std::filesystem::create_directory(runtime);
    REQUIRE(::chmod(runtime.c_str(), 0700) == 0);
    qputenv("XDG_RUNTIME_DIR", QByteArray::fromStdString(runtime.string()));
    of.open();
    of.pages().setCurrentIndex(4);
    QWidget& page = of.page(4);
    auto& state = of.child<QLabel>("state", &page);
    auto& rig = of.child<QComboBox>("rig", &page);
    rig.setCurrentIndex(rig.findData("sim"));
    REQUIRE(until([&] { return state.text().contains("no simulated rig runs"); }));
    of.child<QPushButton>("simulate", &page).click();
    auto& readers = of.child<QTreeWidget>("readers", &page);
    REQUIRE(until([&] { return readers.topLevelItemCount() == 8; }));
    // The buttons for moves are enabled by a check box.
    auto& load = of.child<QPushButton>("load", &page);
    auto& home = of.child<QPushButton>("home", &page);
    CHECK(!load.isEnabled());
    CHECK(!home.isEnabled());
    of.child<QCheckBox>("by hand", &page).setChecked(true);
    CHECK(home.isEnabled());
    home.click();
    REQUIRE(until([&] { return home.isEnabled() && state.text().contains("; homed"); }));
    of.child<QSpinBox>("pocket", &page).setValue(3);
    of.child<QSpinBox>("reader", &page).setValue(2);
    load.click();
    // The text is empty while the rig is unknown.
    const auto second = [&](int column) {
        return readers.topLevelItemCount() > 1 ? readers.topLevelItem(1)->text(column) : QString();
    };
    const auto card = [&] { return second(1); };
    REQUIRE(until([&] { return load.isEnabled() && card() == "yes"; }));
    of.child<QPushButton>("on", &page).click();
    REQUIRE(until([&] { return load.isEnabled() && second(2) == "lit"; }));
    CHECK(second(4).startsWith("5."));
    picture(of.window, "window-rig");
    // A refusal of the rig is shown with its original text.
    load.click();
    auto& told = of.child<QLabel>("message", &page);
    REQUIRE(until([&] { return load.isEnabled() && told.text().contains("mediarig: "); }));
    of.child<QPushButton>("off", &page).click();
    REQUIRE(until([&] { return load.isEnabled() && second(2) == "dark"; }));
    of.child<QPushButton>("unload", &page).click();
    REQUIRE(until([&] { return load.isEnabled() && card() == "no"; }));
    // Stop the rig during a move.
    load.click();
    QTest::qWait(1500);
    CHECK(!load.isEnabled());
    of.child<QPushButton>("halt", &page).click();
    REQUIRE(until([&] { return load.isEnabled() && of.child<QLabel>("fault", &page).isVisible(); }));
    picture(of.window, "window-rig-stopped");
}

TEST_CASE("window: a campaign that one window started is shown in another window, including its end") {
    if (!e2e::is_root()) MEDIARIG_SKIP("needs root for loop devices");
    if (e2e::is_plain_chroot()) MEDIARIG_SKIP("loop devices cannot be tested in a plain chroot");
    Window of;
    const LoopDevice device(of.folder / "medium.img", 1 << 30);
    MainWindow second(of.folder / "r.db");
    second.show();
    second.open();
    of.open();
    of.choose(device.node());
    EraseDialog& dialog = of.ask("verify");
    of.child<QLineEdit>("confirmation", &dialog).setText(QString::fromStdString(device.confirm()));
    of.child<QPushButton>("begin", &dialog).click();
    auto* const log = second.findChild<QPlainTextEdit*>("log");
    REQUIRE(until([&] { return log->toPlainText().contains("verify"); }));
    // The page is not switched while the user views another page.
    CHECK(second.findChild<QTabWidget*>()->currentIndex() == 0);
    // The stop button of either window stops the campaign within a second.
    auto* const stop = second.findChild<QPushButton*>("stop");
    stop->click();
    REQUIRE(until([&] { return of.pages().currentIndex() == 2; }));
    REQUIRE(until([&] { return !stop->isEnabled(); }));
}

TEST_CASE("window: results are filtered, copied and saved as files") {
    if (!e2e::is_root()) MEDIARIG_SKIP("needs root to claim images");
    Window of;
    const std::string store = (of.folder / "r.db").string();
    for (const char* suite : {"capacity", "verify"}) {
        e2e::write_file(of.folder / "plan.json", plan_of_two(of.folder, suite));
        const e2e::ProgramOutput output = e2e::call_mediarig(
            {"run", (of.folder / "plan.json").string(), "--store", store, "--quiet"}, of.folder.path());
        CAPTURE(output.err);
        REQUIRE(output.status == (std::string_view(suite) == "verify" ? 0 : 3)); // a probe is no proof
    }
    of.open();
    of.pages().setCurrentIndex(2);
    auto& list = of.child<QTableView>("campaigns");
    REQUIRE(list.model()->rowCount() == 2);
    auto* const filter = of.page(2).findChild<QLineEdit*>();
    for (const auto& [words, rows] :
         {std::pair{"capacity", 1}, {"raw capacity two", 1}, {"VERIFY", 1}, {"raw", 2}, {"apfs", 0}, {"", 2}}) {
        CAPTURE(words);
        filter->setText(words);
        CHECK(list.model()->rowCount() == rows);
    }
    list.selectRow(0);
    auto* const page = dynamic_cast<ResultsPage*>(&of.page(2));
    REQUIRE(page != nullptr);
    const auto printed = [&](const char* option) {
        return QString::fromStdString(
            e2e::call_mediarig({"results", "2", option, "--store", store}, of.folder.path()).out);
    };
    CHECK(page->csv() == printed("--csv"));
    of.window.activateWindow();
    REQUIRE(QTest::qWaitForWindowActive(&of.window));
    list.setFocus();
    QTest::keyClick(&list, Qt::Key_C, Qt::ControlModifier);
    CHECK(QApplication::clipboard()->text().toStdString() == page->text().toStdString());
    CHECK(page->text().contains("two.img"));
    for (const char* kind : {"pdf", "png", "csv", "txt"}) {
        const QString file = QString::fromStdString((of.folder / (std::string("saved.") + kind)).string());
        page->save(file);
        CAPTURE(kind);
        QFile saved(file);
        REQUIRE(saved.open(QIODevice::ReadOnly));
        const QByteArray bytes = saved.readAll();
        CHECK(bytes.size() > 100);
        CHECK(bytes.startsWith("%PDF-") == (kind == std::string("pdf")));
        CHECK(!QImage::fromData(bytes).isNull() == (kind == std::string("png")));
    }
    // The button opens a print dialog that prints the report to a file.
    Window::click(of.child<QPushButton>("print"));
    auto* const dialog = of.page(2).findChild<QPrintDialog*>();
    REQUIRE(dialog != nullptr);
    REQUIRE(QTest::qWaitForWindowExposed(dialog));
    auto* const target = dialog->findChild<QLineEdit*>("filename");
    REQUIRE(target != nullptr);
    const QString printed_file = QString::fromStdString((of.folder / "printed.pdf").string());
    target->setText(printed_file);
    dialog->accept();
    QFile on_paper(printed_file);
    REQUIRE(on_paper.open(QIODevice::ReadOnly));
    CHECK(on_paper.read(5) == "%PDF-");
    const e2e::ProgramOutput words = e2e::tool({"pdftotext", "-layout", printed_file.toStdString(), "-"});
    if (words.status == 0)
        for (const char* each : {"one.img", "two.img", "PASS", "Genuine?"}) {
            CAPTURE(each);
            CHECK(words.out.find(each) != std::string::npos);
        }
    page->save("/nonexistent/folder/file.pdf");
    CHECK(says(*page, "/nonexistent/folder/file.pdf"));
    picture(of.window, "window-results-two");
}

TEST_CASE("window: ten thousand campaigns are listed, filtered by lot, and one is shown") {
    if (!e2e::is_root()) MEDIARIG_SKIP("needs root to claim images");
    Window of;
    const std::string store = (of.folder / "r.db").string();
    e2e::write_file(of.folder / "plan.json", plan_of_two(of.folder, "capacity"));
    const e2e::ProgramOutput output =
        e2e::call_mediarig({"run", (of.folder / "plan.json").string(), "--store", store, "--quiet"}, of.folder.path());
    CAPTURE(output.err);
    REQUIRE(output.status == 3); // a probe or a sample proves no capacity
    const e2e::ProgramOutput copied = e2e::tool({"python3", MEDIARIG_MANY_CAMPAIGNS, store, "10000"});
    CAPTURE(copied.err);
    REQUIRE(copied.status == 0);
    of.window.show();
    REQUIRE(QTest::qWaitForWindowExposed(&of.window));
    auto& list = of.child<QTableView>("campaigns");
    auto* const filter = of.page(2).findChild<QLineEdit*>();
    // Processor time of this thread, which excludes the load of other processes.
    const auto costs = [](const auto& work) {
        const auto now = [] {
            timespec time{};
            ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
            return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
        };
        const double before = now();
        work();
        QCoreApplication::processEvents();
        return now() - before;
    };
    const double listed = costs([&] { of.pages().setCurrentIndex(2); });
    REQUIRE(list.model()->rowCount() == 10000);
    const double filtered = costs([&] { filter->setText("lot-7 capacity"); });
    CHECK(list.model()->rowCount() == 1000);
    const double unfiltered = costs([&] { filter->clear(); });
    CHECK(list.model()->rowCount() == 10000);
    const double shown = costs([&] { list.selectRow(5000); });
    CHECK(of.child<QTextBrowser>("cards").toPlainText().contains("two.img"));
    const double again = costs([&] { QTest::keyClick(&of.window, Qt::Key_F5); });
    CHECK(list.selectionModel()->selectedRows().size() == 1);
    std::cout << "10,000 campaigns, seconds of a processor: listed " << listed << ", filtered " << filtered
              << ", unfiltered " << unfiltered << ", one shown " << shown << ", read again " << again << '\n';
    // The goal is 0.3 s on an idle machine. A busy machine needs more time for the same work.
    CHECK(listed < .6);
    CHECK(filtered < .6);
    CHECK(shown < .3);
}

TEST_CASE("window: a store of a newer version is reported and not changed") {
    Window of;
    const std::string store = (of.folder / "r.db").string();
    const e2e::ProgramOutput made = e2e::tool(
        {"python3", "-c",
         "import sqlite3,sys; c=sqlite3.connect(sys.argv[1]); c.execute('create table t(x)'); c.execute('pragma "
         "user_version=99'); c.execute('pragma application_id=1'); c.commit()",
         store});
    REQUIRE(made.status == 0);
    const std::string before = e2e::read_file(store);
    of.open();
    of.pages().setCurrentIndex(2);
    CHECK(says(of.page(2), "r.db"));
    CHECK(of.child<QTableView>("campaigns").model()->rowCount() == 0);
    CHECK(e2e::read_file(store) == before);
}
