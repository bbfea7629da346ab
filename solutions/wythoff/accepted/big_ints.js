const [i, j] = require("fs").readFileSync(0, "utf8").trim().split(/\s+/).map(BigInt);

function isqrt(n) {
  if (n < 2n) return n;
  let x = 1n << BigInt((n.toString(2).length + 1) >> 1);
  for (;;) {
    const y = (x + n / x) >> 1n;
    if (y >= x) return x;
    x = y;
  }
}

const low = (k) => (k + isqrt(5n * k * k)) >> 1n;

function partner(n) {
  if (n === 0n) return 0n;
  const k = low(n) - n + 1n;
  return low(k) === n ? n + k : k - 1n;
}

const pi = partner(i), pj = partner(j);
if (pi === j) console.log("null");
else if (pi < j) console.log(`${i} ${pi}`);
else if (pj < i) console.log(`${pj} ${j}`);
else {
  const d = i > j ? i - j : j - i;
  const take = (i < j ? i : j) - low(d);
  console.log(`${i - take} ${j - take}`);
}
