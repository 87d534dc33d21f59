// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/gui/device_card.hpp"

#include <QListWidget>
#include <utility>

#include "host/gui/colours.hpp"
#include "host/gui/kind_icon.hpp"
#include "host/gui/question_text.hpp"

namespace mediarig::gui {

DeviceCard::DeviceCard(AttachedMedium attached) : attached_(std::move(attached)) {
    QString text =
        QString::fromStdString(attached_.title) + '\n' + details_of(attached_) + '\n' + contents_of(attached_);
    for (const std::string& why : attached_.refusals) text += '\n' + QString::fromStdString(why);
    setText(text);
    setIcon(icon_of(attached_.medium.transport));
    if (!attached_.refusals.empty()) setFlags(Qt::NoItemFlags);
    setData(Qt::AccessibleTextRole, text);
}

QVariant DeviceCard::data(int role) const {
    // The style's grey for disabled items is too pale: the reason must be readable.
    if (role == Qt::ForegroundRole && !attached_.refusals.empty())
        return QBrush(refused_colour(listWidget() != nullptr ? listWidget()->palette() : QPalette()));
    return QListWidgetItem::data(role);
}

} // namespace mediarig::gui
