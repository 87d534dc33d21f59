// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/gui/run_page.hpp"

#include <sys/socket.h>

#include <QAbstractItemView>
#include <QComboBox>
#include <QGridLayout>
#include <QGroupBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QSocketNotifier>
#include <QSplitter>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <cerrno>

#include "host/app/campaign_list.hpp"
#include "host/app/campaigns.hpp"
#include "host/app/files/campaign_lock.hpp"
#include "host/campaign/events/socket/socket_folder.hpp"
#include "host/gui/lane_row.hpp"
#include "host/gui/monospaced.hpp"
#include "host/gui/question_text.hpp"
#include "host/report/output/terminal.hpp"

namespace mediarig::gui {

namespace {

constexpr int redraws_every_ms = 250;
constexpr int looks_for_begun_every_ms = 100;
constexpr int follows_every_ms = 1000;
/// Up to this number, lanes are shown in full; more lanes are small, with this many lanes in a row.
constexpr std::size_t most_whole = 4;
constexpr int small_in_a_row = 8;
/// Pause before the tables are built again: this multiple of the time for building them, but at least this minimum. A
/// campaign may have many media.
constexpr qint64 tables_rest = 50, least_tables_rest_ms = 1000;

} // namespace

RunPage::RunPage(std::filesystem::path store, Callbacks callbacks)
    : store_(std::move(store)), callbacks_(std::move(callbacks)) {
    auto* const rows = new QVBoxLayout(this);
    auto* const head = new QHBoxLayout;
    title_ = new QLabel(QObject::tr("No campaign is running."));
    title_->setObjectName("place");
    title_->setTextFormat(Qt::PlainText);
    pause_ = new QPushButton(QObject::tr("&Pause after this step"));
    pause_->setObjectName("pause");
    stop_ = new QPushButton(QObject::tr("&Stop"));
    stop_->setObjectName("stop");
    running_ = new QComboBox;
    running_->setObjectName("running");
    running_->setAccessibleName(QObject::tr("Displayed campaign"));
    running_->view()->setAccessibleName(running_->accessibleName());
    running_->hide();
    head->addWidget(title_, 1);
    head->addWidget(running_);
    head->addWidget(pause_);
    head->addWidget(stop_);
    rows->addLayout(head);
    message_ = new QLabel;
    message_->setObjectName("message");
    message_->setTextFormat(Qt::PlainText);
    message_->setWordWrap(true);
    message_->hide();
    rows->addWidget(message_);

    auto* const inner = new QWidget;
    lanes_ = new QVBoxLayout(inner);
    grid_ = new QGridLayout;
    lanes_->addLayout(grid_);
    lanes_->addStretch(1);
    auto* const scroll = new QScrollArea;
    scroll->setWidget(inner);
    scroll->setWidgetResizable(true);
    scroll->setAccessibleName(QObject::tr("Media under test"));
    tables_ = monospaced(QObject::tr("Results so far"));
    tables_->setObjectName("tables");
    tables_->hide(); // hidden until there are tables
    log_ = monospaced(QObject::tr("What happened"));
    log_->setObjectName("log");
    log_->setMaximumBlockCount(CampaignModel::most_lines);
    auto* const below = new QSplitter(Qt::Vertical);
    parts_ = below;
    below->addWidget(scroll);
    below->addWidget(tables_);
    below->addWidget(log_);
    below->setSizes({300, 300, 150});
    rows->addWidget(below, 1);

    connect(pause_, &QPushButton::clicked, this,
            [this] { ask(model_.paused() ? events::ControlRequest::resume : events::ControlRequest::pause); });
    connect(stop_, &QPushButton::clicked, this, [this] { ask(events::ControlRequest::stop); });
    connect(&look_, &QTimer::timeout, this, [this] { look_for_begun(); });
    connect(&draw_, &QTimer::timeout, this, [this] {
        if (changed_ && isVisible()) redraw();
    });
    draw_.start(redraws_every_ms);
    connect(&follow_, &QTimer::timeout, this, [this] { follow(); });
    connect(running_, &QComboBox::activated, this,
            [this](int row) { attach(listed_.at(static_cast<std::size_t>(row))); });
    redraw();
}

RunPage::~RunPage() = default;

void RunPage::tell(const QString& text) {
    message_->setText(text);
    message_->setVisible(!text.isEmpty());
}

void RunPage::begin(const plan::Plan& plan) {
    wait_for(CampaignProcess::begin(plan, store_));
}

void RunPage::begin(const std::filesystem::path& plan, const QStringList& words) {
    wait_for(CampaignProcess::begin(plan, words, store_));
}

void RunPage::wait_for(Result<CampaignProcess> begun) {
    if (!begun) return tell(QString::fromStdString(begun.error().detail));
    begun_ = std::move(*begun);
    tell(QObject::tr("Starting; a password may be required to open the medium."));
    look_.start(looks_for_begun_every_ms);
}

void RunPage::look_for_begun() {
    if (!begun_) return look_.stop();
    // Query the process before the socket: a short campaign may start and end between the two queries.
    const auto broke_off = begun_->broke_off();
    if (const auto campaign = begun_->campaign()) {
        begun_.reset();
        look_.stop();
        attach(*campaign);
    } else if (broke_off) {
        begun_.reset();
        look_.stop();
        tell(broke_off->isEmpty() ? QObject::tr("The campaign ended before it could be watched: see the results.")
                                  : *broke_off);
    }
}

void RunPage::attach(const std::string& campaign) {
    detach();
    auto socket = events::connect_to_campaign(store_, campaign);
    if (!socket) return tell(QString::fromStdString(socket.error().detail));
    tell({});
    socket_ = std::move(*socket);
    shown_ = campaign;
    feed_ = {};
    model_ = {};
    cells_drawn_ = lines_drawn_ = 0;
    for (const auto& [name, row] : rows_) delete row->box();
    rows_.clear();
    if (whole_) delete whole_->box();
    whole_.reset();
    chosen_.clear();
    tables_->clear();
    tables_->hide();
    log_->clear();
    notifier_ = std::make_unique<QSocketNotifier>(socket_.get(), QSocketNotifier::Read);
    connect(notifier_.get(), &QSocketNotifier::activated, this, [this] { receive(); });
    list_running(listed_);
    // Redraw immediately, so that the campaign can be stopped without delay.
    redraw();
}

void RunPage::follow() {
    const auto sockets = events::SocketFolder::open(store_);
    std::vector<std::string> campaigns;
    // A killed campaign leaves a socket without a listener.
    if (sockets)
        for (std::string& each : sockets->campaigns())
            if (app::CampaignLock::is_held(store_, each)) campaigns.push_back(std::move(each));
    if (campaigns != listed_) list_running(campaigns);
    // Do not attach again to a campaign that has ended or whose connection was lost.
    if (!attached() && !begun_ && !listed_.empty() && listed_.front() != shown_) attach(listed_.front());
    follow_.start(follows_every_ms);
}

void RunPage::list_running(const std::vector<std::string>& campaigns) {
    if (campaigns.size() != listed_.size() && callbacks_.running) callbacks_.running(campaigns.size());
    listed_ = campaigns;
    running_->clear();
    running_->setVisible(listed_.size() > 1);
    if (listed_.size() < 2) return;
    const auto known = app::list_campaigns(store_);
    for (const std::string& id : listed_) {
        QString title = QString::fromStdString(id);
        if (known)
            if (const auto each = std::ranges::find(*known, id, &store::ListedCampaign::id); each != known->end())
                title =
                    QObject::tr("No. %1: %2").arg(QString::number(each->number), QString::fromStdString(each->name));
        running_->addItem(title);
    }
    const auto at = std::ranges::find(listed_, shown_);
    running_->setCurrentIndex(at == listed_.end() ? -1 : static_cast<int>(at - listed_.begin()));
}

void RunPage::detach() {
    if (notifier_) notifier_->setEnabled(false);
    // The notifier may be the caller of this function: delete it later.
    if (notifier_) notifier_.release()->deleteLater();
    socket_ = Descriptor();
}

void RunPage::receive() {
    std::array<char, 65536> buffer{};
    const ssize_t length = ::recv(socket_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (length < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (length <= 0) {
        detach();
        changed_ = true;
        return tell(QObject::tr("The campaign's process has ended. Its measurements are in the results."));
    }
    auto events = feed_.take({buffer.data(), static_cast<std::size_t>(length)});
    if (!events) {
        detach();
        return tell(QString::fromStdString(events.error().detail));
    }
    for (const campaign::SessionEvent& event : *events) model_.take(event);
    changed_ = true;
    if (!model_.ended()) return;
    detach();
    redraw();
    if (callbacks_.ended) callbacks_.ended(model_.campaign());
}

void RunPage::ask(events::ControlRequest request) {
    if (!attached()) return;
    const std::string line = events::line_of(request);
    if (::send(socket_.get(), line.data(), line.size(), MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
        tell(QObject::tr("The campaign does not respond."));
}

void RunPage::redraw() {
    changed_ = false;
    const auto& ended = model_.ended();
    stop_->setEnabled(attached());
    pause_->setEnabled(attached());
    pause_->setText(model_.paused() ? QObject::tr("&Continue") : QObject::tr("&Pause after this step"));
    if (model_.steps() > 0) {
        QString title = QObject::tr("step %1 of %2").arg(model_.begun()).arg(model_.steps());
        if (const auto left = model_.left()) title += "; " + text_of(*left);
        title_->setText(title);
    }
    if (ended && ended->state != store::CampaignState::finished) tell(QString::fromStdString(ended->detail));
    draw_lanes();
    draw_log();
    const bool rested = !since_tables_.isValid() || since_tables_.hasExpired(tables_rest_ms_) || ended;
    if (cells_drawn_ != model_.cells() && rested) draw_tables();
    // Tables whose pause is not over are drawn later.
    changed_ = cells_drawn_ != model_.cells();
}

void RunPage::draw_lanes() {
    const bool small = model_.lanes().size() > most_whole;
    if (small && !rows_.empty() && whole_ == nullptr) {
        for (const auto& [name, row] : rows_) delete row->box();
        rows_.clear();
    }
    if (small && whole_ == nullptr) {
        whole_ = std::make_unique<LaneRow>();
        lanes_->insertWidget(0, whole_->box());
        chosen_ = model_.lanes().front().medium;
        parts_->setSizes({700, 100, 100});
    }
    for (const Lane& lane : model_.lanes()) {
        auto& row = rows_[lane.medium];
        if (!row) {
            const int place = static_cast<int>(rows_.size()) - 1, columns = small ? small_in_a_row : 1;
            row = std::make_unique<LaneRow>(small ? LaneRow::Form::small : LaneRow::Form::whole,
                                            [this, medium = lane.medium] {
                                                chosen_ = medium;
                                                redraw();
                                            });
            grid_->addWidget(row->box(), place / columns, place % columns);
        }
        row->show(lane);
        if (whole_ && lane.medium == chosen_) whole_->show(lane);
    }
}

void RunPage::draw_log() {
    const auto& lines = model_.lines();
    const std::size_t fresh = std::min(model_.lines_told() - lines_drawn_, lines.size());
    QStringList text;
    for (std::size_t i = lines.size() - fresh; i < lines.size(); ++i) text += QString::fromStdString(lines[i]);
    if (!text.isEmpty()) log_->appendPlainText(text.join('\n'));
    lines_drawn_ = model_.lines_told();
}

void RunPage::draw_tables() {
    QElapsedTimer took;
    took.start();
    cells_drawn_ = model_.cells();
    const auto campaign = app::load_campaign(store_, model_.campaign());
    if (campaign) {
        tables_->setPlainText(QString::fromStdString(report::render_tables(*campaign, {.width = table_columns})));
        tables_->show();
    }
    tables_rest_ms_ = std::max(least_tables_rest_ms, took.elapsed() * tables_rest);
    since_tables_.start();
}

void RunPage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (changed_) redraw();
}

} // namespace mediarig::gui
