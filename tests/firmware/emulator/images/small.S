// SPDX-License-Identifier: GPL-3.0-or-later
// The smallest image that a Pico would start. MISTAKE selects one mistake. Tests the rules that cannot be violated by
// changed writes of the rig's own image.
        .syntax unified
        .cpu cortex-m0plus
        .thumb

        .section .boot2, "ax"
        ldr     r0, =0x18000000         // SSI
        movs    r1, #0
        str     r1, [r0, #8]
        movs    r1, #4
        str     r1, [r0, #0x14]
        ldr     r1, =0x001F0300
        str     r1, [r0, #0]
        movs    r1, #0
        str     r1, [r0, #4]
        ldr     r1, =0x03000218
        ldr     r2, =0x180000F4
        str     r1, [r2]
        movs    r1, #1
        str     r1, [r0, #8]
        ldr     r0, =vectors
        ldr     r1, =0xE000ED08         // VTOR
        str     r0, [r1]
        ldmia   r0!, {r1, r2}
        msr     msp, r1
        bx      r2
        .ltorg
        .org    252
        .word   0                       // checksum, inserted by the test

        .section .vectors, "a"
vectors:
        .word   0x20042000
        .word   reset + 1
        .rept   12
        .word   idle + 1
        .endr
        .word   0x20000000 + 1          // PendSV: in RAM
        .word   idle + 1
        .rept   26
        .word   idle + 1
        .endr

        .text
        .thumb_func
reset:
        ldr     r0, =handler
        ldr     r1, =0x20000000
        movs    r2, #handler_end - handler
1:      subs    r2, #2
        ldrh    r3, [r0, r2]
        strh    r3, [r1, r2]
        bne     1b
        ldr     r0, =0xE000ED04         // ICSR
        ldr     r1, =1 << 28
        str     r1, [r0]                // PendSV
        nop
        nop
#if MISTAKE == 1                        // unaligned
        ldr     r0, =0x20000102
        ldr     r1, [r0]
#elif MISTAKE == 2                      // unmapped
        ldr     r0, =0x30000000
        ldr     r1, [r0]
#elif MISTAKE == 3                      // store to flash
        ldr     r0, =vectors
        str     r0, [r0]
#elif MISTAKE == 4                      // null pointer
        movs    r0, #0
        ldr     r1, [r0, #4]
#elif MISTAKE == 6                      // deeper than the stack
2:      push    {r0-r7}
        b       2b
#elif MISTAKE == 7
        bkpt    #3
#elif MISTAKE == 8                      // not an instruction of this core
        .short  0xB650
#elif MISTAKE == 9                      // past the end of SRAM
        ldr     r0, =0x20042000
        str     r1, [r0]
#elif MISTAKE == 10                     // SIO has nothing there
        ldr     r0, =0xD0000200
        ldr     r1, [r0]
#elif MISTAKE == 11                     // nothing between the peripherals
        ldr     r0, =0x40068000
        ldr     r1, [r0]
#elif MISTAKE == 12                     // unaligned half word
        ldr     r0, =0x20000101
        ldrh    r1, [r0]
#elif MISTAKE == 13                     // waits for a block that it never releases
        ldr     r0, =0x4000C008
2:      ldr     r1, [r0]
        lsrs    r1, r1, #22
        bcc     2b
#endif
        .thumb_func
idle:   wfi
        b       idle

        .align  2
handler:
#if MISTAKE == 5                        // calls into flash
        push    {lr}
        ldr     r0, 3f
        blx     r0
        pop     {pc}
        .align  2
3:      .word   helper + 1
#elif MISTAKE == 14                     // takes a constant from flash
        ldr     r0, 3f
        ldr     r0, [r0]
        bx      lr
        .align  2
3:      .word   constant
#else
        bx      lr
        nop
#endif
handler_end:
        .thumb_func
helper: bx      lr
        .align  2
constant:
        .word   42
