// SPDX-License-Identifier: GPL-3.0-or-later
/// Finds a device of a campaign by a word of the user. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/result.hpp"
#include "host/store/record.hpp"
#include "host/store/sqlite/archive.hpp"

namespace mediarig::app {

/// The words that select a device; unknown ones are empty.
struct DeviceWords {
    std::string key, name; ///< unique in a campaign
    std::string serial, label, nickname;
};
[[nodiscard]] DeviceWords words_of(const store::ListedDevice& device);
[[nodiscard]] DeviceWords words_of(const store::DeviceRecord& device, const std::string& nickname);

/// True if `word` is one of the words of the device.
[[nodiscard]] bool is_called(const DeviceWords& device, std::string_view word);

/// Index of the device that `word` selects: by key, else by name, else by serial, label or nickname, else by the end of
/// its serial as media::confirms() defines it. Fails with bad_request if no device matches, or several (the detail
/// lists them).
[[nodiscard]] Result<std::size_t> choose_device(const std::vector<DeviceWords>& devices, const std::string& word,
                                                const std::string& campaign);

} // namespace mediarig::app
