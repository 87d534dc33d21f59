// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/gui/inspect_page.hpp"

#include <QAbstractItemView>
#include <QComboBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include "host/base/text.hpp"
#include "host/gui/layout_bar.hpp"
#include "host/gui/models/attached_medium.hpp"
#include "host/gui/program.hpp"
#include "host/media/conformance/layout.hpp"

namespace mediarig::gui {
namespace {

QString shown(const std::string& text) {
    return QString::fromStdString(printable(text));
}

QTreeWidgetItem* group(QTreeWidget* tree, const QString& title) {
    auto* const item = new QTreeWidgetItem(tree, {title});
    item->setFirstColumnSpanned(true);
    item->setExpanded(true);
    return item;
}

void add_problem(QTreeWidgetItem* under, const std::string& problem) {
    if (!problem.empty()) new QTreeWidgetItem(under, {QObject::tr("problem"), shown(problem)});
}

void add_parameters(QTreeWidgetItem* under, const std::vector<ShownParameter>& parameters) {
    for (const ShownParameter& each : parameters)
        new QTreeWidgetItem(under,
                            {QString::fromStdString(each.name), QString::fromStdString(each.value),
                             each.at ? QString::number(each.at->count) : QString(), QString::fromStdString(each.hex)});
}

} // namespace

InspectPage::InspectPage() {
    auto* const rows = new QVBoxLayout(this);
    auto* const head = new QHBoxLayout;
    auto* const medium = new QLabel(QObject::tr("&Medium or image"));
    target_ = new QComboBox;
    target_->setObjectName("target");
    target_->setEditable(true);
    target_->setInsertPolicy(QComboBox::NoInsert);
    target_->setAccessibleName(QObject::tr("Medium or image"));
    target_->lineEdit()->setAccessibleName(target_->accessibleName());
    target_->view()->setAccessibleName(target_->accessibleName());
    target_->setMinimumContentsLength(20);
    medium->setBuddy(target_);
    auto* const browse = new QPushButton(QObject::tr("&Image file…"));
    auto* const against = new QLabel(QObject::tr("&It should be"));
    expected_ = new QComboBox;
    expected_->setObjectName("expected");
    expected_->setAccessibleName(QObject::tr("It should be"));
    expected_->view()->setAccessibleName(expected_->accessibleName());
    expected_->addItem(QObject::tr("sound"), "sound");
    expected_->addItem(QObject::tr("as the SD Association asks for"), "sd");
    for (const auto& [title, name] : {std::pair{"Windows", "windows"}, {"macOS", "macos"}, {"Linux", "linux"}})
        expected_->addItem(QObject::tr("as %1 formats it").arg(title), name);
    against->setBuddy(expected_);
    look_ = new QPushButton(QObject::tr("&Look"));
    look_->setObjectName("look");
    head->addWidget(medium);
    head->addWidget(target_, 1);
    head->addWidget(browse);
    head->addWidget(against);
    head->addWidget(expected_);
    head->addWidget(look_);
    message_ = new QLabel(QObject::tr("An inspection only reads."));
    message_->setTextFormat(Qt::PlainText);
    message_->setWordWrap(true);
    bar_ = new LayoutBar([this](std::size_t region) { show_region(region); });
    tree_ = new QTreeWidget;
    tree_->setObjectName("inspected");
    tree_->setAccessibleName(QObject::tr("Contents of the medium, deviations first"));
    tree_->setHeaderLabels({QObject::tr("What"), QObject::tr("Value"), QObject::tr("At byte"), QObject::tr("Bytes")});
    tree_->setUniformRowHeights(true);
    rows->addLayout(head);
    rows->addWidget(message_);
    rows->addWidget(bar_);
    rows->addWidget(tree_, 1);
    connect(browse, &QPushButton::clicked, this, [this] { choose_image(); });
    connect(look_, &QPushButton::clicked, this, [this] { inspect(); });
    connect(target_->lineEdit(), &QLineEdit::returnPressed, this, [this] { inspect(); });
}

InspectPage::~InspectPage() {
    kill_mediarig(this);
}

void InspectPage::rescan() {
    run_mediarig(this, {"devices", "--json"}, [this](const ProcessEnd& ended) {
        if (ended.status != 0) return message_->setText(ended.error);
        const auto attached = attached_from_json({ended.out.data(), static_cast<std::size_t>(ended.out.size())});
        if (!attached) return message_->setText(QString::fromStdString(attached.error().detail));
        const QString typed = target_->currentText();
        target_->clear();
        for (const AttachedMedium& each : *attached)
            target_->addItem(shown(each.medium.node + "  " + each.title), QString::fromStdString(each.medium.node));
        target_->setEditText(typed);
    });
}

void InspectPage::choose_image() {
    auto* const dialog = new QFileDialog(this, QObject::tr("Image file"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& file) {
        target_->setEditText(file);
        inspect();
    });
    dialog->open();
}

void InspectPage::inspect() {
    const QString typed = target_->currentText();
    const int listed = target_->findText(typed);
    const QString target = listed >= 0 ? target_->itemData(listed).toString() : typed;
    if (target.isEmpty()) return;
    message_->setText(QObject::tr("Reading %1…").arg(typed));
    QStringList words{"inspect", target, "--expect", expected_->currentData().toString(), "--json"};
    run_mediarig(this, words + agent_words(), [this, look = ++looks_](const ProcessEnd& ended) {
        if (look != looks_) return;
        layout_ = nullptr;
        tree_->clear();
        bar_->show_regions({});
        // Status 1 means a fault of the medium; the inspection itself succeeded.
        if (ended.status != 0 && ended.status != 1) return message_->setText(ended.error);
        const auto inspected = inspected_from_json({ended.out.data(), static_cast<std::size_t>(ended.out.size())});
        if (!inspected) return message_->setText(QString::fromStdString(inspected.error().detail));
        show_inspected(*inspected);
    });
}

void InspectPage::show_inspected(const InspectionView& inspected) {
    const media::InspectReport& content = inspected.content;
    const auto regions = report::drawn(media::layout_of(content));
    bar_->show_regions(regions);
    message_->setText(QObject::tr("%1 bytes, of which %2 were read.").arg(content.size.count).arg(content.read.count));
    auto* const deviations =
        group(tree_, inspected.deviations.empty()
                         ? QObject::tr("No deviation")
                         : QObject::tr("Deviations: %1").arg(static_cast<qulonglong>(inspected.deviations.size())));
    for (const ShownDeviation& each : inspected.deviations) {
        auto* const item = new QTreeWidgetItem(
            deviations, {QString::fromStdString(each.severity + ": " + each.subject + ", " + each.name),
                         QObject::tr("%1 instead of %2: %3")
                             .arg(QString::fromStdString(each.found), QString::fromStdString(each.expected),
                                  QString::fromStdString(each.reason))});
        item->setToolTip(1, QString::fromStdString(each.source));
    }
    layout_ = group(tree_, QObject::tr("Regions"));
    for (const report::DrawnRegion& each : regions) {
        auto* const item =
            new QTreeWidgetItem(layout_, {shown(each.letter + "  " + each.region.what),
                                          QString::fromStdString(size_text(each.region.length)),
                                          QString::fromStdString(report::place_text(each.region.start))});
        add_parameters(item, parameters_at(content, each.region.start, each.region.length));
    }
    auto* const table = group(tree_, QObject::tr("Partition table: %1").arg(shown(content.scheme)));
    add_problem(table, content.problem);
    add_parameters(table, shown_parameters(content.parameters, content.places));
    for (std::size_t i = 0; i < content.volumes.size(); ++i) {
        const media::InspectedVolume& volume = content.volumes[i];
        auto* const item = group(
            tree_, QObject::tr("Volume %1: %2, %3 at byte %4")
                       .arg(QString::number(i + 1), shown(volume.file_system),
                            QString::fromStdString(size_text(volume.length)), QString::number(volume.start.count)));
        add_problem(item, volume.problem);
        add_parameters(item, shown_parameters(volume.parameters, volume.places));
    }
    for (int column = 0; column < tree_->columnCount() - 1; ++column) tree_->resizeColumnToContents(column);
}

void InspectPage::show_region(std::size_t region) {
    if (layout_ == nullptr) return;
    auto* const item = layout_->child(static_cast<int>(region));
    tree_->setCurrentItem(item);
    item->setExpanded(true);
}

} // namespace mediarig::gui
