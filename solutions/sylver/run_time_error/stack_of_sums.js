// Recursion over the sums, with a memory, but the stack is too short.
const [line, last] = require("fs").readFileSync(0, "utf8").split("\n");
const nums = line.split(" ").slice(1).map(Number);
const x = Number(last);
const memory = new Map();

function isSum(x) {
  if (x === 0) return true;
  if (memory.has(x)) return memory.get(x);
  let found = false;
  for (const n of nums) if (n <= x && !found) found = isSum(x - n);
  memory.set(x, found);
  return found;
}

console.log(x === 1 || isSum(x) ? "ILLEGAL" : "LEGAL");
