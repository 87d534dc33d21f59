// SPDX-License-Identifier: GPL-3.0-or-later
/// A picture of how a medium is attached: a card, a stick, a disk, a file. Nothing is guessed of the medium.
#pragma once

#include <QIcon>

#include "host/media/identity/medium.hpp"

namespace mediarig::gui {

/// In the colours of the text beside it, at any size.
[[nodiscard]] QIcon icon_of(media::Transport transport);

} // namespace mediarig::gui
