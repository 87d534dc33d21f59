// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/gui/run_page.hpp"

#include <sys/socket.h>

#include <QGroupBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QSocketNotifier>
#include <QSplitter>
#include <QVBoxLayout>
#include <array>
#include <cerrno>

#include "host/app/campaigns.hpp"
#include "host/events/socket/socket_folder.hpp"
#include "host/gui/lane_row.hpp"
#include "host/gui/monospaced.hpp"
#include "host/report/terminal.hpp"

namespace mediarig::gui {

namespace {

constexpr int redraws_every_ms = 250;
constexpr int looks_every_ms = 100;

} // namespace

RunPage::RunPage(std::filesystem::path store, std::function<void(const std::string&)> ended)
    : store_(std::move(store)), ended_(std::move(ended)) {
    auto* const rows = new QVBoxLayout(this);
    auto* const head = new QHBoxLayout;
    title_ = new QLabel(QObject::tr("Nothing runs."));
    title_->setObjectName("place");
    title_->setTextFormat(Qt::PlainText);
    pause_ = new QPushButton(QObject::tr("&Pause after this step"));
    pause_->setObjectName("pause");
    stop_ = new QPushButton(QObject::tr("&Stop"));
    stop_->setObjectName("stop");
    head->addWidget(title_, 1);
    head->addWidget(pause_);
    head->addWidget(stop_);
    rows->addLayout(head);
    told_ = new QLabel;
    told_->setObjectName("told");
    told_->setTextFormat(Qt::PlainText);
    told_->setWordWrap(true);
    told_->hide();
    rows->addWidget(told_);

    auto* const inner = new QWidget;
    lanes_ = new QVBoxLayout(inner);
    lanes_->addStretch(1);
    auto* const scroll = new QScrollArea;
    scroll->setWidget(inner);
    scroll->setWidgetResizable(true);
    scroll->setAccessibleName(QObject::tr("Media under test"));
    tables_ = monospaced(QObject::tr("Results so far"));
    tables_->setObjectName("tables");
    log_ = monospaced(QObject::tr("What happened"));
    log_->setObjectName("log");
    auto* const below = new QSplitter(Qt::Vertical);
    below->addWidget(scroll);
    below->addWidget(tables_);
    below->addWidget(log_);
    below->setSizes({300, 300, 150});
    rows->addWidget(below, 1);

    connect(pause_, &QPushButton::clicked, this,
            [this] { ask(model_.paused() ? events::Request::go_on : events::Request::pause); });
    connect(stop_, &QPushButton::clicked, this, [this] { ask(events::Request::stop); });
    connect(&look_, &QTimer::timeout, this, [this] { look_for_begun(); });
    connect(&draw_, &QTimer::timeout, this, [this] {
        if (changed_) redraw();
    });
    draw_.start(redraws_every_ms);
    redraw();
}

RunPage::~RunPage() = default;

void RunPage::tell(const QString& text) {
    told_->setText(text);
    told_->setVisible(!text.isEmpty());
}

void RunPage::begin(const plan::Plan& plan) {
    auto begun = BegunCampaign::begin(plan, store_);
    if (!begun) return tell(QString::fromStdString(begun.error().detail));
    begun_ = std::move(*begun);
    tell(QObject::tr("Begins; where a password is asked for, it is to open the medium."));
    look_.start(looks_every_ms);
}

void RunPage::look_for_begun() {
    if (!begun_) return look_.stop();
    // Asked before the socket is looked for: one that ended quickly may have been there in between.
    const auto broke_off = begun_->broke_off();
    if (const auto campaign = begun_->campaign()) {
        begun_.reset();
        look_.stop();
        attach(*campaign);
    } else if (broke_off) {
        begun_.reset();
        look_.stop();
        tell(broke_off->isEmpty() ? QObject::tr("It ended before it could be watched: see the results.") : *broke_off);
    }
}

void RunPage::attach(const std::string& campaign) {
    detach();
    auto socket = events::connect_to_campaign(store_, campaign);
    if (!socket) return tell(QString::fromStdString(socket.error().detail));
    tell({});
    socket_ = std::move(*socket);
    feed_ = {};
    model_ = {};
    cells_drawn_ = lines_drawn_ = 0;
    for (const auto& [name, row] : rows_) delete row->box();
    rows_.clear();
    tables_->clear();
    log_->clear();
    notifier_ = std::make_unique<QSocketNotifier>(socket_.get(), QSocketNotifier::Read);
    connect(notifier_.get(), &QSocketNotifier::activated, this, [this] { receive(); });
    // At once: who wants to stop it shall not wait for the next picture.
    redraw();
}

void RunPage::detach() {
    if (notifier_) notifier_->setEnabled(false);
    // It may be what called us.
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
        return tell(QObject::tr("The campaign's process is gone. What was measured is in the results."));
    }
    auto events = feed_.take({buffer.data(), static_cast<std::size_t>(length)});
    if (!events) {
        detach();
        return tell(QString::fromStdString(events.error().detail));
    }
    for (const session::SessionEvent& event : *events) model_.take(event);
    changed_ = true;
    if (!model_.ended()) return;
    detach();
    redraw();
    if (ended_) ended_(model_.campaign());
}

void RunPage::ask(events::Request request) {
    if (!attached()) return;
    const std::string line = events::line_of(request);
    if (::send(socket_.get(), line.data(), line.size(), MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
        tell(QObject::tr("The campaign does not hear."));
}

void RunPage::redraw() {
    changed_ = false;
    const auto& ended = model_.ended();
    stop_->setEnabled(attached());
    pause_->setEnabled(attached());
    pause_->setText(model_.paused() ? QObject::tr("&Continue") : QObject::tr("&Pause after this step"));
    if (model_.steps() > 0) title_->setText(QObject::tr("step %1 of %2").arg(model_.begun()).arg(model_.steps()));
    if (ended && ended->state != store::CampaignState::finished) tell(QString::fromStdString(ended->detail));
    for (const Lane& lane : model_.lanes()) {
        auto& row = rows_[lane.medium];
        if (!row) {
            row = std::make_unique<LaneRow>();
            lanes_->insertWidget(lanes_->count() - 1, row->box());
        }
        row->show(lane);
    }
    const auto& lines = model_.lines();
    for (; lines_drawn_ < lines.size(); ++lines_drawn_)
        log_->appendPlainText(QString::fromStdString(lines[lines_drawn_]));
    if (cells_drawn_ != model_.cells()) draw_tables();
}

void RunPage::draw_tables() {
    cells_drawn_ = model_.cells();
    const auto campaign = app::load_campaign(store_, model_.campaign());
    if (campaign)
        tables_->setPlainText(QString::fromStdString(report::render_tables(*campaign, {.width = table_columns})));
}

} // namespace mediarig::gui
