// SPDX-License-Identifier: GPL-3.0-or-later
/// Names, addresses and reset bits of the RP2040's blocks (RP2040 datasheet, sections 2.2 and 2.14).

export const blocks = {
  0x18000: { name: "SSI" },
  0x40000: { name: "SYSINFO", reset: 19 },
  0x40004: { name: "SYSCFG", reset: 18 },
  0x40008: { name: "CLOCKS" },
  0x40010: { name: "PSM" },
  0x40014: { name: "IO_BANK0", reset: 5 },
  0x40018: { name: "IO_QSPI", reset: 6 },
  0x4001c: { name: "PADS_BANK0", reset: 8 },
  0x40020: { name: "PADS_QSPI", reset: 9 },
  0x40024: { name: "XOSC" },
  0x40028: { name: "PLL_SYS", reset: 12 },
  0x4002c: { name: "PLL_USB", reset: 13 },
  0x40030: { name: "BUSCTRL", reset: 1 },
  0x40034: { name: "UART0", reset: 22 },
  0x40038: { name: "UART1", reset: 23 },
  0x4003c: { name: "SPI0", reset: 16 },
  0x40040: { name: "SPI1", reset: 17 },
  0x40044: { name: "I2C0", reset: 3 },
  0x40048: { name: "I2C1", reset: 4 },
  0x4004c: { name: "ADC", reset: 0 },
  0x40050: { name: "PWM", reset: 14 },
  0x40054: { name: "TIMER", reset: 21 },
  0x40058: { name: "WATCHDOG" },
  0x4005c: { name: "RTC", reset: 15 },
  0x40060: { name: "ROSC" },
  0x40064: { name: "VREG" },
  0x4006c: { name: "TBMAN", reset: 20 },
  0x50000: { name: "DMA", reset: 2 },
  0x50110: { name: "USB", reset: 24 },
  0x50200: { name: "PIO0", reset: 10 },
  0x50300: { name: "PIO1", reset: 11 },
};

export const allResets = 0x01ffffff;
export const qspiResets = (1 << 6) | (1 << 9); // the boot ROM has released these when it starts boot2

export function blockNames(mask) {
  return Object.values(blocks).filter((block) => block.reset !== undefined && mask & (1 << block.reset)).map((block) => block.name);
}
