// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/gui/erase_dialog.hpp"

#include <QAbstractItemView>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "host/gui/program.hpp"
#include "host/gui/question_text.hpp"
#include "host/media/identity/confirmation.hpp"

namespace mediarig::gui {
namespace {

constexpr int looks_for_medium_every_ms = 1000;

QLabel* plain_label(const QString& text) {
    auto* const label = new QLabel(text);
    label->setTextFormat(Qt::PlainText); // plain text, because names come from the medium
    label->setWordWrap(true);
    return label;
}

} // namespace

EraseDialog::EraseDialog(const AttachedMedium& attached, Question question, const QString& takes, QWidget* parent)
    : QDialog(parent), replug_(attached) {
    const bool erasing = erases(question);
    const QuestionText words = text_of(question);
    setWindowTitle(words.title);
    setMinimumWidth(fontMetrics().averageCharWidth() * 60);
    auto* const rows = new QVBoxLayout(this);
    auto* const medium = plain_label(QString::fromStdString(attached.title));
    QFont large = medium->font();
    large.setPointSizeF(large.pointSizeF() * 1.4);
    medium->setFont(large);
    rows->addWidget(medium);
    rows->addWidget(plain_label(details_of(attached)));
    rows->addWidget(plain_label(contents_of(attached)));
    rows->addWidget(plain_label(words.answer));
    if (question == Question::how_fast) {
        suite_ = new QComboBox;
        suite_->setObjectName("suite");
        suite_->setAccessibleName(QObject::tr("How it is measured"));
        suite_->view()->setAccessibleName(suite_->accessibleName());
        for (std::size_t i = 0; i < speed_suites.size(); ++i) suite_->addItem(text_of_speed_suite(i));
        rows->addWidget(suite_);
    }
    if (!takes.isEmpty()) rows->addWidget(plain_label(takes));
    rows->addWidget(plain_label(erasing ? QObject::tr("Everything on this medium is erased.")
                                        : QObject::tr("Nothing on this medium is erased.")));
    auto* const buttons = new QDialogButtonBox;
    auto* const cancel = buttons->addButton(QObject::tr("&Cancel"), QDialogButtonBox::RejectRole);
    begin_ = buttons->addButton(erasing ? QObject::tr("Erase and begin") : QObject::tr("Begin"),
                                QDialogButtonBox::AcceptRole);
    begin_->setObjectName("begin");
    if (erasing) {
        const std::size_t asked = media::bytes_to_type(attached.confirm);
        auto* const prompt = plain_label(QObject::tr("Confirmation of this medium: %1\nType its last %2 characters:")
                                             .arg(QString::fromStdString(attached.confirm), QString::number(asked)));
        typed_ = new QLineEdit;
        typed_->setObjectName("confirmation");
        typed_->setAccessibleName(QObject::tr("Last characters of the confirmation"));
        prompt->setBuddy(typed_);
        rows->addWidget(prompt);
        rows->addWidget(typed_);
        connect(typed_, &QLineEdit::textChanged, this, [this] { judge(); });
    }
    message_ = plain_label({});
    message_->setObjectName("message");
    rows->addWidget(message_);
    // The Return key must not erase: only a click on this button does.
    begin_->setAutoDefault(false);
    begin_->setDefault(false);
    cancel->setDefault(true);
    connect(begin_, &QPushButton::clicked, this, &QDialog::accept);
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    rows->addWidget(buttons);
    if (typed_ != nullptr) typed_->setFocus();
    judge();
    connect(&look_, &QTimer::timeout, this, [this] {
        run_mediarig(this, {"devices", "--json"}, [this](const ProcessEnd& ended) {
            const auto now = attached_from_json({ended.out.data(), static_cast<std::size_t>(ended.out.size())});
            if (ended.status == 0 && now) look(*now);
            look_.start(looks_for_medium_every_ms);
        });
    });
    look_.setSingleShot(true);
}

EraseDialog::~EraseDialog() {
    kill_mediarig(this);
}

void EraseDialog::watch() {
    look_.start(0);
}

void EraseDialog::look(const std::vector<AttachedMedium>& now) {
    replug_.look(now);
    judge();
}

const char* EraseDialog::suite() const {
    return suite_ != nullptr ? speed_suites.at(static_cast<std::size_t>(suite_->currentIndex())) : speed_suites.front();
}

void EraseDialog::judge() {
    const AttachedMedium& medium = replug_.medium();
    bool confirmed = typed_ == nullptr || media::confirms(typed_->text().toStdString(), medium.confirm);
    QString text =
        typed_ != nullptr ? QObject::tr("Or pull the medium out and put it back to identify it.") : QString();
    switch (replug_.state()) {
        case Replug::State::there:
            break;
        case Replug::State::pulled:
            confirmed = false;
            text = QObject::tr("The medium was pulled out. Put the same medium back.");
            break;
        case Replug::State::back:
            confirmed = true;
            text = QObject::tr("The medium was pulled out and put back: it is identified.");
            break;
        case Replug::State::another:
            confirmed = false;
            text =
                QObject::tr(
                    "Another medium was inserted: %1. Neither medium is changed; close this dialog and choose again.")
                    .arg(QString::fromStdString(replug_.other().title));
    }
    for (const std::string& why : medium.refusals) {
        confirmed = false;
        text = QString::fromStdString(why);
    }
    message_->setText(text);
    message_->setVisible(!text.isEmpty());
    begin_->setEnabled(confirmed);
}

} // namespace mediarig::gui
