// Numbers go to 10^18, so everything that is a sum is a BigInt; residues are
// plain numbers.
const lines = require("fs").readFileSync(0, "utf8").split("\n");
const announced = lines[0].trim().split(/\s+/).slice(1).map(BigInt);
const x = BigInt(lines[1].trim());

function gcd(a, b) {
  while (b) [a, b] = [b, a % b];
  return a;
}

function inverse(a, m) {
  let [r, q, s, t] = [a, m, 1n, 0n];
  while (q) {
    const d = r / q;
    [r, q] = [q, r - d * q];
    [s, t] = [t, s - d * t];
  }
  return ((s % m) + m) % m;
}

function sumOfTwo(a, b) {
  const g = gcd(a, b);
  if (x % g) return false;
  const [A, B, X] = [a / g, b / g, x / g];
  return ((X * inverse(B % A, A)) % A) * B <= X;
}

function sumOfMany(numbers) {
  const m = Number(numbers[0]);
  const beyond = x + 1n;
  const least = new BigInt64Array(m).fill(beyond);
  least[0] = 0n;
  for (const n of numbers.slice(1)) {
    const circles = Number(gcd(n, BigInt(m)));
    const step = Number(n % BigInt(m));
    for (let first = 0; first < circles; first++) {
      let r = first;
      let sum = least[r];
      for (let i = 0; i < (2 * m) / circles; i++) {
        r += step;
        if (r >= m) r -= m;
        sum += n;
        if (sum < least[r]) least[r] = sum;
        else sum = least[r];
      }
    }
  }
  return least[Number(x % BigInt(m))] <= x;
}

function isSum() {
  const numbers = [...new Set(announced)].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  if (x === 0n) return true;
  if (numbers.length === 0) return false;
  if (numbers.length === 1) return x % numbers[0] === 0n;
  if (numbers.length === 2) return sumOfTwo(...numbers);
  return sumOfMany(numbers);
}

console.log(x === 1n || isSum() ? "ILLEGAL" : "LEGAL");
