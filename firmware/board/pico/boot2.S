// SPDX-License-Identifier: GPL-3.0-or-later
// Second boot stage. The ROM copies the first 256 bytes of flash to 0x20041F00, checks their CRC and jumps here. The
// stage sets up the flash interface for plain 03h reads at a quarter of the system clock: slow, but supported by every
// flash part of such boards; 125 MHz gives 31.25 MHz, within the limit of 03h.
//
// Called with LR = 0 by the ROM: goes on to the vector table. Called with any other LR: returns there; that is how
// flash becomes readable again after it was talked to directly.
//
// Position-independent, at most 252 bytes; the writer of the image puts the CRC behind it.
    .syntax unified
    .cpu cortex-m0plus
    .thumb
    .section .boot2, "ax"
    .global boot2
    .type boot2, %function
    .thumb_func
boot2:
    push {lr}
    ldr r3, =0x18000000         // SSI
    movs r1, #0
    str r1, [r3, #0x08]         // SSIENR: off, to change settings
    movs r1, #4
    str r1, [r3, #0x14]         // BAUDR: divider, must be even
    ldr r1, =0x001F0300         // 32 clocks a frame; EEPROM read: send command and address, then receive
    str r1, [r3, #0x00]         // CTRLR0
    movs r1, #0
    str r1, [r3, #0x04]         // CTRLR1: one frame a read
    ldr r1, =0x03000218         // command 03h; 8 bits of command, 24 of address, serial
    ldr r2, =0x180000F4
    str r1, [r2]                // SPI_CTRLR0
    movs r1, #1
    str r1, [r3, #0x08]         // SSIENR: on; reads of 0x10000000.. now reach the flash
    pop {r0}
    cmp r0, #0
    beq enter
    bx r0
enter:
    ldr r0, =0x10000100         // the vector table follows this stage
    ldr r1, =0xE000ED08         // VTOR
    str r0, [r1]
    ldr r1, [r0, #0]
    ldr r2, [r0, #4]
    msr msp, r1
    bx r2
    .ltorg
    .size boot2, . - boot2
