// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/gui/start_page.hpp"

#include <QCommandLinkButton>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QStyledItemDelegate>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "host/gui/device_card.hpp"
#include "host/gui/erase_dialog.hpp"
#include "host/gui/program.hpp"
#include "host/gui/question_text.hpp"
#include "host/media/identity/medium.hpp"

namespace mediarig::gui {
namespace {

/// Adds a margin above and below each card. The list's spacing property is ignored when texts are wrapped.
class PaddedDelegate final : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        return QStyledItemDelegate::sizeHint(option, index) + QSize(0, option.fontMetrics.height() * 2 / 3);
    }
};

} // namespace

StartPage::StartPage(std::filesystem::path store, std::function<void(const plan::Plan&)> begin,
                     std::function<void()> ask_tray)
    : store_(std::move(store)), begin_(std::move(begin)) {
    auto* const columns = new QHBoxLayout(this);
    auto* const left = new QVBoxLayout;
    auto* const title = new QLabel(QObject::tr("&Attached media"));
    list_ = new QListWidget;
    list_->setObjectName("attached");
    list_->setAccessibleName(QObject::tr("Attached media"));
    list_->setWordWrap(true);
    // Show the whole reason at any width.
    list_->setResizeMode(QListView::Adjust);
    list_->setIconSize(QSize(1, 1) * fontMetrics().height() * 2);
    list_->setItemDelegate(new PaddedDelegate(list_));
    title->setBuddy(list_);
    auto* const rescan_button = new QPushButton(QObject::tr("Look &again"));
    rescan_button->setObjectName("rescan");
    message_ = new QLabel;
    message_->setObjectName("message");
    message_->setWordWrap(true);
    message_->setTextFormat(Qt::PlainText);
    left->addWidget(title);
    left->addWidget(list_, 1);
    left->addWidget(message_);
    left->addWidget(rescan_button);
    columns->addLayout(left, 3);

    auto* const right = new QVBoxLayout;
    for (const Question question : all_questions) {
        auto* const button = new QCommandLinkButton(text_of(question).title);
        button->setObjectName(QString::fromUtf8(command_of(question).data()));
        button->setAccessibleName(button->text());
        right->addWidget(button);
        buttons_[question] = button;
        connect(button, &QPushButton::clicked, this, [this, question] { ask(question); });
    }
    auto* const tray = new QCommandLinkButton(
        QObject::tr("Test a tray"), QObject::tr("Many media at once: all that a rig holds, or that a plan names.") +
                                        '\n' + QObject::tr("Duration and amount of data are shown before the start."));
    tray->setObjectName("tray");
    tray->setAccessibleName(tray->text());
    right->addWidget(tray);
    connect(tray, &QPushButton::clicked, this, std::move(ask_tray));
    right->addStretch(1);
    columns->addLayout(right, 2);
    connect(rescan_button, &QPushButton::clicked, this, [this] { rescan(); });
    connect(list_, &QListWidget::currentItemChanged, this, [this] { choose(); });
    choose();
}

StartPage::~StartPage() {
    kill_mediarig(this);
}

void StartPage::describe(Question question, const QString& about) {
    const QuestionText words = text_of(question);
    const QString text = words.answer + '\n' + words.erasing;
    buttons_.at(question)->setDescription(about.isEmpty() ? text : text + '\n' + about);
    fit();
}

void StartPage::fit() {
    for (auto* const button : findChildren<QCommandLinkButton*>()) {
        // The button assumes a description of one line, but these descriptions have several lines; subtract the icon
        // and the margins.
        const int beside = button->iconSize().width() + button->fontMetrics().averageCharWidth() * 4;
        const QRect area(0, 0, std::max(1, button->width() - beside), QWIDGETSIZE_MAX);
        const int lines = button->fontMetrics().boundingRect(area, Qt::TextWordWrap, button->description()).height();
        button->setMinimumHeight(lines + button->fontMetrics().lineSpacing() * 3);
    }
}

void StartPage::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    fit();
}

void StartPage::tell(const QString& text) {
    message_->setText(text);
    message_->setVisible(!text.isEmpty());
}

void StartPage::rescan() {
    run_mediarig(this, {"devices", "--json"}, [this](const ProcessEnd& ended) {
        if (ended.status != 0) return tell(ended.error);
        const auto attached = attached_from_json({ended.out.data(), static_cast<std::size_t>(ended.out.size())});
        if (!attached) return tell(QString::fromStdString(attached.error().detail));
        tell(attached->empty() ? QObject::tr("No medium is attached.") : QString());
        show_attached(*attached);
    });
}

void StartPage::show_attached(const std::vector<AttachedMedium>& attached) {
    const std::string before = chosen() != nullptr ? media::presence_of(chosen()->medium) : std::string();
    list_->clear();
    for (const AttachedMedium& each : attached) {
        auto* const card = new DeviceCard(each);
        list_->addItem(card);
        if (!before.empty() && each.refusals.empty() && media::presence_of(each.medium) == before)
            list_->setCurrentItem(card);
    }
    choose();
}

const AttachedMedium* StartPage::chosen() const {
    const auto* const item = static_cast<const DeviceCard*>(list_->currentItem());
    return item != nullptr && item->attached().refusals.empty() ? &item->attached() : nullptr;
}

void StartPage::choose() {
    takes_.clear();
    ++choices_;
    const AttachedMedium* const attached = chosen();
    for (const auto& [question, button] : buttons_) {
        button->setEnabled(attached != nullptr);
        describe(question, {});
    }
    estimate_run(0);
}

void StartPage::estimate_run(std::size_t at) {
    const AttachedMedium* const attached = chosen();
    if (at >= all_questions.size() || attached == nullptr || estimating_) return;
    const Question question = all_questions[at];
    const auto plan = plan_for(question, *attached);
    const auto file = plan ? keep_plan(*plan, store_, "estimate") : fail(plan.error());
    if (!file) return tell(QString::fromStdString(file.error().detail));
    estimating_ = true;
    run_mediarig(this, {"run", QString::fromStdString(file->string()), "--dry-run", "--json"},
                 [this, question, at, choice = choices_](const ProcessEnd& ended) {
                     estimating_ = false;
                     if (const auto asked = std::exchange(confirmed_, std::nullopt)) return begin_(*asked);
                     if (choice != choices_) return estimate_run(0);
                     const auto estimate =
                         run_estimate_from_json({ended.out.data(), static_cast<std::size_t>(ended.out.size())});
                     const bool takes_time = estimate && estimate->time.count() > 0 && estimate->problem.empty();
                     if (takes_time) takes_[question] = text_of(*estimate);
                     const QString why_not = estimate ? QString::fromStdString(estimate->problem) : ended.error;
                     describe(question, takes_time ? takes_[question] : why_not);
                     estimate_run(at + 1);
                 });
}

void StartPage::ask(Question question) {
    const AttachedMedium* const attached = chosen();
    if (attached == nullptr) return;
    // The list may change while the dialog is open: the campaign uses exactly the medium of the dialog, or no medium.
    auto* const dialog = new EraseDialog(*attached, question, takes_[question], this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog, question] {
        const auto plan = plan_for(question, dialog->medium(), dialog->suite());
        if (plan && estimating_)
            confirmed_ = *plan;
        else if (plan)
            begin_(*plan);
        else
            tell(QString::fromStdString(plan.error().detail));
    });
    dialog->open();
    dialog->watch();
}

} // namespace mediarig::gui
