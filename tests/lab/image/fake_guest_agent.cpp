// SPDX-License-Identifier: GPL-3.0-or-later
#include <cstdio>

int main() {
    std::puts("mediarig-agent 9.8.7");
    return 0;
}
