// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/rig/power/plug/broker.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <stdexcept>

#include "host/base/process/run_process.hpp"

extern char** environ;

namespace mediarig::rig {
namespace {

/// Returns a port that is free at the moment.
std::uint16_t free_port() {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* general = reinterpret_cast<sockaddr*>(&address);
    const bool bound = ::bind(socket, general, size) == 0 && ::getsockname(socket, general, &size) == 0;
    ::close(socket);
    if (!bound) throw std::runtime_error("no free port");
    return ntohs(address.sin_port);
}

template <class T>
T value_of(Result<T> result) {
    if (!result) throw std::runtime_error(result.error().detail);
    return std::move(*result);
}

/// The broker may be in a private folder, into which ./run setup unpacks its package, because an installation would
/// start a broker.
Result<std::string> program_of_broker() {
    constexpr const char* unpacked = MEDIARIG_UNPACKED_BROKER;
    return process::find_program(::access(unpacked, X_OK) == 0 ? unpacked : "mosquitto");
}

void make_certificate(const std::filesystem::path& key, const std::filesystem::path& certificate) {
    const auto made = value_of(process::run_process(
        {.program = "openssl",
         .arguments = {"req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
                       "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout",
                       key.string(), "-out", certificate.string()}}));
    if (!made.succeeded()) throw std::runtime_error("openssl makes no certificate: " + process::first_words(made));
}

} // namespace

bool Broker::is_installed() {
    return program_of_broker().has_value();
}

Broker::Broker(Login login)
    : folder_(std::filesystem::temp_directory_path() / fmt::format("mediarig-broker-{}", ::getpid())) {
    std::filesystem::create_directories(folder_);
    if (login == Login::guarded) {
        access_ = {.user = "ada", .password = "let me in", .authority = folder_ / "certificate.pem"};
        make_certificate(folder_ / "key.pem", access_.authority);
        // PBKDF2 over SHA-512 of that password, as stored by the broker.
        std::ofstream(folder_ / "passwords")
            << "ada:$7$101$AAECAwQFBgcICQoL$VdPnhkGOWc/P2NPgipRsUjKs0RypHsxkV6kDYyhHZLvzljRvFKLsO7Wv1D7Zd5+D0/aY/Og/"
               "PzRhurcDeCdopg==\n";
    }
    start(login);
}

void Broker::start(Login login) {
    const std::string program = value_of(program_of_broker());
    // Another process may take the port first. In that case another port is tried.
    for (unsigned attempt = 0; attempt < 5; ++attempt) {
        port_ = free_port();
        const std::string config = folder_ / "mosquitto.conf";
        std::ofstream file(config);
        file << "listener " << port_ << " 127.0.0.1\nlog_dest none\n" << (::geteuid() == 0 ? "user root\n" : "");
        if (login == Login::open)
            file << "allow_anonymous true\n";
        else
            file << "allow_anonymous false\npassword_file " << (folder_ / "passwords").string() << "\ncertfile "
                 << access_.authority.string() << "\nkeyfile " << (folder_ / "key.pem").string() << "\n";
        file.close();
        std::string name = "mosquitto", flag = "-c", argument = config;
        char* const arguments[] = {name.data(), flag.data(), argument.data(), nullptr};
        if (::posix_spawn(&child_, program.c_str(), nullptr, nullptr, arguments, environ) != 0) break;
        for (unsigned look = 0; look < 300; ++look) {
            if (MqttClient::connect("localhost", port_, access_, "probe", {}, std::chrono::seconds(5))) return;
            if (::waitpid(child_, nullptr, WNOHANG) == child_) {
                child_ = -1;
                break;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        }
    }
    throw std::runtime_error("mosquitto does not start");
}

Broker::~Broker() {
    if (child_ > 0) {
        ::kill(child_, SIGTERM);
        ::waitpid(child_, nullptr, 0);
    }
    std::error_code unknown;
    std::filesystem::remove_all(folder_, unknown);
}

FakePlug::FakePlug(const Broker& broker, PlugTrouble trouble)
    : trouble_(trouble),
      client_(value_of(
          MqttClient::connect("localhost", broker.port(), broker.access(), "desk",
                              {"cmnd/desk/+", "desk/rpc", "shellies/desk/command", "shellies/desk/relay/0/command"}))),
      thread_([this] { run(); }) {}

FakePlug::~FakePlug() {
    ends_ = true;
    thread_.join();
}

void FakePlug::run() {
    while (!ends_) {
        auto message = client_.receive(std::chrono::milliseconds(20));
        if (!message) return;
        if (*message && !trouble_.mute) answer(**message);
    }
}

double FakePlug::reading() {
    const bool flows = on || (trouble_.welded && !trouble_.blind_off);
    readings_.push_back(flows ? trouble_.load : 0.0);
    const std::size_t newest = readings_.size() - 1;
    return readings_[newest - std::min<std::size_t>(newest, trouble_.lag)];
}

void FakePlug::tell(const std::string& topic, const std::string& payload) {
    for (unsigned times = trouble_.twice ? 2 : 1; times > 0; --times) (void)client_.publish(topic, payload);
}

void FakePlug::answer(const MqttMessage& message) {
    using nlohmann::json;
    if (message.topic == "cmnd/desk/POWER") {
        on = message.payload == "ON";
        tell("stat/desk/RESULT", json{{"POWER", message.payload}}.dump());
        tell("stat/desk/POWER", message.payload);
    } else if (message.topic == "cmnd/desk/STATUS" && message.payload == "10") {
        tell(
            "stat/desk/STATUS10",
            json{{"StatusSNS", {{"Time", "2026-11-23T16:00:00"}, {"ENERGY", {{"Power", reading()}, {"Voltage", 231}}}}}}
                .dump());
    } else if (message.topic == "cmnd/desk/SetOption21") {
        tell("stat/desk/RESULT", json{{"SetOption21", trouble_.blind_off ? "OFF" : "ON"}}.dump());
    } else if (message.topic == "shellies/desk/relay/0/command") {
        on = message.payload == "on";
        tell("shellies/desk/relay/0", message.payload);
    } else if (message.topic == "shellies/desk/command" && message.payload == "update") {
        tell("shellies/desk/relay/0", on ? "on" : "off");
        tell("shellies/desk/relay/0/power", fmt::format("{:.2f}", reading()));
    } else if (message.topic == "desk/rpc") {
        const json call = json::parse(message.payload);
        json reply{{"id", call.at("id")}, {"src", "desk"}, {"dst", call.at("src")}};
        const std::string to = call.at("src").get<std::string>() + "/rpc";
        if (trouble_.refuses) {
            reply["error"] = {{"code", -103}, {"message", "no switch 0"}};
        } else if (call.at("method") == "Switch.Set") {
            reply["result"] = {{"was_on", on.load()}};
            on = call.at("params").at("on").get<bool>();
        } else {
            reply["result"] = {{"id", 0}, {"output", on.load()}, {"apower", reading()}, {"voltage", 231.2}};
        }
        if (trouble_.holds && call.at("method") == "Switch.GetStatus") {
            if (!held_) {
                held_ = {to, reply.dump()};
                return;
            }
            tell(held_->topic, held_->payload);
        }
        tell(to, reply.dump());
    }
}

} // namespace mediarig::rig
