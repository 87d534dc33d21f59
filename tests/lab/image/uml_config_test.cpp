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

TEST_CASE("input and output of a serial line are events in virtual time") {
    const std::string_view source = R"(void first(void) { um_request_irq(1, data); }
int line_setup_irq(int fd, struct line *line)
{
	if (input)
		err = um_request_irq(UM_IRQ_ALLOC, fd, IRQ_READ, line_interrupt, 0,
				     driver->read_irq_name, data);
	if (output)
		err = um_request_irq(UM_IRQ_ALLOC, fd, IRQ_WRITE, line_write_interrupt, 0,
				     driver->write_irq_name, data);
	return 0;
}
)";
    CHECK(with_timed_lines(std::string(source)) == R"(void first(void) { um_request_irq(1, data); }
#include <linux/time-internal.h>

static void line_timetravel_handler(int irq, int fd, void *data, struct time_travel_event *event)
{
	time_travel_add_event_rel(event, 0);
}

int line_setup_irq(int fd, struct line *line)
{
	if (input)
		err = um_request_irq_tt(UM_IRQ_ALLOC, fd, IRQ_READ, line_interrupt, 0,
				     driver->read_irq_name, data, line_timetravel_handler);
	if (output)
		err = um_request_irq_tt(UM_IRQ_ALLOC, fd, IRQ_WRITE, line_write_interrupt, 0,
				     driver->write_irq_name, data, line_timetravel_handler);
	return 0;
}
)");
    CHECK(with_timed_lines("another source").empty());
    CHECK(with_timed_lines("int line_setup_irq(int fd)\n{\n\tum_request_irq(1, 2);\n}\n").empty());
}

TEST_CASE("a serial line is not throttled") {
    CHECK(without_throttle(
              "\t.open = line_open,\n\t.throttle\t= line_throttle,\n\t.unthrottle\t= line_unthrottle,\n};\n") ==
          "\t.open = line_open,\n};\n");
    CHECK(without_throttle("\t.open = line_open,\n").empty());
}
