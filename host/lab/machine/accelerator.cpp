// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/machine/accelerator.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "host/base/replace_file.hpp"
#include "host/lab/machine/bound_process.hpp"
#include "host/lab/machine/command_line.hpp"
#include "host/lab/machine/console.hpp"

namespace mediarig::lab {
namespace asio = boost::asio;
namespace fs = std::filesystem;
namespace {

constexpr auto probe_limit = std::chrono::seconds(5);
constexpr auto between_probe_looks = std::chrono::milliseconds(50);

/// Empty if the user has no cache folder.
std::string memory_of_probe() {
    const char* cache = std::getenv("XDG_CACHE_HOME");
    if (cache != nullptr && *cache == '/') return std::string(cache) + "/mediarig/lab/kvm-probe";
    const char* home = std::getenv("HOME");
    return home != nullptr && *home == '/' ? std::string(home) + "/.cache/mediarig/lab/kvm-probe" : std::string();
}

/// Conditions of the probe's result: current boot of this computer, QEMU, guest kernel.
std::string circumstances(const MachineSpec& spec, const std::string& qemu) {
    std::string boot;
    std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
    std::error_code none;
    const auto built = fs::last_write_time(qemu, none).time_since_epoch().count();
    return fmt::format("{} {} {} {}", boot, qemu, built, spec.image.kernel);
}

/// Returns nothing if `is_wanted` returns false during the probe.
asio::awaitable<std::optional<bool>> kvm_boots(const MachineSpec& spec, std::string qemu, std::string directory,
                                               std::function<bool()> is_wanted) {
    const MachineFiles files{directory};
    auto process = BoundProcess::start(qemu, probe_command_line(spec, files, Accelerator::kvm), files.qemu_log());
    if (!process) co_return false;
    asio::steady_timer pause(co_await asio::this_coro::executor);
    const auto until = std::chrono::steady_clock::now() + probe_limit;
    while (!process->ended() && std::chrono::steady_clock::now() < until) {
        if (!is_wanted()) co_return std::nullopt;
        pause.expires_after(between_probe_looks);
        co_await pause.async_wait(asio::as_tuple(asio::use_awaitable));
    }
    const bool reached_its_end =
        process->ended() == "exit status 0" && tail_of_file(files.console()).find("Kernel panic") != std::string::npos;
    // Remove the probe's console: the next machine would take the probe's final panic for a panic of its guest.
    std::error_code ignored;
    fs::remove(files.console(), ignored);
    co_return reached_its_end;
}

} // namespace

asio::awaitable<Accelerator> choose_accelerator(const MachineSpec& spec, std::string qemu, std::string directory,
                                                std::function<bool()> is_wanted) {
    if (spec.accelerator != Accelerator::automatic) co_return spec.accelerator;
    if (::access("/dev/kvm", R_OK | W_OK) != 0) co_return Accelerator::tcg;
    const std::string kept_in = memory_of_probe();
    const std::string now = circumstances(spec, qemu);
    if (!kept_in.empty()) {
        std::string then, found;
        std::ifstream file(kept_in);
        if (std::getline(file, then) && std::getline(file, found) && then == now && (found == "kvm" || found == "tcg"))
            co_return found == "kvm" ? Accelerator::kvm : Accelerator::tcg;
    }
    const auto boots = co_await kvm_boots(spec, std::move(qemu), std::move(directory), std::move(is_wanted));
    const Accelerator found = boots.value_or(false) ? Accelerator::kvm : Accelerator::tcg;
    if (!boots) co_return found;
    std::error_code ignored;
    if (!kept_in.empty() && (fs::create_directories(fs::path(kept_in).parent_path(), ignored), !ignored)) {
        (void)replace_own_file(kept_in, fmt::format("{}\n{}\n", now, name_of(found)));
    }
    co_return found;
}

} // namespace mediarig::lab
