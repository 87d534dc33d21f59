// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/lab/machine/booted.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "host/base/process/run_process.hpp"
#include "host/lab/image/virtual_image.hpp"
#include "tests/scratch.hpp"

namespace mediarig::lab {
namespace fs = std::filesystem;

ImageOptions test_image_options() {
    ImageOptions options = default_image_options();
    options.agent = LAB_AGENT;
    options.cards = LAB_CARDS;
    return options;
}

std::optional<BootFiles> cached_image() {
    const char* kernel = std::getenv("MEDIARIG_LAB_KERNEL");
    const char* initrd = std::getenv("MEDIARIG_LAB_INITRD");
    if (kernel != nullptr && initrd != nullptr) return BootFiles{kernel, initrd};
    const auto image = find_guest_image(test_image_options());
    if (!image) return std::nullopt;
    return BootFiles{image->kernel.string(), image->initrd.string()};
}

Result<BootFiles> cached_virtual_image() {
    const char* kernel = std::getenv("MEDIARIG_LAB_VIRTUAL_KERNEL");
    const char* initrd = std::getenv("MEDIARIG_LAB_VIRTUAL_INITRD");
    if (kernel != nullptr && initrd != nullptr) return BootFiles{kernel, initrd};
    const auto image = find_virtual_image(test_image_options());
    if (!image) return fail(image.error());
    return BootFiles{image->kernel.string(), image->initrd.string()};
}

NbdServer::NbdServer(const std::string& folder, const std::string& name, std::vector<std::string> words)
    : socket_(folder + "/" + name + ".nbd") {
    std::vector<std::string> arguments{"-f", "-U", socket_};
    arguments.insert(arguments.end(), words.begin(), words.end());
    const auto program = process::find_program("nbdkit");
    if (!program) throw std::runtime_error(program.error().detail);
    auto started = BoundProcess::start(*program, arguments, folder + "/" + name + ".log");
    if (!started) throw std::runtime_error(started.error().detail);
    process_ = std::move(*started);
    if (!comes_true([&] { return fs::exists(socket_) || process_->ended(); }) || process_->ended())
        throw std::runtime_error("nbdkit did not start");
}

Booted::Booted(MachineSpec spec, std::chrono::minutes patience) : machine(make_qemu_machine(talk.io.get_executor())) {
    talk.patience = patience;
    report = ask(machine->start(std::move(spec)));
}

Booted::~Booted() {
    (void)ask(machine->stop());
}

std::unique_ptr<agent::AgentClient> Booted::controller() {
    auto client = std::make_unique<agent::AgentClient>(machine->agent_link());
    const auto hello = ask(client->hello("a test", std::chrono::minutes(3)));
    if (!hello) throw std::runtime_error(hello.error().detail);
    return client;
}

std::string Booted::shell(const std::string& script) {
    const auto answer = ask(machine->diagnose(script, std::chrono::minutes(2)));
    if (!answer) return answer.error().detail;
    if (answer->exit_status != 0) return fmt::format("{}: {}", answer->exit_status, answer->output);
    return answer->output;
}

std::string Booted::plug(agent::AgentClient& agent, std::uint8_t slot, const LabMedium& medium) {
    const auto begin = std::chrono::steady_clock::now();
    if (auto plugged = ask(machine->plug(SlotId{slot}, medium)); !plugged) return plugged.error().detail;
    const auto found = ask(machine->wait_for(SlotId{slot}, agent));
    took = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin);
    return found ? found->node : found.error().detail;
}

std::string Booted::unplug(agent::AgentClient& agent, std::uint8_t slot) {
    const auto begin = std::chrono::steady_clock::now();
    if (auto gone = ask(machine->unplug(SlotId{slot})); !gone) return gone.error().detail;
    const auto vanished = ask(machine->wait_until_gone(SlotId{slot}, agent));
    took = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin);
    return vanished ? "gone" : vanished.error().detail;
}

bool lives(pid_t process) {
    std::ifstream status(fmt::format("/proc/{}/stat", process));
    std::string text;
    if (!std::getline(status, text)) return false;
    const std::size_t end = text.rfind(") ");
    return end != std::string::npos && text.size() > end + 2 && text[end + 2] != 'Z';
}

std::vector<pid_t> processes_with(const std::string& text) {
    std::vector<pid_t> found;
    std::error_code none;
    for (const fs::directory_entry& entry : fs::directory_iterator("/proc", none)) {
        const std::string name = entry.path().filename().string();
        if (name.find_first_not_of("0123456789") != std::string::npos) continue;
        const std::string words = tests::text_of(entry.path() / "cmdline");
        const pid_t process = std::stoi(name);
        if (process != ::getpid() && words.find(text) != std::string::npos && lives(process)) found.push_back(process);
    }
    return found;
}

bool comes_true(const std::function<bool()>& condition) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (!condition()) {
        if (std::chrono::steady_clock::now() >= until) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return true;
}

} // namespace mediarig::lab
