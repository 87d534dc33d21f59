// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/gui/main_window.hpp"

#include <QAbstractScrollArea>
#include <QApplication>
#include <QShortcut>
#include <QTabWidget>
#include <algorithm>
#include <iterator>
#include <vector>

#include "host/gui/inspect_page.hpp"
#include "host/gui/results_page.hpp"
#include "host/gui/rig_page.hpp"
#include "host/gui/run_page.hpp"
#include "host/gui/start_page.hpp"
#include "host/gui/tray_dialog.hpp"

namespace mediarig::gui {

MainWindow::MainWindow(const std::filesystem::path& store) : store_(store) {
    setWindowTitle("mediarig");
    pages_ = new QTabWidget;
    pages_->setDocumentMode(true);
    pages_->setAccessibleName(QObject::tr("Pages"));
    start_ = new StartPage(
        store,
        [this](const plan::Plan& plan) {
            pages_->setCurrentWidget(run_);
            run_->begin(plan);
        },
        [this] { ask_tray(); });
    run_ = new RunPage(store, {.ended =
                                   [this](const std::string& campaign) {
                                       results_->refresh(campaign);
                                       // Change the page only if the run page is visible.
                                       if (pages_->currentWidget() == run_) pages_->setCurrentWidget(results_);
                                       start_->rescan();
                                   },
                               .running = [this](std::size_t count) { show_running(count); }});
    results_ = new ResultsPage(store, [this](const std::string& campaign) {
        pages_->setCurrentWidget(run_);
        run_->attach(campaign);
    });
    inspect_ = new InspectPage;
    pages_->addTab(start_, QObject::tr("Start"));
    pages_->addTab(run_, QObject::tr("Running"));
    pages_->addTab(results_, QObject::tr("Results"));
    rig_ = new RigPage(store);
    pages_->addTab(inspect_, QObject::tr("Inspect"));
    pages_->addTab(rig_, QObject::tr("Rig"));
    setCentralWidget(pages_);
    resize(fontMetrics().averageCharWidth() * 130, fontMetrics().height() * 45);
    connect(pages_, &QTabWidget::currentChanged, this, [this] {
        if (pages_->currentWidget() == results_) results_->refresh();
    });
    add_keys();
}

void MainWindow::add_keys() {
    const auto key = [this](const QKeySequence& keys, auto action) {
        connect(new QShortcut(keys, this), &QShortcut::activated, this, action);
    };
    for (int page = 0; page < pages_->count(); ++page)
        key(QKeySequence(QString("Ctrl+%1").arg(page + 1)), [this, page] { pages_->setCurrentIndex(page); });
    key(QKeySequence::Refresh, [this] {
        start_->rescan();
        results_->refresh();
        inspect_->rescan();
        if (rig_->isVisible()) rig_->look();
    });
    // Cycles through the parts of a page.
    key(QKeySequence(Qt::Key_F6), [this] { next_part(); });
    key(QKeySequence(Qt::CTRL | Qt::Key_Period), [this] { run_->ask(events::ControlRequest::stop); });
    key(QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_P), [this] { run_->ask(events::ControlRequest::pause); });
    key(QKeySequence::Find, [this] {
        pages_->setCurrentWidget(results_);
        results_->focus_filter();
    });
}

void MainWindow::open() {
    start_->rescan();
    inspect_->rescan();
    run_->follow();
    if (run_->attached()) pages_->setCurrentWidget(run_);
}

void MainWindow::next_part() {
    QWidget* const page = pages_->currentWidget();
    std::vector<QWidget*> parts;
    for (auto* const each : page->findChildren<QAbstractScrollArea*>())
        if (each->isVisible() && each->focusPolicy() != Qt::NoFocus) parts.push_back(each);
    if (parts.empty()) return;
    const auto here = std::ranges::find_if(
        parts, [](QWidget* each) { return each->hasFocus() || each->isAncestorOf(QApplication::focusWidget()); });
    const bool last = here == parts.end() || std::next(here) == parts.end();
    (last ? parts.front() : *std::next(here))->setFocus(Qt::ShortcutFocusReason);
}

void MainWindow::ask_tray() {
    auto* const dialog = new TrayDialog(
        store_,
        [this](const std::filesystem::path& plan, const QStringList& words) {
            pages_->setCurrentWidget(run_);
            run_->begin(plan, words);
        },
        this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
}

void MainWindow::show_running(std::size_t count) {
    pages_->setTabText(pages_->indexOf(run_), count == 0
                                                  ? QObject::tr("Running")
                                                  : QObject::tr("Running (%1)").arg(static_cast<qulonglong>(count)));
}

} // namespace mediarig::gui
