// Announces half of the smallest number. A sum of announced numbers is never that small.
const lines = require("readline").createInterface({ input: process.stdin });

lines.on("line", (line) => {
  const [word, count, ...rest] = line.split(" ");
  if (word === "sylver") { // the greeting: its answer depends on nothing but the numbers
    console.log("ready pure name=first");
  } else if (word === "move") { // move <k> <n1> ... <nk> <used_ms>
    const numbers = rest.slice(0, Number(count)).map(BigInt); // they can be larger than 2^53
    let smallest = 2000n; // nothing is announced: begin with 1000
    if (numbers.length > 0) smallest = numbers.reduce((a, b) => (a < b ? a : b));
    console.log(String(smallest > 3n ? smallest / 2n : 1n)); // 1 loses, but there may be no other number
  } else if (word === "quit") {
    lines.close();
  }
});
