// SPDX-License-Identifier: GPL-3.0-or-later
/// Checks the descriptors of a CDC-ACM device. (USB 2.0, section 9.6; CDC 1.2, section 5; IAD ECN.)

const hex = (value) => `0x${value.toString(16)}`;

export function checkDevice(device, report) {
  const complain = (detail) => report("usb-descriptor", `device: ${detail}`);
  if (device.length !== 18 || device[0] !== 18 || device[1] !== 1) return complain("is not 18 bytes of type 1");
  const version = device[2] | (device[3] << 8);
  if (version !== 0x200 && version !== 0x110) complain(`bcdUSB ${hex(version)}`);
  if (device[4] !== 0xef || device[5] !== 2 || device[6] !== 1) complain("class is not EF/02/01, which the interface association needs");
  if (device[7] !== 64) complain(`packets of ${device[7]} bytes at endpoint 0, not 64`);
  if (device[17] !== 1) complain(`${device[17]} configurations, not 1`);
}

export function checkConfiguration(bytes, report) {
  const complain = (detail) => report("usb-descriptor", `configuration: ${detail}`);
  const total = bytes[2] | (bytes[3] << 8);
  if (bytes[0] !== 9 || bytes[1] !== 2 || total !== bytes.length) return complain(`wTotalLength is ${total}, but ${bytes.length} bytes were received`);
  const found = { interfaces: 0, association: 0, endpoints: new Map(), functional: new Set() };
  for (let at = 9; at < bytes.length; at += bytes[at]) {
    if (bytes[at] < 2 || at + bytes[at] > bytes.length) return complain(`descriptor at ${at} does not fit`);
    const type = bytes[at + 1];
    if (type === 4) found.interfaces++;
    if (type === 11) found.association++;
    if (type === 0x24) found.functional.add(bytes[at + 2]);
    if (type === 5) found.endpoints.set(bytes[at + 2], { kind: bytes[at + 3] & 3, size: bytes[at + 4] | (bytes[at + 5] << 8), interval: bytes[at + 6] });
  }
  if (found.interfaces !== 2 || bytes[4] !== 2) complain(`${found.interfaces} interfaces, bNumInterfaces ${bytes[4]}, not 2`);
  if (found.association !== 1) complain("has no interface association");
  for (const subtype of [0, 1, 2, 6]) if (!found.functional.has(subtype)) complain(`functional descriptor ${subtype} is missing`);
  const expected = [[0x81, 3, 8], [0x82, 2, 64], [0x02, 2, 64]];
  for (const [address, kind, size] of expected) {
    const endpoint = found.endpoints.get(address);
    if (!endpoint || endpoint.kind !== kind || endpoint.size > size) complain(`endpoint ${hex(address)} is missing or of the wrong kind`);
    else if (kind === 3 && endpoint.interval === 0) complain(`endpoint ${hex(address)} has no interval`);
  }
}

export function readString(bytes, name, report) {
  if (bytes[0] !== bytes.length || bytes[1] !== 3) {
    report("usb-descriptor", `string ${name}: bLength ${bytes[0]}, but ${bytes.length} bytes were received`);
    return undefined;
  }
  return Buffer.from(bytes.subarray(2)).toString("utf16le");
}
