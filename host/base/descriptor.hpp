// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <unistd.h>

#include <utility>

namespace mediarig {

/// Owner of a file descriptor; -1 means none.
class Descriptor {
public:
    explicit Descriptor(int fd = -1) : fd_(fd) {}
    Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() { close(); }
    [[nodiscard]] int get() const { return fd_; }
    explicit operator bool() const { return fd_ >= 0; }
    /// Transfers ownership to the caller, who must close the descriptor.
    [[nodiscard]] int release() { return std::exchange(fd_, -1); }
    void close() {
        if (fd_ >= 0) ::close(std::exchange(fd_, -1));
    }

private:
    int fd_;
};

/// A descriptor that another object owns and closes. {} means none, like -1, and never descriptor 0.
class BorrowedDescriptor {
public:
    constexpr BorrowedDescriptor() = default;
    constexpr BorrowedDescriptor(int fd) : fd_(fd) {}
    constexpr operator int() const { return fd_; }

private:
    int fd_{-1};
};

} // namespace mediarig
