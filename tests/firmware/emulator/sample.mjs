// SPDX-License-Identifier: GPL-3.0-or-later
/// Node's test(), restricted to the sample of this run: one case in four. As in tests/sample.hpp.
import nodeTest from "node:test";

const oneIn = 4;

function inSample(name) {
  const start = process.env.MEDIARIG_SAMPLE_START;
  if (!start) return true;
  let hash = 2166136261;
  for (const byte of Buffer.from(start + name)) hash = Math.imul(hash ^ byte, 16777619) >>> 0;
  return (hash >>> 8) % oneIn === 0;
}

export default function test(name, body) {
  return nodeTest(name, inSample(name) ? {} : { skip: "not drawn for this commit's sample" }, body);
}
test.after = nodeTest.after;
