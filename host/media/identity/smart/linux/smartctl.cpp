// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/identity/smart/linux/smartctl.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/capability.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "host/media/identity/smart/smart_json.hpp"

namespace mediarig::media {
namespace {

/// Capabilities for pass-through commands to the disk: SCSI and ATA (CAP_SYS_RAWIO), NVMe (CAP_SYS_ADMIN).
constexpr process::Sandbox pass_through{.capabilities =
                                            process::capability(CAP_SYS_RAWIO) | process::capability(CAP_SYS_ADMIN)};

SmartReport report_of(SmartState state, std::string detail) {
    SmartReport report;
    report.state = state;
    report.detail = std::move(detail);
    return report;
}

class HeldNode {
public:
    /// Opened with O_NONBLOCK, which also opens an empty reader, without waiting.
    explicit HeldNode(const std::string& node) : descriptor_(::open(node.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {}
    HeldNode(const HeldNode&) = delete;
    HeldNode& operator=(const HeldNode&) = delete;
    ~HeldNode() {
        if (descriptor_ >= 0) ::close(descriptor_);
    }
    [[nodiscard]] bool open() const { return descriptor_ >= 0; }
    [[nodiscard]] bool is(DeviceNumber number) const {
        struct stat status {};
        return ::fstat(descriptor_, &status) == 0 && S_ISBLK(status.st_mode) &&
               DeviceNumber{major(status.st_rdev), minor(status.st_rdev)} == number;
    }

private:
    int descriptor_;
};

class Smartctl final : public SmartReader {
public:
    explicit Smartctl(SmartctlSetting setting) : setting_(std::move(setting)) {}

    SmartReport read(const Medium& medium) override {
        const auto types = smart_device_types(medium);
        if (types.empty())
            return report_of(SmartState::unsupported,
                             fmt::format("a medium of the kind {} has no SMART", name_of(medium.transport)));
        const HeldNode held(medium.node);
        if (!held.open())
            return report_of(SmartState::failed,
                             fmt::format("{} cannot be opened: {}", medium.node, std::strerror(errno)));
        if (!held.is(medium.number))
            return report_of(SmartState::failed, medium.node + " is another device now: identify it again");
        SmartReport first;
        for (std::size_t i = 0; i < types.size(); ++i) {
            SmartReport answer = ask(medium.node, types[i]);
            if (answer.state != SmartState::unsupported) return answer;
            if (i == 0) first = std::move(answer);
        }
        return first;
    }

private:
    [[nodiscard]] SmartReport ask(const std::string& node, const std::string& type) const {
        std::vector<std::string> arguments{"--json", "--all"};
        if (type != "auto") arguments.insert(arguments.end(), {"-d", type});
        arguments.push_back(node);
        const auto finished = process::run_process({.program = "smartctl",
                                                    .arguments = std::move(arguments),
                                                    .time_limit = setting_.time_limit,
                                                    .search_path = setting_.search_path,
                                                    .cancel = setting_.cancel,
                                                    .sandbox = pass_through});
        if (!finished && finished.error().code == Errc::no_driver)
            return report_of(SmartState::not_installed, "smartctl is not installed: apt install smartmontools");
        if (!finished) return report_of(SmartState::failed, finished.error().detail);
        if (finished->signal)
            return report_of(SmartState::failed, "smartctl ended with " + process::ending_of(*finished));
        return smart_report_from(finished->out, finished->exit_status);
    }

    SmartctlSetting setting_;
};

} // namespace

std::unique_ptr<SmartReader> make_smartctl(const SmartctlSetting& setting) {
    return std::make_unique<Smartctl>(setting);
}

} // namespace mediarig::media
