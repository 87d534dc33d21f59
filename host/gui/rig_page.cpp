// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/gui/rig_page.hpp"

#include <QAbstractItemView>
#include <QCheckBox>
#include <QComboBox>
#include <QGridLayout>
#include <QGroupBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <array>
#include <utility>

#include "common/rigproto/messages.hpp"
#include "host/gui/program.hpp"
#include "host/gui/rig_choice_box.hpp"
#include "host/gui/rig_map.hpp"
#include "host/rig/port/rig_text.hpp"

namespace mediarig::gui {
namespace {

constexpr int looks_at_rig_every_ms = 1000;

QLabel* words(const char* name) {
    auto* const label = new QLabel;
    label->setObjectName(name);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    return label;
}

QSpinBox* number(const char* name, const QString& title, int most) {
    auto* const box = new QSpinBox;
    box->setObjectName(name);
    box->setRange(1, most);
    box->setAccessibleName(title);
    return box;
}

QStringList row_of(const ShownPort& port) {
    const std::array lights{QObject::tr("dark"), QObject::tr("lit"), QObject::tr("blinking")};
    return {QString::number(port.number),
            port.card ? QObject::tr("yes") : QObject::tr("no"),
            lights.at(static_cast<std::size_t>(port.light)),
            QString::fromStdString(port.state),
            QString("%1 V").arg(port.millivolts / 1000.0, 0, 'f', 2),
            QString("%1 mA").arg(port.milliamperes),
            QString::number(port.insertions),
            QString::fromStdString(port.fault)};
}

} // namespace

RigPage::RigPage(std::filesystem::path store) : store_(std::move(store)) {
    auto* const rows = new QVBoxLayout(this);
    auto* const head = new QHBoxLayout;
    auto* const which = new QLabel(QObject::tr("&Rig"));
    rig_ = new RigChoiceBox(false);
    which->setBuddy(rig_);
    simulate_ = new QPushButton(QObject::tr("Start a si&mulated rig"));
    simulate_->setObjectName("simulate");
    stop_ = new QPushButton(QObject::tr("&Stop all motion"));
    stop_->setObjectName("halt");
    head->addWidget(which);
    head->addWidget(rig_, 1);
    head->addWidget(simulate_);
    head->addWidget(stop_);
    state_ = words("state");
    fault_ = words("fault");
    message_ = words("message");
    map_ = new RigMap;
    ports_ = new QTreeWidget;
    ports_->setObjectName("readers");
    ports_->setAccessibleName(QObject::tr("Readers"));
    ports_->setRootIsDecorated(false);
    ports_->setUniformRowHeights(true);
    ports_->setHeaderLabels({QObject::tr("Reader"), QObject::tr("Card"), QObject::tr("Light"), QObject::tr("Supply"),
                             QObject::tr("Voltage"), QObject::tr("Current"), QObject::tr("Insertions"),
                             QObject::tr("Fault and remedy")});
    ports_->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
    by_hand_ = new QCheckBox(QObject::tr("Move it by &hand"));
    by_hand_->setObjectName("by hand");
    by_hand_->setToolTip(
        QObject::tr("A campaign moves the rig automatically. By hand, the rig moves at once, with any card in it."));
    moves_ = moves();
    rows->addLayout(head);
    rows->addWidget(state_);
    rows->addWidget(fault_);
    rows->addWidget(map_);
    rows->addWidget(ports_, 1);
    rows->addWidget(by_hand_);
    rows->addWidget(moves_);
    rows->addWidget(message_);
    connect(simulate_, &QPushButton::clicked, this, [this] { simulate(); });
    connect(stop_, &QPushButton::clicked, this, [this] { stop(); });
    connect(by_hand_, &QCheckBox::toggled, this, [this] { enable(); });
    connect(rig_, &QComboBox::currentTextChanged, this, [this] {
        // The displayed state belongs to another rig.
        by_hand_->setChecked(false);
        show_nothing({});
    });
    connect(&look_, &QTimer::timeout, this, [this] { look(); });
    connect(&simulation_, &QProcess::readyReadStandardOutput, this, [this] {
        message_->setText(QString::fromUtf8(simulation_.readAllStandardOutput()).trimmed());
        rig_->choose(app::RigKind::simulated);
        look();
    });
    connect(&simulation_, &QProcess::finished, this, [this] {
        message_->setText(QString::fromUtf8(simulation_.readAllStandardError()).trimmed());
        enable();
    });
    enable();
}

RigPage::~RigPage() {
    kill_mediarig(this);
    simulation_.disconnect();
    if (simulation_.state() == QProcess::NotRunning) return;
    simulation_.terminate();
    simulation_.waitForFinished();
}

QGroupBox* RigPage::moves() {
    auto* const box = new QGroupBox(QObject::tr("By hand"));
    auto* const grid = new QGridLayout(box);
    pocket_ = number("pocket", QObject::tr("Pocket"), rigproto::max_pockets);
    reader_ = number("reader", QObject::tr("Reader"), rigproto::port_count);
    to_ = new QComboBox;
    to_->setObjectName("to");
    to_->setAccessibleName(QObject::tr("Where to"));
    to_->view()->setAccessibleName(to_->accessibleName());
    to_->addItem(QObject::tr("into its own pocket"), QStringList());
    to_->addItem(QObject::tr("into the pocket above"), QStringList{"pocket"});
    for (int i = 0; i < rigproto::bin_count; ++i) {
        const auto bin = QString::fromUtf8(rig::name_of(static_cast<rigproto::Bin>(i)).data());
        to_->addItem(QObject::tr("into bin %1").arg(bin), QStringList{"bin", bin});
    }
    const auto button = [this](const char* name, const QString& title, auto asked) {
        auto* const made = new QPushButton(title);
        made->setObjectName(name);
        connect(made, &QPushButton::clicked, this, [this, asked] { move(asked()); });
        return made;
    };
    const auto plain = [](const char* word) { return [word] { return QStringList{word}; }; };
    const auto reader = [this] { return QString::number(reader_->value()); };
    const auto label = [](const QString& text, QWidget* buddy) {
        auto* const made = new QLabel(text);
        made->setBuddy(buddy);
        return made;
    };
    grid->addWidget(label(QObject::tr("&Pocket"), pocket_), 0, 0);
    grid->addWidget(pocket_, 0, 1);
    grid->addWidget(label(QObject::tr("Rea&der"), reader_), 0, 2);
    grid->addWidget(reader_, 0, 3);
    grid->addWidget(button("load", QObject::tr("&Load into the reader"),
                           [this, reader] {
                               return QStringList{"load", QString::number(pocket_->value()), "--port", reader()};
                           }),
                    0, 4);
    grid->addWidget(button("unload", QObject::tr("&Unload the reader"),
                           [this, reader] {
                               QStringList asked{"unload", "--port", reader()};
                               const QStringList to = to_->currentData().toStringList();
                               if (!to.isEmpty()) asked += QStringList{"--to"} + to;
                               if (to.size() == 1) asked += QString::number(pocket_->value());
                               return asked;
                           }),
                    0, 5);
    grid->addWidget(to_, 0, 6);
    grid->addWidget(button("on", QObject::tr("Switch &on"),
                           [reader] {
                               return QStringList{"power", reader(), "on"};
                           }),
                    1, 4);
    grid->addWidget(button("off", QObject::tr("Switch o&ff"),
                           [reader] {
                               return QStringList{"power", reader(), "off"};
                           }),
                    1, 5);
    grid->addWidget(button("home", QObject::tr("&Home"), plain("home")), 1, 0, 1, 2);
    grid->addWidget(button("park", QObject::tr("Par&k"), plain("park")), 1, 2, 1, 2);
    grid->addWidget(button("reset", QObject::tr("&Clear the fault"), plain("reset")), 1, 6);
    return box;
}

void RigPage::enable() {
    simulate_->setEnabled(simulation_.state() == QProcess::NotRunning);
    by_hand_->setEnabled(!moving_);
    moves_->setEnabled(by_hand_->isChecked() && !moving_);
}

void RigPage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    look();
    look_.start(looks_at_rig_every_ms);
}

void RigPage::hideEvent(QHideEvent* event) {
    QWidget::hideEvent(event);
    look_.stop();
}

void RigPage::look() {
    if (looking_ || moving_) return;
    looking_ = true;
    const QString asked = rig_->rig();
    run_mediarig(this, {"rig", "status", "--json", "--rig", asked}, [this, asked](const ProcessEnd& ended) {
        looking_ = false;
        if (!waits_.isEmpty()) return move(std::exchange(waits_, {}));
        if (asked != rig_->rig()) return look();
        constexpr int latched = 1;
        if (ended.status != 0 && ended.status != latched) return show_nothing(ended.error);
        const auto rig = rig_from_json({ended.out.data(), static_cast<std::size_t>(ended.out.size())});
        if (rig)
            show_rig(*rig);
        else
            show_nothing(QString::fromStdString(rig.error().detail));
    });
}

void RigPage::show_nothing(const QString& why) {
    state_->setText(why);
    fault_->clear();
    fault_->hide();
    map_->clear();
    ports_->clear();
}

void RigPage::show_rig(const ShownRig& rig) {
    QStringList state{QString::fromStdString(rig.description), QString::fromStdString(rig.state)};
    state += rig.homed ? QObject::tr("homed") : QObject::tr("not homed");
    if (const ShownPlace* const place = place_of_carriage(rig)) {
        const bool pocket = place >= rig.pockets.data() && place < rig.pockets.data() + rig.pockets.size();
        const bool reader = place >= rig.readers.data() && place < rig.readers.data() + rig.readers.size();
        state += (pocket   ? QObject::tr("carriage at pocket %1")
                  : reader ? QObject::tr("carriage at reader %1")
                           : QObject::tr("carriage at bin %1"))
                     .arg(QString::fromStdString(place->name));
    }
    if (rig.holding) state += QObject::tr("a card is on the cup");
    if (rig.running_job != 0) state += QObject::tr("job %1 runs").arg(rig.running_job);
    state_->setText(state.join("; "));
    QStringList faults;
    if (!rig.fault.empty()) faults += QString::fromStdString(rig.fault);
    if (!rig.safety_closed)
        faults += QObject::tr("The emergency stop is pressed, or the door is open: nothing moves until it is closed.");
    fault_->setText(faults.join('\n'));
    fault_->setVisible(!faults.isEmpty());
    map_->show_rig(rig);
    // Keep the rows, so that the selection does not change.
    while (ports_->topLevelItemCount() > static_cast<int>(rig.ports.size())) delete ports_->takeTopLevelItem(0);
    while (ports_->topLevelItemCount() < static_cast<int>(rig.ports.size())) new QTreeWidgetItem(ports_);
    for (std::size_t i = 0; i < rig.ports.size(); ++i) {
        const QStringList row = row_of(rig.ports[i]);
        for (int column = 0; column < row.size(); ++column)
            ports_->topLevelItem(static_cast<int>(i))->setText(column, row[column]);
    }
}

void RigPage::move(const QStringList& words) {
    moving_ = true;
    enable();
    message_->setText(QObject::tr("Requested: %1").arg(words.join(' ')));
    if (looking_) {
        waits_ = words;
        return;
    }
    QStringList rig{"--rig", rig_->rig()};
    if (words.first() != "stop") rig += QStringList{"--store", QString::fromStdString(store_.string())};
    move_ = run_mediarig(this, QStringList{"rig"} + words + rig, [this](const ProcessEnd& ended) {
        moving_ = false;
        enable();
        message_->setText(ended.status == 0 ? QString::fromUtf8(ended.out).trimmed() : ended.error);
        look();
    });
}

void RigPage::stop() {
    if (move_)
        move_->terminate();
    else
        move({"stop"});
}

void RigPage::simulate() {
    start_mediarig(simulation_, {"rig", "sim"});
    enable();
}

} // namespace mediarig::gui
