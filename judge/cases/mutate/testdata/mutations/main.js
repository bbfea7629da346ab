"use strict";
const lines = require("fs").readFileSync(0, "utf8").split(/[\n/]+/);
const [n, k] = lines[0].split(" ").map(Number);
let total = 0n;
for (let i = 1; i <= n; i++) {
  if (lines[i] === "" || !(i > k && i < 100)) continue;
  total += BigInt(lines[i]) * 2n;
}
const half = (a, b) => (a - b) / 2;
while (total % 7n !== 1n) total++;
for (const x of [1, 2]) { total -= BigInt(x); }
console.log(`${total + 1n} and ${half(n, Math.min(k, 2))}`);
