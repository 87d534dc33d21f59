// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/gui/results_page.hpp"

#include <QAbstractTableModel>
#include <QDateTime>
#include <QFontDatabase>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QTableView>
#include <QTextBrowser>
#include <QVBoxLayout>
#include <array>

#include "host/app/campaign_list.hpp"
#include "host/app/campaigns.hpp"
#include "host/gui/program.hpp"
#include "host/report/card.hpp"
#include "host/report/terminal.hpp"
#include "host/store/record_json.hpp"

namespace mediarig::gui {

/// A row for each campaign, newest first.
class CampaignTable final : public QAbstractTableModel {
public:
    using QAbstractTableModel::QAbstractTableModel;
    void show(std::vector<store::ListedCampaign> campaigns) {
        beginResetModel();
        campaigns_ = std::move(campaigns);
        endResetModel();
    }
    [[nodiscard]] const store::ListedCampaign* at(int row) const {
        const auto index = static_cast<std::size_t>(row);
        return row >= 0 && index < campaigns_.size() ? &campaigns_[index] : nullptr;
    }
    [[nodiscard]] int row_of(const std::string& id) const {
        for (std::size_t i = 0; i < campaigns_.size(); ++i)
            if (campaigns_[i].id == id) return static_cast<int>(i);
        return -1;
    }
    [[nodiscard]] int rowCount(const QModelIndex& parent) const override {
        return parent.isValid() ? 0 : static_cast<int>(campaigns_.size());
    }
    [[nodiscard]] int columnCount(const QModelIndex& parent) const override { return parent.isValid() ? 0 : 6; }
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override {
        if (role != Qt::DisplayRole || orientation != Qt::Horizontal) return {};
        const std::array titles{QObject::tr("No."),   QObject::tr("Began"), QObject::tr("Name"),
                                QObject::tr("State"), QObject::tr("Media"), QObject::tr("Verdicts")};
        return titles[static_cast<std::size_t>(section)];
    }
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override {
        const store::ListedCampaign* const campaign = at(index.row());
        if (campaign == nullptr || role != Qt::DisplayRole) return {};
        switch (index.column()) {
            case 0:
                return static_cast<qulonglong>(campaign->number);
            case 1:
                return QDateTime::fromSecsSinceEpoch(
                           std::chrono::floor<std::chrono::seconds>(campaign->started).time_since_epoch().count())
                    .toString("yyyy-MM-dd HH:mm");
            case 2:
                return QString::fromStdString(campaign->name);
            case 3:
                return QString::fromUtf8(store::name_of(campaign->state).data());
            default:
                return devices(*campaign, index.column() == 5);
        }
    }

private:
    static QString devices(const store::ListedCampaign& campaign, bool verdicts) {
        QStringList words;
        for (const store::ListedDevice& device : campaign.devices)
            words += verdicts ? QString::fromUtf8(device.grade ? measure::name_of(*device.grade).data() : "-")
                              : QString::fromStdString(device.nickname.empty() ? device.name : device.nickname);
        if (verdicts) words.removeDuplicates();
        return words.join(", ");
    }
    std::vector<store::ListedCampaign> campaigns_;
};

namespace {

QSortFilterProxyModel* proxy_of(QTableView* list) {
    return static_cast<QSortFilterProxyModel*>(list->model());
}

QString html(const std::string& text) {
    return QString::fromStdString(text).toHtmlEscaped();
}

/// Contrast of at least 4.5:1 under white letters. Source: WCAG 2.1, 1.4.3.
QString badge_colour(measure::Grade grade) {
    switch (grade) {
        case measure::Grade::pass:
            return "#006b4f";
        case measure::Grade::fail:
            return "#b3261e";
        case measure::Grade::fake:
            return "#8a1c6b";
        default:
            return "#8a5a00";
    }
}

QString html_of(const report::Card& card) {
    QString text = "<p>";
    if (card.grade)
        text += QString("<span style='background:%1;color:white;font-weight:bold'>&nbsp;%2&nbsp;</span> ")
                    .arg(badge_colour(*card.grade), QString::fromUtf8(measure::name_of(*card.grade).data()));
    text += "<b>" + html(card.title) + "</b><br>" + html(card.verdict) + "</p><table cellpadding=3>";
    for (const report::CardRow& row : card.rows) {
        QStringList lines;
        for (const std::string& line : row.lines) lines += html(line);
        text += "<tr><td><b>" + html(row.title) + "</b></td><td>" + lines.join("<br>") + "</td></tr>";
    }
    return text + "</table>";
}

} // namespace

ResultsPage::ResultsPage(std::filesystem::path store, std::function<void(const std::string&)> watch)
    : store_(std::move(store)), watch_(std::move(watch)) {
    auto* const rows = new QVBoxLayout(this);
    filter_ = new QLineEdit;
    filter_->setPlaceholderText(QObject::tr("Filter by name, medium, state or verdict"));
    filter_->setAccessibleName(filter_->placeholderText());
    table_ = new CampaignTable(this);
    auto* const proxy = new QSortFilterProxyModel(this);
    proxy->setSourceModel(table_);
    proxy->setFilterKeyColumn(-1);
    proxy->setFilterCaseSensitivity(Qt::CaseInsensitive);
    list_ = new QTableView;
    list_->setObjectName("campaigns");
    list_->setAccessibleName(QObject::tr("Campaigns"));
    list_->setModel(proxy);
    list_->setSelectionBehavior(QAbstractItemView::SelectRows);
    list_->setSelectionMode(QAbstractItemView::SingleSelection);
    list_->setTabKeyNavigation(false);
    list_->verticalHeader()->hide();
    list_->horizontalHeader()->setStretchLastSection(true);
    cards_ = new QTextBrowser;
    cards_->setObjectName("cards");
    cards_->setAccessibleName(QObject::tr("The answer about each medium"));
    cards_->setOpenLinks(false);
    tables_ = new QPlainTextEdit;
    tables_->setObjectName("tables");
    tables_->setReadOnly(true);
    tables_->setTabChangesFocus(true);
    tables_->setLineWrapMode(QPlainTextEdit::NoWrap);
    tables_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    tables_->setAccessibleName(QObject::tr("Tables"));
    open_ = new QPushButton(QObject::tr("Open the &page"));
    open_->setObjectName("open");
    watch_button_ = new QPushButton(QObject::tr("&Watch"));
    told_ = new QLabel;
    told_->setTextFormat(Qt::PlainText);
    told_->setWordWrap(true);
    auto* const parts = new QSplitter(Qt::Vertical);
    for (QWidget* part : {static_cast<QWidget*>(list_), static_cast<QWidget*>(cards_), static_cast<QWidget*>(tables_)})
        parts->addWidget(part);
    parts->setSizes({200, 300, 250});
    auto* const below = new QHBoxLayout;
    below->addWidget(told_, 1);
    below->addWidget(watch_button_);
    below->addWidget(open_);
    rows->addWidget(filter_);
    rows->addWidget(parts, 1);
    rows->addLayout(below);

    connect(filter_, &QLineEdit::textChanged, proxy, &QSortFilterProxyModel::setFilterFixedString);
    connect(list_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this] { show_chosen(); });
    connect(open_, &QPushButton::clicked, this, [this] {
        const QString id = QString::fromStdString(chosen());
        run_mediarig(this, {"report", id, "--store", QString::fromStdString(store_.string()), "--open"},
                     [this](const Ended& ended) { told_->setText(ended.error); });
    });
    connect(watch_button_, &QPushButton::clicked, this, [this] { watch_(chosen()); });
    show_chosen();
}

ResultsPage::~ResultsPage() {
    forget_mediarig(this);
}

void ResultsPage::focus_filter() {
    filter_->setFocus();
}

std::string ResultsPage::chosen() const {
    const QModelIndex index = proxy_of(list_)->mapToSource(list_->currentIndex());
    const auto* const campaign = table_->at(index.row());
    return campaign != nullptr ? campaign->id : std::string();
}

void ResultsPage::refresh(const std::string& campaign) {
    const std::string wanted = campaign.empty() ? chosen() : campaign;
    auto campaigns = app::list_campaigns(store_);
    if (campaigns) {
        table_->show(std::move(*campaigns));
        told_->clear();
    } else {
        table_->show({});
        // One that nothing was kept in yet is no fault.
        std::error_code unknown;
        told_->setText(std::filesystem::exists(store_, unknown) ? QString::fromStdString(campaigns.error().detail)
                                                                : QObject::tr("Nothing was tested yet."));
    }
    const int row = table_->row_of(wanted);
    if (row >= 0) list_->setCurrentIndex(proxy_of(list_)->mapFromSource(table_->index(row, 0)));
    show_chosen();
}

void ResultsPage::show_chosen() {
    const std::string id = chosen();
    open_->setEnabled(!id.empty());
    watch_button_->setEnabled(false);
    cards_->clear();
    tables_->clear();
    if (id.empty()) return;
    const auto campaign = app::load_campaign(store_, id);
    if (!campaign) return told_->setText(QString::fromStdString(campaign.error().detail));
    watch_button_->setEnabled(campaign->campaign.state == store::CampaignState::running);
    QString text;
    for (std::size_t i = 0; i < campaign->devices.size(); ++i) text += html_of(report::card_of(*campaign, i));
    cards_->setHtml(text);
    tables_->setPlainText(QString::fromStdString(report::render_tables(*campaign, {.width = 100})));
}

} // namespace mediarig::gui
