// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/gui/main_window.hpp"

#include <QShortcut>
#include <QTabWidget>

#include "host/app/campaign_list.hpp"
#include "host/gui/inspect_page.hpp"
#include "host/gui/results_page.hpp"
#include "host/gui/run_page.hpp"
#include "host/gui/start_page.hpp"

namespace mediarig::gui {

MainWindow::MainWindow(const std::filesystem::path& store) : store_(store) {
    setWindowTitle("mediarig");
    pages_ = new QTabWidget;
    pages_->setDocumentMode(true);
    pages_->setAccessibleName(QObject::tr("Pages"));
    start_ = new StartPage(store, [this](const plan::Plan& plan) {
        pages_->setCurrentWidget(run_);
        run_->begin(plan);
    });
    run_ = new RunPage(store, [this](const std::string& campaign) {
        results_->refresh(campaign);
        pages_->setCurrentWidget(results_);
        start_->rescan();
    });
    results_ = new ResultsPage(store, [this](const std::string& campaign) {
        pages_->setCurrentWidget(run_);
        run_->attach(campaign);
    });
    inspect_ = new InspectPage;
    pages_->addTab(start_, QObject::tr("Start"));
    pages_->addTab(run_, QObject::tr("Running"));
    pages_->addTab(results_, QObject::tr("Results"));
    pages_->addTab(inspect_, QObject::tr("Inspect"));
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
    });
    key(QKeySequence(Qt::CTRL | Qt::Key_Period), [this] { run_->ask(events::Request::stop); });
    key(QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_P), [this] { run_->ask(events::Request::pause); });
    key(QKeySequence::Find, [this] {
        pages_->setCurrentWidget(results_);
        results_->focus_filter();
    });
}

void MainWindow::open() {
    start_->rescan();
    inspect_->rescan();
    const auto campaigns = app::list_campaigns(store_);
    if (!campaigns) return;
    for (const store::ListedCampaign& each : *campaigns) {
        if (each.state != store::CampaignState::running) continue;
        pages_->setCurrentWidget(run_);
        return run_->attach(each.id);
    }
}

} // namespace mediarig::gui
