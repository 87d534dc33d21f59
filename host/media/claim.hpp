// SPDX-License-Identifier: GPL-3.0-or-later
/// The proof that a medium may be erased. Only claim_erasable() makes one; everything destructive takes one.
/// Why each check is there and what it catches: docs/safety.md.
#pragma once

#include <memory>
#include <string>

#include "host/media/discovery.hpp"
#include "host/media/medium.hpp"
#include "host/media/node.hpp"
#include "host/result.hpp"

namespace mediarig::media {

/// Holds the device open, so that its number cannot be given to another device while the proof lives.
class ErasableMedium {
public:
    ErasableMedium(ErasableMedium&&) noexcept;
    ErasableMedium& operator=(ErasableMedium&&) noexcept;
    ErasableMedium(const ErasableMedium&) = delete;
    ErasableMedium& operator=(const ErasableMedium&) = delete;
    ~ErasableMedium();

    [[nodiscard]] const Medium& medium() const { return medium_; }
    /// Open for reading and writing, not O_EXCL, O_CLOEXEC; owned by this object. -1 after a failed recheck().
    [[nodiscard]] int descriptor() const;
    /// A path that names the held device whatever happens to its name in /dev: "/proc/PID/fd/N" with this process's
    /// own PID, so that it means the same in a child. Empty after a failed recheck().
    [[nodiscard]] std::string held_path() const;
    /// To be called right before each destructive phase: same device number, diskseq, size and identity, still no
    /// refusal. Fails with refused or no_medium; after a failure the proof is void for good and the device closed.
    [[nodiscard]] Result<void> recheck(Discovery& discovery);

private:
    friend Result<ErasableMedium> claim_erasable(Discovery&, Nodes&, const std::string&, const std::string&);
    ErasableMedium(Medium medium, std::string confirmation, std::unique_ptr<OpenNode> open);
    Medium medium_;
    std::string confirmation_;
    std::unique_ptr<OpenNode> open_; ///< null once the proof is void
};

/// Whether the confirmation names this medium: the last of the checks that need no open device. An image is asked about
/// by its own name before it is attached. Fails with refused.
[[nodiscard]] Result<void> check_confirmation(const Medium& medium, const std::string& confirmation);

/// Checks every layer that needs no rig: identity, refusals, confirmation text, exclusive open, number and diskseq of
/// the open descriptor against what was identified, signatures read through the descriptor, identity once more.
/// Fails with refused (with every reason in one line), bad_request, no_medium, no_permission. Writes nothing.
///
/// The confirmation is confirmation_of(medium), to the letter; a path may also be given as a relative path or through
/// symbolic links. Where another device present has the same serial (refusal `ambiguous`), the serial does not name
/// one device: then, and only then, the confirmation is port_confirmation_of(medium), "usb port path 1-2.3".
///
/// An image file is claimed by its path; the caller attaches it first (see image/loop.hpp) and claims the loop device
/// with the image's path as confirmation.
[[nodiscard]] Result<ErasableMedium> claim_erasable(Discovery& discovery, Nodes& nodes, const std::string& target,
                                                    const std::string& confirmation);
/// The same on this machine's device nodes (target mediarig::media_linux).
[[nodiscard]] Result<ErasableMedium> claim_erasable(Discovery& discovery, const std::string& target,
                                                    const std::string& confirmation);

} // namespace mediarig::media
