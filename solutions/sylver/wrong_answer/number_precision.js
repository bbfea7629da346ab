// Number is exact up to 2^53 only.
const [line, last] = require("fs").readFileSync(0, "utf8").split("\n");
const nums = [...new Set(line.split(" ").slice(1).map(Number))].sort((a, b) => a - b);
const x = Number(last);

const gcd = (a, b) => (b ? gcd(b, a % b) : a);

function two(a, b) {
  const g = gcd(a, b);
  if (x % g) return false;
  for (let j = 0; j < a / g && j * b <= x && j < 1e8; j++) {
    if ((x - j * b) % a === 0) return true;
  }
  return false;
}

function many() {
  const m = nums[0];
  const w = new Float64Array(m).fill(Infinity);
  w[0] = 0;
  for (const n of nums.slice(1)) {
    const d = gcd(n, m);
    for (let c = 0; c < d; c++) {
      for (let i = 0, r = c; i < (2 * m) / d; i++) {
        const s = (r + (n % m)) % m;
        w[s] = Math.min(w[s], w[r] + n);
        r = s;
      }
    }
  }
  return w[x % m] <= x;
}

let sum = x <= 1;
if (!sum && nums.length === 1) sum = x % nums[0] === 0;
if (!sum && nums.length === 2) sum = two(...nums);
if (!sum && nums.length > 2) sum = many();
console.log(sum ? "ILLEGAL" : "LEGAL");
