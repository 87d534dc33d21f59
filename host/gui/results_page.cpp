// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/gui/results_page.hpp"

#include <QAbstractTableModel>
#include <QDateTime>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <array>

#include "host/app/campaign_list.hpp"
#include "host/app/campaigns.hpp"
#include "host/gui/campaign_pane.hpp"
#include "host/gui/monospaced.hpp"
#include "host/gui/program.hpp"
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
    list_->setSelectionMode(QAbstractItemView::ExtendedSelection);
    list_->setTabKeyNavigation(false);
    list_->verticalHeader()->hide();
    list_->horizontalHeader()->setStretchLastSection(true);
    auto* const panes = new QSplitter;
    for (std::size_t i = 0; i < panes_.size(); ++i) {
        panes_[i] = new CampaignPane(static_cast<int>(i) + 1);
        panes->addWidget(panes_[i]);
    }
    compared_ = monospaced(QObject::tr("What the comparison of the media says"));
    compared_->setObjectName("compared");
    open_ = new QPushButton(QObject::tr("Open the &page"));
    open_->setObjectName("open");
    watch_button_ = new QPushButton(QObject::tr("&Watch"));
    told_ = new QLabel;
    told_->setTextFormat(Qt::PlainText);
    told_->setWordWrap(true);
    auto* const parts = new QSplitter(Qt::Vertical);
    for (QWidget* part : {static_cast<QWidget*>(list_), static_cast<QWidget*>(panes), static_cast<QWidget*>(compared_)})
        parts->addWidget(part);
    parts->setSizes({200, 550, 200});
    auto* const below = new QHBoxLayout;
    below->addWidget(told_, 1);
    below->addWidget(watch_button_);
    below->addWidget(open_);
    rows->addWidget(filter_);
    rows->addWidget(parts, 1);
    rows->addLayout(below);

    connect(filter_, &QLineEdit::textChanged, proxy, &QSortFilterProxyModel::setFilterFixedString);
    connect(list_->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        told_->clear();
        show_chosen();
    });
    connect(open_, &QPushButton::clicked, this, [this] {
        const QString id = QString::fromStdString(chosen().front());
        run_mediarig(this, {"report", id, "--store", QString::fromStdString(store_.string()), "--open"},
                     [this](const Ended& ended) { told_->setText(ended.error); });
    });
    connect(watch_button_, &QPushButton::clicked, this, [this] { watch_(chosen().front()); });
    show_chosen();
}

ResultsPage::~ResultsPage() {
    forget_mediarig(this);
}

void ResultsPage::focus_filter() {
    filter_->setFocus();
}

std::vector<std::string> ResultsPage::chosen() const {
    std::vector<std::string> ids;
    QModelIndexList rows = list_->selectionModel()->selectedRows();
    std::sort(rows.begin(), rows.end());
    for (const QModelIndex& row : rows)
        if (const auto* const campaign = table_->at(proxy_of(list_)->mapToSource(row).row()))
            ids.push_back(campaign->id);
    return ids;
}

void ResultsPage::refresh(const std::string& campaign) {
    const auto wanted = campaign.empty() ? chosen() : std::vector{campaign};
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
    QItemSelection selection;
    for (const std::string& id : wanted) {
        const QModelIndex index = proxy_of(list_)->mapFromSource(table_->index(table_->row_of(id), 0));
        if (!index.isValid()) continue;
        if (selection.isEmpty()) list_->selectionModel()->setCurrentIndex(index, QItemSelectionModel::NoUpdate);
        selection.select(index, index);
    }
    if (selection.isEmpty()) return show_chosen();
    list_->selectionModel()->select(selection, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
}

void ResultsPage::show_chosen() {
    const auto ids = chosen();
    ++choices_;
    open_->setEnabled(ids.size() == 1);
    watch_button_->setEnabled(false);
    compared_->clear();
    compared_->setVisible(ids.size() == panes_.size());
    for (std::size_t i = 0; i < panes_.size(); ++i) {
        panes_[i]->clear();
        // Nothing is shown where nothing is chosen, at the place where it would be.
        panes_[i]->setVisible(i == 0 || i < ids.size());
        if (i >= ids.size()) continue;
        const auto campaign = app::load_campaign(store_, ids[i]);
        if (!campaign) return told_->setText(QString::fromStdString(campaign.error().detail));
        panes_[i]->show_campaign(*campaign);
        if (ids.size() == 1) watch_button_->setEnabled(campaign->campaign.state == store::CampaignState::running);
    }
    if (ids.size() > panes_.size()) told_->setText(QObject::tr("The first two of these are shown side by side."));
    if (ids.size() == panes_.size()) compare(ids);
}

void ResultsPage::compare(const std::vector<std::string>& ids) {
    QStringList media;
    for (const std::string& id : ids) media += QString::fromStdString(id);
    run_mediarig(this, {"compare", "--media", media.join(','), "--store", QString::fromStdString(store_.string())},
                 [this, choice = choices_](const Ended& ended) {
                     if (choice != choices_) return;
                     compared_->setPlainText(ended.status == 0 ? QString::fromUtf8(ended.out) : ended.error);
                 });
}

} // namespace mediarig::gui
