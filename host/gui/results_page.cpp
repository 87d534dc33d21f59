// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/gui/results_page.hpp"

#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPdfWriter>
#include <QPlainTextEdit>
#include <QPrintDialog>
#include <QPrinter>
#include <QPushButton>
#include <QSaveFile>
#include <QShortcut>
#include <QSplitter>
#include <QTableView>
#include <QTextDocument>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "host/app/campaign_list.hpp"
#include "host/app/campaigns.hpp"
#include "host/app/files/text_file.hpp"
#include "host/gui/campaign_pane.hpp"
#include "host/gui/campaign_table.hpp"
#include "host/gui/monospaced.hpp"
#include "host/gui/program.hpp"
#include "host/report/output/csv.hpp"
#include "host/report/output/terminal.hpp"

namespace mediarig::gui {

namespace {

CampaignFilter* proxy_of(QTableView* list) {
    return static_cast<CampaignFilter*>(list->model());
}

} // namespace

ResultsPage::ResultsPage(std::filesystem::path store, std::function<void(const std::string&)> watch)
    : store_(std::move(store)), watch_(std::move(watch)) {
    auto* const rows = new QVBoxLayout(this);
    filter_ = new QLineEdit;
    filter_->setPlaceholderText(
        QObject::tr("Filter: words of name, medium, serial, lot, format, suite, state or verdict"));
    filter_->setAccessibleName(filter_->placeholderText());
    table_ = new CampaignTable(this);
    auto* const proxy = new CampaignFilter(this);
    proxy->setSourceModel(table_);
    list_ = new QTableView;
    list_->setObjectName("campaigns");
    list_->setAccessibleName(QObject::tr("Campaigns"));
    list_->setModel(proxy);
    list_->setSelectionBehavior(QAbstractItemView::SelectRows);
    list_->setSelectionMode(QAbstractItemView::ExtendedSelection);
    list_->setTabKeyNavigation(false);
    list_->setWordWrap(false);
    // Size columns by the visible rows only: there may be ten thousand rows.
    list_->horizontalHeader()->setResizeContentsPrecision(0);
    list_->horizontalHeader()->setMaximumSectionSize(fontMetrics().averageCharWidth() * 40);
    list_->verticalHeader()->hide();
    list_->horizontalHeader()->setStretchLastSection(true);
    auto* const panes = new QSplitter;
    side_by_side_ = panes;
    for (std::size_t i = 0; i < panes_.size(); ++i) {
        panes_[i] = new CampaignPane(static_cast<int>(i) + 1);
        panes->addWidget(panes_[i]);
    }
    compared_ = monospaced(QObject::tr("Result of the comparison of the media"));
    compared_->setObjectName("compared");
    open_ = new QPushButton(QObject::tr("Open the &page"));
    open_->setObjectName("open");
    watch_button_ = new QPushButton(QObject::tr("&Watch"));
    copy_ = new QPushButton(QObject::tr("&Copy"));
    copy_->setObjectName("copy");
    auto* const copies = new QMenu(copy_);
    copies->addAction(QObject::tr("As &text"), this, [this] { copy_text(); });
    copies->addAction(QObject::tr("As &picture"), this, [this] { QApplication::clipboard()->setPixmap(picture()); });
    copies->addAction(QObject::tr("As &CSV"), this, [this] { QApplication::clipboard()->setText(csv()); });
    copy_->setMenu(copies);
    save_ = new QPushButton(QObject::tr("&Save…"));
    save_->setObjectName("save");
    print_ = new QPushButton(QObject::tr("P&rint…"));
    print_->setObjectName("print");
    message_ = new QLabel;
    message_->setObjectName("message");
    message_->setTextFormat(Qt::PlainText);
    message_->setWordWrap(true);
    auto* const parts = new QSplitter(Qt::Vertical);
    for (QWidget* part : {static_cast<QWidget*>(list_), static_cast<QWidget*>(panes), static_cast<QWidget*>(compared_)})
        parts->addWidget(part);
    parts->setSizes({200, 550, 200});
    auto* const below = new QHBoxLayout;
    below->addStretch(1);
    below->addWidget(watch_button_);
    for (QPushButton* const each : {copy_, save_, print_}) below->addWidget(each);
    below->addWidget(open_);
    rows->addWidget(filter_);
    rows->addWidget(parts, 1);
    rows->addWidget(message_);
    rows->addLayout(below);

    connect(filter_, &QLineEdit::textChanged, proxy, &CampaignFilter::ask_for);
    connect(list_->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        message_->clear();
        show_chosen();
    });
    connect(open_, &QPushButton::clicked, this, [this] {
        const QString id = QString::fromStdString(chosen().front());
        run_mediarig(this, {"report", id, "--store", QString::fromStdString(store_.string()), "--open"},
                     [this](const ProcessEnd& ended) { message_->setText(ended.error); });
    });
    connect(save_, &QPushButton::clicked, this, [this] { choose_destination(); });
    connect(print_, &QPushButton::clicked, this, [this] { print(); });
    for (const auto& [keys, action] : {std::pair{QKeySequence::Copy, &ResultsPage::copy_text},
                                       std::pair{QKeySequence::Save, &ResultsPage::choose_destination},
                                       std::pair{QKeySequence::Print, &ResultsPage::print}}) {
        auto* const key = new QShortcut(keys, this);
        key->setContext(Qt::WidgetWithChildrenShortcut);
        connect(key, &QShortcut::activated, this, action);
    }
    connect(watch_button_, &QPushButton::clicked, this, [this] { watch_(chosen().front()); });
    show_chosen();
}

ResultsPage::~ResultsPage() {
    kill_mediarig(this);
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
        message_->clear();
    } else {
        table_->show({});
        // A missing store is not an error: no campaign has been run yet.
        std::error_code unknown;
        message_->setText(std::filesystem::exists(store_, unknown) ? QString::fromStdString(campaigns.error().detail)
                                                                   : QObject::tr("Nothing was tested yet."));
    }
    list_->resizeColumnsToContents();
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
    for (QPushButton* const each : {copy_, save_, print_}) each->setEnabled(!ids.empty());
    watch_button_->setEnabled(false);
    compared_->clear();
    compared_->setVisible(ids.size() > 1);
    for (std::size_t i = 0; i < panes_.size(); ++i) {
        panes_[i]->clear();
        // If nothing is selected, the first pane is visible and empty.
        panes_[i]->setVisible(i == 0 || i < ids.size());
        if (i >= ids.size()) continue;
        const auto campaign = app::load_campaign(store_, ids[i]);
        if (!campaign) return message_->setText(QString::fromStdString(campaign.error().detail));
        panes_[i]->show_campaign(*campaign);
        if (ids.size() == 1) watch_button_->setEnabled(campaign->campaign.state == store::CampaignState::running);
    }
    if (ids.size() > panes_.size())
        message_->setText(QObject::tr("The first %1 of these are shown side by side; all are compared.")
                              .arg(static_cast<qulonglong>(panes_.size())));
    if (ids.size() > 1) compare(ids);
}

void ResultsPage::compare(const std::vector<std::string>& ids) {
    QStringList media;
    for (const std::string& id : ids) media += QString::fromStdString(id);
    run_mediarig(this, {"compare", "--media", media.join(','), "--store", QString::fromStdString(store_.string())},
                 [this, choice = choices_](const ProcessEnd& ended) {
                     if (choice != choices_) return;
                     compared_->setPlainText(ended.status == 0 ? QString::fromUtf8(ended.out) : ended.error);
                 });
}

QString ResultsPage::text() const {
    QString text;
    for (const std::string& id : shown_ids()) {
        const auto campaign = app::load_campaign(store_, id);
        if (campaign) text += QString::fromStdString(report::render_tables(*campaign, {.width = table_columns}));
    }
    return text + compared_->toPlainText();
}

QString ResultsPage::csv() const {
    QString text;
    for (const std::string& id : shown_ids()) {
        const auto campaign = app::load_campaign(store_, id);
        if (!campaign) continue;
        const QString table = QString::fromStdString(report::render_csv(*campaign));
        // Keep only one header line.
        text += text.isEmpty() ? table : table.section('\n', 1);
    }
    return text;
}

QPixmap ResultsPage::picture() const {
    return side_by_side_->grab();
}

std::unique_ptr<QTextDocument> ResultsPage::printed() const {
    auto document = std::make_unique<QTextDocument>();
    QString html;
    for (std::size_t i = 0; i < shown_ids().size(); ++i) html += panes_[i]->printed();
    if (!compared_->toPlainText().isEmpty())
        html += "<pre style='font-size:7pt'>" + compared_->toPlainText().toHtmlEscaped() + "</pre>";
    document->setHtml(html);
    return document;
}

std::vector<std::string> ResultsPage::shown_ids() const {
    auto ids = chosen();
    if (ids.size() > panes_.size()) ids.resize(panes_.size());
    return ids;
}

void ResultsPage::copy_text() {
    if (!chosen().empty()) QApplication::clipboard()->setText(text());
}

void ResultsPage::print() {
    if (chosen().empty()) return;
    auto printer = std::make_shared<QPrinter>();
    auto* const dialog = new QPrintDialog(printer.get(), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, printer] { printed()->print(printer.get()); });
    // The dialog uses the printer until it is destroyed.
    connect(dialog, &QObject::destroyed, this, [printer] {});
    dialog->open();
}

void ResultsPage::choose_destination() {
    if (chosen().empty()) return;
    auto* const dialog = new QFileDialog(this, QObject::tr("Save the results"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setNameFilters({"PDF (*.pdf)", "PNG (*.png)", "CSV (*.csv)", QObject::tr("Text (*.txt)")});
    dialog->setDefaultSuffix("pdf");
    connect(dialog, &QFileDialog::filterSelected, dialog,
            [dialog](const QString& filter) { dialog->setDefaultSuffix(filter.section("*.", 1).chopped(1)); });
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& file) { save(file); });
    dialog->open();
}

void ResultsPage::save(const QString& file) {
    const QString kind = QFileInfo(file).suffix().toLower();
    const bool is_picture = kind == "pdf" || kind == "png";
    const QByteArray table = is_picture ? QByteArray() : (kind == "csv" ? csv() : text()).toUtf8();
    // The user permitted replacing a file in the dialog, but may have chosen the wrong file: an image of a medium is
    // kept.
    const QByteArray begins = kind == "pdf"   ? QByteArray("%PDF")
                              : kind == "png" ? QByteArray("\x89PNG")
                                              : table.left(4);
    if (const auto possible = app::check_output(file.toStdString(), begins.toStdString(), app::Existing::replaced);
        !possible)
        return message_->setText(QString::fromStdString(possible.error().detail));
    QSaveFile target(file);
    bool written = target.open(QIODevice::WriteOnly);
    if (written && kind == "pdf") {
        QPdfWriter writer(&target);
        writer.setTitle("mediarig");
        writer.setPageSize(QPageSize(QPageSize::A4));
        printed()->print(&writer);
    } else if (written && kind == "png") {
        written = picture().save(&target, "PNG");
    } else if (written) {
        written = target.write(table) == table.size();
    }
    if (written && target.commit())
        message_->setText(QObject::tr("Saved as %1").arg(file));
    else
        message_->setText(QObject::tr("cannot write %1: %2").arg(file, target.errorString()));
}

} // namespace mediarig::gui
