// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/gui/tray_dialog.hpp"

#include <QAbstractItemView>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFile>
#include <QFileDialog>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "host/base/json/json_text.hpp"
#include "host/base/text.hpp"
#include "host/gui/models/json_place.hpp"
#include "host/gui/models/question.hpp"
#include "host/gui/monospaced.hpp"
#include "host/gui/program.hpp"
#include "host/gui/question_text.hpp"
#include "host/gui/rig_choice_box.hpp"
#include "host/plan/parse_plan.hpp"

namespace mediarig::gui {
namespace {

/// In bytes; plans are written by hand.
constexpr qint64 largest_plan = 4 << 20;

} // namespace

TrayDialog::TrayDialog(std::filesystem::path store, StartCampaign begin, QWidget* parent)
    : QDialog(parent), store_(std::move(store)), begin_with_(std::move(begin)) {
    setWindowTitle(QObject::tr("Test a tray"));
    auto* const rows = new QVBoxLayout(this);
    auto* const form = new QFormLayout;
    rig_ = new RigChoiceBox(true);
    question_ = new QComboBox;
    question_->setObjectName("question");
    question_->setAccessibleName(QObject::tr("Test of each medium"));
    question_->view()->setAccessibleName(question_->accessibleName());
    for (const Question each : all_questions) question_->addItem(text_of(each).title);
    // Set this text after adding the entries: if set earlier, no question would be selected initially.
    question_->setPlaceholderText(QObject::tr("the tests of the plan file"));
    lot_ = new QLineEdit;
    lot_->setObjectName("lot");
    lot_->setAccessibleName(QObject::tr("Lot of all these media"));
    auto* const file = new QPushButton(QObject::tr("A plan &file…"));
    auto* const asked = new QHBoxLayout;
    asked->addWidget(question_, 1);
    asked->addWidget(file);
    form->addRow(QObject::tr("&Rig"), rig_);
    auto* const question = new QLabel(QObject::tr("&Question"));
    question->setBuddy(question_);
    form->addRow(question, asked);
    form->addRow(QObject::tr("&Lot"), lot_);
    rows->addLayout(form);
    plan_ = monospaced(QObject::tr("The plan"));
    plan_->setObjectName("plan");
    plan_->setReadOnly(false);
    found_ = new QListWidget;
    found_->setObjectName("found");
    found_->setAccessibleName(QObject::tr("Faults of the plan, or its media"));
    found_->setWordWrap(true);
    message_ = new QLabel;
    message_->setObjectName("message");
    message_->setTextFormat(Qt::PlainText);
    message_->setWordWrap(true);
    look_ = new QPushButton(QObject::tr("&Show the estimate"));
    look_->setObjectName("estimate_run");
    rows->addWidget(plan_, 2);
    rows->addWidget(look_);
    rows->addWidget(message_);
    rows->addWidget(found_, 1);
    prompt_ = new QLabel(QObject::tr("All data on these media is erased. Type the number of media:"));
    prompt_->setWordWrap(true);
    typed_ = new QLineEdit;
    typed_->setObjectName("confirmation");
    typed_->setAccessibleName(QObject::tr("Number of media to erase"));
    prompt_->setBuddy(typed_);
    rows->addWidget(prompt_);
    rows->addWidget(typed_);
    auto* const buttons = new QDialogButtonBox;
    auto* const cancel = buttons->addButton(QObject::tr("&Cancel"), QDialogButtonBox::RejectRole);
    begin_ = buttons->addButton(QObject::tr("Begin"), QDialogButtonBox::AcceptRole);
    begin_->setObjectName("begin");
    begin_->setAutoDefault(false);
    look_->setAutoDefault(false);
    file->setAutoDefault(false);
    cancel->setDefault(true);
    rows->addWidget(buttons);
    resize(fontMetrics().averageCharWidth() * 95, fontMetrics().height() * 36);
    connect(question_, &QComboBox::currentIndexChanged, this, [this] { write_plan(); });
    connect(lot_, &QLineEdit::textEdited, this, [this] { write_plan(); });
    connect(file, &QPushButton::clicked, this, [this] { ask_for_file(); });
    connect(plan_, &QPlainTextEdit::textChanged, this, [this] { check(); });
    connect(rig_, &QComboBox::currentTextChanged, this, [this] { check(); });
    connect(found_, &QListWidget::currentRowChanged, this, [this](int row) { show_fault(row); });
    connect(look_, &QPushButton::clicked, this, [this] { estimate_run(); });
    connect(typed_, &QLineEdit::textChanged, this, [this] { judge(); });
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    connect(begin_, &QPushButton::clicked, this, [this] {
        accept();
        begin_with_(file_, run_words());
    });
    judge();
    write_plan();
}

TrayDialog::~TrayDialog() {
    kill_mediarig(this);
}

void TrayDialog::write_plan() {
    if (question_->currentIndex() < 0) return;
    const auto question = all_questions.at(static_cast<std::size_t>(question_->currentIndex()));
    const auto plan = tray_plan(question, lot_->text().toStdString());
    if (plan)
        plan_->setPlainText(QString::fromStdString(codec::json_text(plan::to_json(*plan))));
    else
        message_->setText(QString::fromStdString(plan.error().detail));
}

void TrayDialog::ask_for_file() {
    auto* const dialog = new QFileDialog(this, QObject::tr("A plan file"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setNameFilters({QObject::tr("Plans (*.json)"), QObject::tr("All files (*)")});
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& file) { open_plan(file); });
    dialog->open();
}

void TrayDialog::open_plan(const QString& file) {
    QFile plan(file);
    if (!plan.open(QIODevice::ReadOnly))
        return message_->setText(QObject::tr("cannot read %1: %2").arg(file, plan.errorString()));
    const QByteArray text = plan.read(largest_plan + 1);
    if (text.size() > largest_plan) return message_->setText(QObject::tr("%1 is too large for a plan").arg(file));
    // The plan file replaces the plan of the selected question.
    const QSignalBlocker quiet(question_);
    question_->setCurrentIndex(-1);
    plan_->setPlainText(QString::fromUtf8(text));
}

bool TrayDialog::check() {
    estimated_ = false;
    found_->clear();
    message_->clear();
    const auto plan = plan::parse_plan(plan_->toPlainText().toStdString());
    if (plan) {
        in_lab_ = !plan->lab.empty();
        erases_ = plan::destroys(*plan);
    } else {
        for (const std::string& fault : plan.error().lines) found_->addItem(QString::fromStdString(printable(fault)));
        message_->setText(QObject::tr("The plan has faults; choose one to see where it is."));
    }
    look_->setEnabled(plan.has_value());
    judge();
    return plan.has_value();
}

void TrayDialog::show_fault(int row) {
    if (row < 0 || estimated_) return;
    const QByteArray text = plan_->toPlainText().toUtf8(), fault = found_->item(row)->text().toUtf8();
    const std::size_t place = place_of_fault({text.data(), static_cast<std::size_t>(text.size())},
                                             {fault.data(), static_cast<std::size_t>(fault.size())});
    QTextCursor cursor = plan_->textCursor();
    cursor.setPosition(static_cast<int>(QString::fromUtf8(text.left(static_cast<qsizetype>(place))).size()));
    cursor.movePosition(QTextCursor::EndOfLine, QTextCursor::KeepAnchor);
    plan_->setTextCursor(cursor);
    plan_->centerCursor();
}

QStringList TrayDialog::run_words() const {
    QStringList words;
    if (!rig_->rig().isEmpty()) words += QStringList{"--rig", rig_->rig()};
    // The lab has a separate agent.
    return in_lab_ ? words : words + agent_words();
}

void TrayDialog::estimate_run() {
    const auto plan = plan::parse_plan(plan_->toPlainText().toStdString());
    if (!plan) return;
    const auto file = keep_plan(*plan, store_, "tray");
    if (!file) return message_->setText(QString::fromStdString(file.error().detail));
    file_ = *file;
    look_->setEnabled(false);
    message_->setText(QObject::tr("Estimating…"));
    QStringList words{"run", QString::fromStdString(file_.string()), "--dry-run", "--json"};
    run_mediarig(this, words + run_words(),
                 [this, text = plan_->toPlainText(), rig = rig_->rig()](const ProcessEnd& ended) {
                     look_->setEnabled(true);
                     if (text != plan_->toPlainText() || rig != rig_->rig()) return;
                     const auto estimate =
                         run_estimate_from_json({ended.out.data(), static_cast<std::size_t>(ended.out.size())});
                     if (!estimate) return message_->setText(ended.all);
                     show_estimate(*estimate);
                 });
}

void TrayDialog::show_estimate(const RunEstimate& estimate) {
    estimated_ = true;
    media_ = estimate.media.size();
    found_->clear();
    for (const RunEstimate::Medium& each : estimate.media)
        found_->addItem(QString::fromStdString(each.problem.empty() ? each.name : each.name + ": " + each.problem));
    const QString count = QObject::tr("Media: %1").arg(static_cast<qulonglong>(media_));
    message_->setText(estimate.time.count() > 0
                          ? count + "; " + text_of(estimate)
                          : count + "; " + QObject::tr("the duration depends on media that are not known yet"));
    judge();
}

void TrayDialog::judge() {
    const bool asks = estimated_ && erases_;
    prompt_->setVisible(asks);
    typed_->setVisible(asks);
    begin_->setText(erases_ ? QObject::tr("Erase and begin") : QObject::tr("Begin"));
    begin_->setEnabled(estimated_ && media_ > 0 &&
                       (!erases_ || typed_->text().trimmed() == QString::number(static_cast<qulonglong>(media_))));
}

} // namespace mediarig::gui
