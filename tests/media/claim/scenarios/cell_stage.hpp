// SPDX-License-Identifier: GPL-3.0-or-later
/// The object of a cell on the real kernel: image file, loop device, partition or zram device, with the names by which
/// mediarig and the other program reach it.
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "tests/media/claim/scenarios/cell_user.hpp"
#include "tests/media/claim/scenarios/matrix.hpp"
#include "tests/media/claim/scenarios/scenario_files.hpp"
#include "tests/media/claim/scenarios/zram_device.hpp"

namespace mediarig::claim_scenarios {

/// One play of a cell. A cell that can be played in several ways has a variant for each way.
struct CellPlay {
    Cell cell;
    int variant{};
};
/// Every play of every applicable cell that this machine supports.
[[nodiscard]] std::vector<CellPlay> all_plays();
/// Reason why no cell of this object can be played on this machine; empty if the cells can be played.
[[nodiscard]] std::string not_runnable(Object object);

class CellStage {
public:
    /// Requires that this process has its own mount namespace; builds the object in a new folder. Throws
    /// std::runtime_error.
    CellStage(const BackingFolders& backing_folders, const std::string& name, const CellPlay& play);
    ~CellStage();
    CellStage(const CellStage&) = delete;
    CellStage& operator=(const CellStage&) = delete;

    /// Target of mediarig's claim.
    [[nodiscard]] const std::string& target() const { return target_; }
    /// Parameters for CellUser::start().
    [[nodiscard]] const CellUse& use() const { return use_; }
    /// A current name of the used object.
    [[nodiscard]] const std::string& own_name() const { return own_name_; }
    /// Makes the changes that follow the start of the use: renames or removes a name.
    void change_names();
    /// Every byte of the object, read below all devices on it.
    [[nodiscard]] Blocks content();
    /// Nodes of the stage's loop devices.
    [[nodiscard]] const std::vector<std::string>& loops() const { return loop_nodes_; }
    [[nodiscard]] std::string describe() const;

private:
    void make_file(const std::string& path, const Templates& templates);
    void make_zram(const Templates& templates);
    void write_content(int fd, const Templates& templates) const;
    std::string attach_over(const std::string& backing, bool read_only = false);
    std::string partition_of(const std::string& loop);
    void mount_overlay(const std::string& folder, bool relative);
    void lay_out_image();
    void lay_out_overlay();
    void lay_out_device(const std::string& node);
    void reach(const std::string& object);
    [[nodiscard]] std::string make_name(const std::string& object, bool hard);
    [[nodiscard]] bool is(Activity activity) const { return play_.cell.activity == activity; }
    [[nodiscard]] bool is(Route route) const { return play_.cell.route == route; }
    [[nodiscard]] bool is(Object object) const { return play_.cell.object == object; }

    CellPlay play_;
    std::string folder_, base_, file_, target_, own_name_;
    CellUse use_;
    std::function<void()> change_names_;
    Descriptor bottom_{-1};
    std::list<AttachedLoop> loops_;
    std::vector<std::string> loop_nodes_, mounts_;
    std::unique_ptr<ZramDevice> zram_;
};

} // namespace mediarig::claim_scenarios
