// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/gui/erase_dialog.hpp"

#include <QDialogButtonBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "host/gui/words.hpp"

namespace mediarig::gui {
namespace {

QLabel* plain_label(const QString& text) {
    auto* const label = new QLabel(text);
    label->setTextFormat(Qt::PlainText); // a medium says what it likes of itself
    label->setWordWrap(true);
    return label;
}

} // namespace

EraseDialog::EraseDialog(const Attached& attached, Question question, const QString& takes, QWidget* parent)
    : QDialog(parent) {
    const bool erasing = erases(question);
    const QuestionWords words = words_of(question);
    setWindowTitle(words.title);
    auto* const rows = new QVBoxLayout(this);
    auto* const medium = plain_label(QString::fromStdString(attached.title));
    QFont large = medium->font();
    large.setPointSizeF(large.pointSizeF() * 1.4);
    medium->setFont(large);
    rows->addWidget(medium);
    rows->addWidget(plain_label(details_of(attached)));
    rows->addWidget(plain_label(words.answer));
    if (!takes.isEmpty()) rows->addWidget(plain_label(takes));
    rows->addWidget(plain_label(erasing ? QObject::tr("Everything on this medium is erased.")
                                        : QObject::tr("Nothing on this medium is erased.")));
    auto* const buttons = new QDialogButtonBox;
    auto* const cancel = buttons->addButton(QObject::tr("&Cancel"), QDialogButtonBox::RejectRole);
    begin_ = buttons->addButton(erasing ? QObject::tr("Erase and begin") : QObject::tr("Begin"),
                                QDialogButtonBox::AcceptRole);
    begin_->setObjectName("begin");
    if (erasing) {
        const std::size_t asked = characters_to_type(attached);
        auto* const prompt = plain_label(QObject::tr("It is confirmed by: %1\nType the last %2 characters of it:")
                                             .arg(QString::fromStdString(attached.confirm), QString::number(asked)));
        typed_ = new QLineEdit;
        typed_->setObjectName("confirmation");
        typed_->setAccessibleName(QObject::tr("Last characters of what confirms the medium"));
        prompt->setBuddy(typed_);
        rows->addWidget(prompt);
        rows->addWidget(typed_);
        begin_->setEnabled(false);
        connect(typed_, &QLineEdit::textChanged, this,
                [this, attached](const QString& text) { begin_->setEnabled(confirms(attached, text.toStdString())); });
    }
    // Return never erases: it has to be this button that is pressed.
    begin_->setAutoDefault(false);
    begin_->setDefault(false);
    cancel->setDefault(true);
    connect(begin_, &QPushButton::clicked, this, &QDialog::accept);
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    rows->addWidget(buttons);
    if (typed_ != nullptr) typed_->setFocus();
}

} // namespace mediarig::gui
