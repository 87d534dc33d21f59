// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/gui/application.hpp"

#include <QAbstractButton>
#include <QAccessible>
#include <QCommandLinkButton>
#include <QGroupBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QProgressBar>
#include <QScrollBar>
#include <QTabBar>

#include "host/gui/curve.hpp"

namespace mediarig::gui {
namespace {

std::string name_of(const QWidget& widget) {
    return widget.metaObject()->className() + (" " + widget.objectName().toStdString());
}

std::vector<const QWidget*> widgets_of(const QWidget& top) {
    std::vector<const QWidget*> result{&top};
    // Scroll buttons of tabs belong to Qt, including their texts.
    for (const auto* const each : top.findChildren<QWidget*>())
        if (qobject_cast<const QTabBar*>(each->parentWidget()) == nullptr) result.push_back(each);
    return result;
}

/// Width of `text` without its mnemonic mark.
int width_of(const QWidget& widget, const QString& text) {
    return widget.fontMetrics().size(Qt::TextShowMnemonic, text).width();
}

bool is_cut(const QWidget& widget) {
    if (const auto* const link = qobject_cast<const QCommandLinkButton*>(&widget))
        return link->sizeHint().width() > link->width() ||
               static_cast<const QWidget*>(link)->heightForWidth(link->width()) > link->height();
    if (const auto* const button = qobject_cast<const QAbstractButton*>(&widget))
        return button->sizeHint().width() > button->width() || button->sizeHint().height() > button->height();
    if (const auto* const label = qobject_cast<const QLabel*>(&widget))
        return label->wordWrap() ? label->heightForWidth(label->width()) > label->height()
                                 : label->sizeHint().width() > label->width();
    if (const auto* const line = qobject_cast<const QLineEdit*>(&widget))
        return width_of(*line, line->placeholderText()) > line->contentsRect().width();
    if (const auto* const tabs = qobject_cast<const QTabBar*>(&widget)) {
        for (int i = 0; i < tabs->count(); ++i)
            if (tabs->tabRect(i).right() > tabs->width() ||
                width_of(*tabs, tabs->tabText(i)) > tabs->tabRect(i).width())
                return true;
    }
    if (const auto* const header = qobject_cast<const QHeaderView*>(&widget)) {
        for (int i = 0; i < header->count(); ++i)
            if (!header->isSectionHidden(i) && header->sectionSizeHint(i) > header->sectionSize(i)) return true;
    }
    return false;
}

} // namespace

QApplication& application() {
    static int count = 1;
    static std::string name = "test_gui";
    static char* words[] = {name.data(), nullptr};
    // The application is never destroyed, because static objects of Qt may be destroyed before it.
    static auto* const app = new QApplication(count, words);
    QApplication::setStyle("Fusion");
    return *app;
}

std::vector<ShownText> texts_of_one(const QWidget& widget) {
    std::vector<ShownText> result;
    const auto add = [&](const QString& text) {
        if (!text.isEmpty()) result.push_back({name_of(widget), text});
    };
    add(widget.windowTitle());
    add(widget.accessibleName());
    add(widget.toolTip());
    if (const auto* const label = qobject_cast<const QLabel*>(&widget)) add(label->text());
    if (const auto* const button = qobject_cast<const QAbstractButton*>(&widget)) add(button->text());
    if (const auto* const box = qobject_cast<const QGroupBox*>(&widget)) add(box->title());
    if (const auto* const line = qobject_cast<const QLineEdit*>(&widget)) add(line->placeholderText());
    if (const auto* const link = qobject_cast<const QCommandLinkButton*>(&widget))
        for (const QString& line : link->description().split('\n')) add(line);
    if (const auto* const tabs = qobject_cast<const QTabBar*>(&widget))
        for (int i = 0; i < tabs->count(); ++i) add(tabs->tabText(i));
    if (const auto* const list = qobject_cast<const QListWidget*>(&widget))
        for (int i = 0; i < list->count(); ++i)
            for (const QString& line : list->item(i)->text().split('\n')) add(line);
    const auto* const header = qobject_cast<const QHeaderView*>(&widget);
    if (header == nullptr || header->orientation() != Qt::Horizontal) return result;
    for (int i = 0; i < header->count(); ++i)
        add(header->model()->headerData(i, Qt::Horizontal, Qt::DisplayRole).toString());
    return result;
}

std::vector<ShownText> texts_of(const QWidget& top) {
    std::vector<ShownText> result;
    for (const QWidget* const widget : widgets_of(top))
        for (ShownText& each : texts_of_one(*widget)) result.push_back(std::move(each));
    return result;
}

std::vector<std::string> cut_texts(const QWidget& top) {
    std::vector<std::string> result;
    for (const QWidget* const widget : widgets_of(top)) {
        if (!widget->isVisible() || !is_cut(*widget)) continue;
        QString text;
        for (const ShownText& each : texts_of(*widget)) text += " '" + each.text + "'";
        result.push_back(name_of(*widget) + ":" + text.toStdString());
    }
    return result;
}

std::vector<std::string> nameless(const QWidget& top) {
    std::vector<std::string> result;
    for (const QWidget* const widget : widgets_of(top)) {
        const bool shows =
            qobject_cast<const QProgressBar*>(widget) != nullptr || dynamic_cast<const Curve*>(widget) != nullptr;
        // A widget represents its internal parts, which belong to Qt.
        const bool part =
            widget->objectName().startsWith("qt_") || qobject_cast<const QScrollBar*>(widget) != nullptr ||
            qobject_cast<const QHeaderView*>(widget) != nullptr || qobject_cast<const QTabBar*>(widget) != nullptr;
        if (part || (!shows && (widget->focusPolicy() == Qt::NoFocus || widget->isWindow()))) continue;
        auto* const accessible = QAccessible::queryAccessibleInterface(const_cast<QWidget*>(widget));
        if (accessible == nullptr || accessible->text(QAccessible::Name).isEmpty()) result.push_back(name_of(*widget));
    }
    return result;
}

} // namespace mediarig::gui
