// Plays every position with few legal numbers without a mistake, and looks two numbers
// ahead for such positions from afar. The strongest bot of the house.
//
// From afar it trusts a theorem: whoever announces a prime from 5 on first can win
// (R. L. Hutchings; Winning Ways, chapter 18), so large numbers announced before change
// little. It is no proof for them, and who announces after this bot may still win.

#include <bitset>
#include <cstdint>
#include <iostream>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

using Gaps = unsigned __int128; // bit n is set while n may be announced; bit 1 is

constexpr int kWidth = 128;   // a position is small if all of its gaps fit
constexpr int kFew = 44;      // and few enough to look at all continuations
constexpr int kFarthest = 120; // candidates where the position is large

struct Hash {
  size_t operator()(Gaps g) const {
    uint64_t x = uint64_t(g) * 0x9E3779B97F4A7C15u ^ uint64_t(g >> 64) * 0xC2B2AE3D27D4EB4Fu;
    return x ^ x >> 29;
  }
};

int count(Gaps g) {
  return __builtin_popcountll(uint64_t(g)) + __builtin_popcountll(uint64_t(g >> 64));
}

bool has(Gaps g, int n) { return g >> n & 1; }

Gaps announce(Gaps gaps, int n) {
  Gaps sums = ~gaps, more = sums;
  for (int by = n; by < kWidth; by += n) {
    more <<= n;
    sums |= more;
  }
  return ~sums;
}

// wins says whether whoever moves wins. Only {1} left means to lose.
bool wins(Gaps gaps) {
  static std::unordered_map<Gaps, bool, Hash> known;
  if (gaps == 2 || gaps == 0) return false;
  auto found = known.find(gaps);
  if (found != known.end()) return found->second;
  if (known.size() > 4000000) known.clear();
  int largest = kWidth - 1;
  while (!has(gaps, largest)) largest--;
  // If every other number would make the largest a sum, whoever moves wins: either the
  // largest wins, or what answers it would have won at once, as if it had been said.
  bool won = true;
  for (int n = 2; n < largest && won; n++)
    if (has(gaps, n) && has(announce(gaps, n), largest)) won = false;
  for (int n = largest; n > 1 && !won; n--)
    if (has(gaps, n) && !wins(announce(gaps, n))) won = true;
  return known[gaps] = won;
}

// view returns the gaps of the numbers, if the position is small.
bool view(const std::vector<int64_t>& numbers, int more, Gaps& gaps) {
  std::bitset<2 * kWidth> sums;
  sums[0] = true;
  int64_t least = more > 0 ? more : 2 * kWidth;
  for (int64_t a : numbers) least = std::min(least, a);
  if (least >= kWidth) return false;
  for (int x = 1; x < 2 * kWidth; x++) {
    if (more > 0 && x >= more && sums[x - more]) sums[x] = true;
    for (int64_t a : numbers)
      if (a <= x && sums[x - a]) sums[x] = true;
  }
  for (int x = kWidth; x < kWidth + least; x++)
    if (!sums[x]) return false;
  gaps = 0;
  for (int x = 1; x < kWidth; x++)
    if (!sums[x]) gaps |= Gaps(1) << x;
  return true;
}

enum Outlook { kLost, kUnknown, kWon }; // for the one who has to move

Outlook outlook(const std::vector<int64_t>& numbers, int more) {
  Gaps gaps;
  if (!view(numbers, more, gaps) || count(gaps) > kFew) return kUnknown;
  return wins(gaps) ? kWon : kLost;
}

// perfect plays a small position.
int perfect(Gaps gaps) {
  int best = 1, most = -1;
  for (int n = 2; n < kWidth; n++) {
    if (!has(gaps, n)) continue;
    Gaps left = announce(gaps, n);
    if (!wins(left)) return n;
    if (count(left) > most) most = count(left), best = n; // lost: the longest way
  }
  return best;
}

int64_t choose(std::vector<int64_t> numbers) {
  if (numbers.empty()) return 16; // some rules forbid a prime here
  Gaps gaps;
  if (view(numbers, 0, gaps) && count(gaps) <= kFew) return perfect(gaps);
  std::vector<bool> sums(kFarthest + 1);
  sums[0] = true;
  for (int x = 1; x <= kFarthest; x++)
    for (int64_t a : numbers)
      if (a <= x && sums[x - a]) sums[x] = true;
  // The first candidates are primes, the last 2 and 3, which answer each other.
  std::vector<int> order;
  for (int n : {5, 7, 11, 13, 17, 19, 23})
    if (!sums[n]) order.push_back(n);
  for (int n = kFarthest; n > 1; n--)
    if (!sums[n]) order.push_back(n);
  for (int n : order)
    if (outlook(numbers, n) == kLost) return n;
  for (int n : order) {
    if (outlook(numbers, n) != kUnknown) continue;
    numbers.push_back(n);
    bool refuted = false;
    for (int answer : order)
      if (answer % n && outlook(numbers, answer) == kLost) refuted = true;
    numbers.pop_back();
    if (!refuted) return n;
  }
  return order[0];
}

int main() {
  std::ios::sync_with_stdio(false);
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (word == "sylver") {
      std::cout << "ready pure name=exact" << std::endl;
    } else if (word == "move") {
      size_t k;
      words >> k;
      std::vector<int64_t> numbers(k);
      for (int64_t& n : numbers) words >> n;
      std::cout << choose(numbers) << std::endl;
    } else if (word == "quit") {
      break;
    }
  }
}
