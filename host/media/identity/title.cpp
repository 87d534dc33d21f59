// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/identity/title.hpp"

#include <filesystem>

#include "host/base/text.hpp"
#include "host/media/identity/confirmation.hpp"

namespace mediarig::media {

std::string model_text(const Medium& medium) {
    if (medium.vendor.empty() || medium.model == medium.vendor || medium.model.starts_with(medium.vendor + " "))
        return medium.model;
    return medium.model.empty() ? medium.vendor : medium.vendor + " " + medium.model;
}

std::string short_title(const Medium& medium) {
    std::string title = model_text(medium);
    if (!medium.serial.empty())
        title += (title.empty() ? "" : " ") + medium.serial.substr(medium.serial.size() - bytes_to_type(medium.serial));
    const std::string& image = medium.transport == Transport::image ? medium.node : medium.backing_file;
    if (title.empty()) title = std::filesystem::path(image).filename().string();
    return printable(title);
}

} // namespace mediarig::media
