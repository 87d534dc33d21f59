// SPDX-License-Identifier: GPL-3.0-or-later
/// Reader of UF2 files, stricter than the boot ROM.

const flashStart = 0x10000000;
const flashSize = 2 * 1024 * 1024; // flash of a Raspberry Pi Pico
const pageSize = 256;
const sectorSize = 4096;
const blockSize = 512;
const familyRp2040 = 0xe48bff56;
const flagFamily = 0x2000;

/** Returns the contents of flash, from 0x10000000 on. Each defect is passed to `report(rule, detail)`. */
export function parseUf2(file, report) {
  const complain = (detail) => report("uf2", detail);
  const flash = new Uint8Array(flashSize).fill(0xff);
  if (file.length === 0 || file.length % blockSize !== 0) {
    complain(`length ${file.length} is not a multiple of ${blockSize}`);
    return { flash, end: flashStart };
  }
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const blocks = file.length / blockSize;
  let end = flashStart;
  for (let block = 0; block < blocks; block++) {
    const word = (offset) => view.getUint32(block * blockSize + offset, true);
    const expect = (what, offset, value) => {
      if (word(offset) !== value) complain(`block ${block}: ${what} is 0x${word(offset).toString(16)}, not 0x${value.toString(16)}`);
    };
    expect("first magic", 0, 0x0a324655);
    expect("second magic", 4, 0x9e5d5157);
    expect("last magic", 508, 0x0ab16f30);
    expect("flags", 8, flagFamily);
    expect("payload size", 16, pageSize);
    expect("block number", 20, block);
    expect("number of blocks", 24, blocks);
    expect("family", 28, familyRp2040);
    const address = word(12);
    if (address !== end) complain(`block ${block}: address 0x${address.toString(16)}, not 0x${end.toString(16)}`);
    const start = block * blockSize + 32;
    if (file.subarray(start + pageSize, start + 476).some((byte) => byte !== 0)) complain(`block ${block}: padding is not zero`);
    const offset = address - flashStart;
    if (offset >= 0 && offset + pageSize <= flashSize) flash.set(file.subarray(start, start + pageSize), offset);
    else complain(`block ${block}: address 0x${address.toString(16)} is outside of flash`);
    end = address + pageSize;
  }
  // The boot ROM erases whole sectors: a partly filled sector loses its old data and was not tested in this state.
  if ((end - flashStart) % sectorSize !== 0) complain(`ends within a sector at 0x${end.toString(16)}`);
  return { flash, end };
}

/** Checksum of boot2: CRC-32/MPEG-2, as computed by the boot ROM. */
export function crc32Mpeg2(bytes) {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte << 24;
    for (let bit = 0; bit < 8; bit++) crc = (crc << 1) ^ (crc & 0x80000000 ? 0x04c11db7 : 0);
  }
  return crc >>> 0;
}

/** True if the boot ROM would start this flash; otherwise a Pico stays in its USB loader. */
export function checkBoot2(flash, report) {
  const stored = new DataView(flash.buffer, flash.byteOffset).getUint32(252, true);
  const computed = crc32Mpeg2(flash.subarray(0, 252));
  if (stored === computed) return true;
  report("boot2-crc", `boot2 has CRC ${computed.toString(16)}, its last word is ${stored.toString(16)}: the boot ROM would not start it`);
  return false;
}

/** Writes the correct checksum of a changed boot2. */
export function sealBoot2(flash) {
  new DataView(flash.buffer, flash.byteOffset).setUint32(252, crc32Mpeg2(flash.subarray(0, 252)), true);
}

/** Inverse of parseUf2, for images that a test changed or assembled. */
export function makeUf2(flash, length) {
  const blocks = Math.ceil(Math.ceil(length / sectorSize) * sectorSize / pageSize);
  const file = new Uint8Array(blocks * blockSize);
  const view = new DataView(file.buffer);
  for (let block = 0; block < blocks; block++) {
    const head = [0x0a324655, 0x9e5d5157, flagFamily, flashStart + block * pageSize, pageSize, block, blocks, familyRp2040];
    head.forEach((word, index) => view.setUint32(block * blockSize + 4 * index, word, true));
    file.set(flash.subarray(block * pageSize, (block + 1) * pageSize), block * blockSize + 32);
    view.setUint32(block * blockSize + 508, 0x0ab16f30, true);
  }
  return file;
}
