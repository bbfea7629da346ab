#include "answer.h"
#undef int
#include <array>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <list>
#include <optional>
#include <sstream>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace golfdriver {
template <class T> std::string show(const T &v) {
  using B = std::decay_t<T>;
  if constexpr (std::is_same_v<B, bool>) return v ? "true" : "false";
  else if constexpr (std::is_same_v<B, char>) return std::string(1, v);
  else if constexpr (std::is_convertible_v<const T &, std::string>) return std::string(v);
  else if constexpr (std::is_pointer_v<B>) return v ? show(v[0]) + " " + show(v[1]) : "NULL";
  else if constexpr (requires { v.begin(); v.end(); }) {
    std::string s = "[";
    for (auto &x : v) s += (s.size() > 1 ? ", " : "") + show(x);
    return s + "]";
  }
  else if constexpr (requires { v.first; v.second; }) return "(" + show(v.first) + ", " + show(v.second) + ")";
  else if constexpr (requires { std::tuple_size<B>::value; }) {
    std::string s = "(";
    std::apply([&](auto &...x) { ((s += (s.size() > 1 ? ", " : "") + show(x)), ...); }, v);
    return s + ")";
  }
  else if constexpr (requires { v.has_value(); *v; }) return v ? show(*v) : "none";
  else if constexpr (requires(std::ostream &o) { o << v; }) {
    std::ostringstream o;
    o << v;
    return o.str();
  }
  else {
    auto [x, y] = v;
    return show(x) + " " + show(y);
  }
}
auto call = [](auto &&...x) -> decltype({function}(static_cast<decltype(x)>(x)...)) { return {function}(static_cast<decltype(x)>(x)...); };
template <class F> std::string take(F f, char &kind, auto &&after) {
  if constexpr (std::is_void_v<decltype(f())>) {
    f();
    kind = 'n';
    return after();
  } else
    return show(f());
}
constexpr int N = {arity};
template <size_t K = 0> auto curried(auto &&f, std::array<int, N> &a) {
  if constexpr (K + 1 == N) return [&] { return f(+a[K]); };
  else return [&] { return curried<K + 1>(f(+a[K]), a)(); };
}
template <class C, size_t... K> std::string run(C f, const std::array<int, N> old, char &kind, std::index_sequence<K...>) {
  std::array<int, N> a = old;
  std::vector<int> v(old.begin(), old.end());
  std::tuple<decltype(a[K])...> refs(a[K]...);
  std::tuple<std::decay_t<decltype(a[K])>...> t(a[K]...);
  std::list<int> l(old.begin(), old.end());
  int raw[N + 9] = {a[K]...}, r[9] = {-7777, -7777};
  std::string s = ((K ? " " + show(a[K]) : show(a[K])) + ...);
  auto spaced = [](const auto &x) { return ((K ? " " + show(x[K]) : show(x[K])) + ...); };
  auto nothing = [] { return std::string(); };
  auto left = [&](const auto &x, const auto &before) { return kind = x == before ? 'u' : 'c', show(x); };
  const auto vector = v; const auto pile = l; const auto all = t;
  auto moved = [&] { return kind = a == old ? 'u' : 'c', spaced(a); };
  auto rawMoved = [&] { return kind = ((raw[K] == old[K]) && ...) ? 'u' : 'c', spaced(raw); };
  auto results = [&] { return r[0] == -7777 ? std::string() : show(r[0]) + (r[1] == -7777 ? "" : " " + show(r[1])); };
  if constexpr (std::is_invocable_v<C, decltype(a[K])...>) return take([&] { return f(a[K]...); }, kind, moved);
  else if constexpr (std::is_invocable_v<C, std::decay_t<decltype(a[K])>...>) return take([&] { return f(+a[K]...); }, kind, nothing);
  else if constexpr (std::is_invocable_v<C, decltype(&a[K])...>) return take([&] { return f(&a[K]...); }, kind, moved);
  else if constexpr (std::is_invocable_v<C, std::vector<int> &>) return take([&] { return f(v); }, kind, [&] { return left(v, vector); });
  else if constexpr (N == 2 && requires { f(std::declval<std::pair<int, int> &>()); }) {
    std::pair<int, int> p{a[0], a[N - 1]};
    return take([&] { return f(p); }, kind, [&] { return left(p, std::pair<int, int>{old[0], old[N - 1]}); });
  }
  else if constexpr (std::is_invocable_v<C, std::array<int, N> &>) return take([&] { return f(a); }, kind, moved);
  else if constexpr (requires { f(t); }) return take([&] { return f(t); }, kind, [&] { return left(t, all); });
  else if constexpr (std::is_invocable_v<C, std::list<int> &>) return take([&] { return f(l); }, kind, [&] { return left(l, pile); });
  else if constexpr (std::is_invocable_v<C, int *>) return take([&] { return f(&raw[0]); }, kind, rawMoved);
  else if constexpr (std::is_invocable_v<C, int *, int>) return take([&] { return f(&raw[0], N + 0); }, kind, rawMoved);
  else if constexpr (std::is_invocable_v<C, std::decay_t<decltype(a[K])>..., int &, int &>) return take([&] { return f(+a[K]..., r[0], r[1]); }, kind, results);
  else if constexpr (std::is_invocable_v<C, std::decay_t<decltype(a[K])>..., int *, int *>) return take([&] { return f(+a[K]..., r, r + 1); }, kind, results);
  else if constexpr (std::is_invocable_v<C, std::decay_t<decltype(a[K])>..., int *>) return take([&] { return f(+a[K]..., &r[0]); }, kind, results);
  else if constexpr (std::is_invocable_v<C, std::string>) return take([&] { return f(s); }, kind, nothing);
  else if constexpr (requires { f({a[K]...}); }) return take([&] { return f({a[K]...}); }, kind, nothing);
  else return take(curried(f, a), kind, nothing);
}
} // namespace golfdriver

int main() {
  std::string mark, line;
  std::getline(std::cin, mark);
  std::vector<std::string> lines;
  while (std::getline(std::cin, line)) lines.push_back(line);
  std::cout << mark << "l" << mark << "\n" << std::flush;
  for (auto &l : lines) {
    std::array<int, {arity}> a;
    std::istringstream in(l);
    for (auto &x : a) in >> x;
    char kind = 'v';
    std::string text;
    try {
      text = golfdriver::run(golfdriver::call, a, kind, std::make_index_sequence<{arity}>());
    } catch (...) {
      kind = 'e', text = "exception";
    }
    std::fflush(stdout);
    std::cout << mark << kind << text << mark << "\n" << std::flush;
  }
}
