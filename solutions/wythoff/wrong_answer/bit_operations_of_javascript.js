const [i, j] = require("fs").readFileSync(0, "utf8").split(" ").map(Number);
const low = (k) => (k * (1 + 5 ** 0.5)) / 2 | 0;
const partner = (n) => {
  const k = low(n) - n;
  return low(k + 1) === n ? n + k + 1 : k;
};
const take = Math.min(i, j) - low(Math.abs(i - j));
if (take === 0) console.log("lost");
else if (take > 0) console.log(i - take, j - take);
else if (i < j) console.log(i, partner(i));
else console.log(partner(j), j);
