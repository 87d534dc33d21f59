// SPDX-License-Identifier: GPL-3.0-or-later
/// A machine of umockdev: readers of /sys and udev see its devices only.
#pragma once

#include <umockdev.h>

#include <filesystem>
#include <stdexcept>
#include <string>

namespace mediarig::rig {

class MockMachine {
public:
    MockMachine() : bed_(umockdev_testbed_new()) {
        if (!umockdev_in_mock_environment())
            throw std::runtime_error("this needs umockdev's preload library: run it through ctest");
        gchar* root = umockdev_testbed_get_root_dir(bed_);
        root_ = root;
        g_free(root);
    }
    MockMachine(const MockMachine&) = delete;
    MockMachine& operator=(const MockMachine&) = delete;
    ~MockMachine() { g_object_unref(bed_); }

    /// Folder of its /sys and /dev.
    [[nodiscard]] const std::filesystem::path& root() const { return root_; }
    /// Adds a device in the format of umockdev-record.
    void feed(const std::string& text) const {
        GError* error = nullptr;
        if (umockdev_testbed_add_from_string(bed_, text.c_str(), &error)) return;
        const std::string what = error->message;
        g_error_free(error);
        throw std::runtime_error(what);
    }

private:
    UMockdevTestbed* bed_;
    std::filesystem::path root_;
};

} // namespace mediarig::rig
