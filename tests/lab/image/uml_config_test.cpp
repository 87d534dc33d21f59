// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/image/uml_config.hpp"

#include "tests/catch.hpp"

using namespace mediarig::lab;

TEST_CASE("an option that the kernel does not accept is reported") {
    const std::string accepted(uml_config());
    CHECK(lost_options("# a comment\n" + accepted).empty());
    std::string changed = accepted;
    changed.replace(changed.find("CONFIG_EXFAT_FS=y"), 17, "# CONFIG_EXFAT_FS is not set");
    CHECK(lost_options(changed) == std::vector<std::string>{"CONFIG_EXFAT_FS=y"});
}

TEST_CASE("the guest's processes are killed with the guest's kernel") {
    CHECK(with_kill_at_exit("if (ptrace(A, pid, NULL,\n\t(void *) PTRACE_O_TRACESYSGOOD) < 0) {\n"
                            "ptrace(B, (void *)PTRACE_O_TRACESYSGOOD);") ==
          "if (ptrace(A, pid, NULL,\n\t(void *) (PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL)) < 0) {\n"
          "ptrace(B, (void *)(PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL));");
    CHECK(with_kill_at_exit("already PTRACE_O_EXITKILL") == "already PTRACE_O_EXITKILL");
    CHECK(with_kill_at_exit("another source").empty());
}
