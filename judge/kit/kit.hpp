// Kit is what a checker, validator, generator or interactor in C++ includes.
//
// It has the names of the Go package assay/judge/kit, which are those of testlib: In is the
// input, Out the contestant's output, Ans the answer of the reference solution, and Quit ends
// with a verdict.
//
//     #include "kit.hpp"
//
//     int main(int argc, char **argv) {
//         kit::Check(argc, argv, [](kit::Test &t) {
//             auto want = t.Ans.Int64(), got = t.Out.Int64();
//             if (got != want) t.Quit(kit::WA, "want %d, got %d", want, got);
//             t.Quit(kit::OK);
//         });
//     }
//
// Run by hand, a kit program is an ordinary command. A checker takes the names of the input,
// output and answer files, and exits with 0 if the output is correct, 1 if it is wrong, and 3
// if the checker or the answer is at fault. A validator reads standard input, and exits with 0
// or 3. A generator prints a case. With --kattis, checkers and validators speak the protocol of
// Kattis. The judge starts a kit program only once, and sends it a frame for each case. So ten
// thousand cases need one process, and a variable declared before Check keeps its value across
// the cases of a submission, which come in judging order.
//
// Messages are formatted with %, if values follow, by the types of the values: %d is for all
// integers, %s for all values, and %q puts a text in quotes. The same seed gives the same
// numbers as in Go. The header needs C++14, g++ or clang++, and a 64-bit POSIX system. The
// judge contains it, but uses a kit.hpp beside the program if there is one.

#ifndef ASSAY_KIT_HPP
#define ASSAY_KIT_HPP

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <initializer_list>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace kit {

enum Verdict {
    OK,    // the output is correct, or the input is valid
    WA,    // the contestant's output is wrong, or the input is not valid
    FAIL,  // the answer or the kit program itself is at fault
};

// The namespace own is internal.
namespace own {

// The exception by which Quit leaves the setter's function.
struct Ended {
    Verdict verdict;
    std::string message;
};

// Formatting of values as text.

inline std::string text(const std::string &s) { return s; }
inline std::string text(const char *s) { return s; }
inline std::string text(char c) { return std::string(1, c); }
inline std::string text(bool b) { return b ? "true" : "false"; }

template <class T>
typename std::enable_if<std::is_integral<T>::value, std::string>::type text(T n) {
    return std::to_string(n);
}

// The shortest text that is read as the same number.
template <class T>
typename std::enable_if<std::is_floating_point<T>::value, std::string>::type text(T x) {
    char s[40];
    for (int digits = 15; digits <= 17; digits++) {
        std::snprintf(s, sizeof s, "%.*g", digits, double(x));
        if (std::strtod(s, nullptr) == double(x)) break;
    }
    return s;
}

// The elements with blanks between them.
template <class T>
std::string text(const std::vector<T> &list) {
    std::string all;
    for (std::size_t i = 0; i < list.size(); i++) all += (i ? " " : "") + text(T(list[i]));
    return all;
}

inline void join(std::string &, const char *) {}

template <class First, class... Rest>
void join(std::string &to, const char *between, const First &first, const Rest &...rest) {
    to += text(first);
    if (sizeof...(rest)) to += between;
    join(to, between, rest...);
}

// Decodes the UTF-8 character at a position. An invalid one is -1, with size 1.
inline long rune(const std::string &s, std::size_t at, std::size_t *size) {
    unsigned char c = s[at];
    *size = 1;
    if (c < 0x80) return c;
    std::size_t n = c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : 2;
    if (c < 0xC2 || c > 0xF4 || at + n > s.size()) return -1;
    long r = c & (0xFF >> (n + 1));
    for (std::size_t i = 1; i < n; i++) {
        unsigned char next = s[at + i];
        if (next >> 6 != 2) return -1;
        r = r << 6 | (next & 0x3F);
    }
    if (r < (n == 2 ? 0x80 : n == 3 ? 0x800 : 0x10000) || r > 0x10FFFF || (r >= 0xD800 && r < 0xE000)) return -1;
    *size = n;
    return r;
}

// Returns whether a character is visible: it is no control, space, format or private-use
// character. Unassigned characters count as visible.
inline bool printable(long r) {
    static const long hidden[][2] = {
        {0, 31}, {127, 160}, {0xAD, 0xAD}, {0x600, 0x605}, {0x61C, 0x61C}, {0x6DD, 0x6DD}, {0x70F, 0x70F},
        {0x890, 0x891}, {0x8E2, 0x8E2}, {0x1680, 0x1680}, {0x180E, 0x180E}, {0x2000, 0x200F}, {0x2028, 0x202F},
        {0x205F, 0x206F}, {0x3000, 0x3000}, {0xD800, 0xF8FF}, {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB},
        {0x110BD, 0x110BD}, {0x110CD, 0x110CD}, {0x13430, 0x1343F}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A},
        {0xE0001, 0xE007F}, {0xF0000, 0x10FFFF}};
    for (auto &range : hidden)
        if (range[0] <= r && r <= range[1]) return false;
    return true;
}

// Writes a text in quotes, with the escapes of Go for unprintable characters.
inline std::string quoted(const std::string &s, char quote = '"') {
    std::string out(1, quote);
    for (std::size_t at = 0, size; at < s.size(); at += size) {
        long r = rune(s, at, &size);
        char escape[16];
        if (r < 0) {
            std::snprintf(escape, sizeof escape, "\\x%02x", (unsigned char)s[at]);
            out += escape;
        } else if (r == quote || r == '\\') {
            out += '\\';
            out += char(r);
        } else if (r >= 7 && r <= 13) {
            out += '\\';
            out += "abtnvfr"[r - 7];
        } else if (printable(r)) {
            out += s.substr(at, size);
        } else {
            std::snprintf(escape, sizeof escape, r < 0x80 ? "\\x%02lx" : r < 0x10000 ? "\\u%04lx" : "\\U%08lx", r);
            out += escape;
        }
    }
    return out + quote;
}

// Quotes a text. A long text is shortened in the middle.
inline std::string brief(const std::string &s) {
    if (s.size() <= 60) return quoted(s);
    return quoted(s.substr(0, 30)) + "..." + quoted(s.substr(s.size() - 15)) + " (" + text(s.size()) + " bytes)";
}

// Formatting by the types of the values.

// A conversion such as %-5d: the part before the letter, without lengths such as ll.
struct Conversion {
    std::string flags;
    char letter;

    template <class T>
    std::string print(const char *length, char as, T value) const {
        std::string format = flags + length + as;
        int size = std::snprintf(nullptr, 0, format.c_str(), value);
        if (size < 0) throw std::invalid_argument("the format " + format + " cannot be used");
        std::string out(std::size_t(size) + 1, 0);
        std::snprintf(&out[0], out.size(), format.c_str(), value);
        out.pop_back();
        return out;
    }
    bool is(const char *letters) const { return std::strchr(letters, letter); }

    // For integers, numbers with a fraction, and everything else.
    template <class T>
    typename std::enable_if<std::is_integral<T>::value, std::string>::type of(T v) const {
        if (is("c")) return print("", 'c', int(v));
        if (is("xXo")) return print("ll", letter, (unsigned long long)v);
        if (is("diu")) return std::is_signed<T>::value ? print("ll", 'd', (long long)v) : print("ll", 'u', (unsigned long long)v);
        if (is("feEgG")) return print("", letter, double(v));
        return word(text(v));
    }
    template <class T>
    typename std::enable_if<std::is_floating_point<T>::value, std::string>::type of(T v) const {
        return is("feEgG") ? print("", letter, double(v)) : word(text(v));
    }
    template <class T>
    typename std::enable_if<!std::is_arithmetic<T>::value, std::string>::type of(const T &v) const {
        return word(text(v));
    }
    std::string word(const std::string &s) const {
        if (!is("sqvd")) throw std::invalid_argument(flags + letter + " does not print " + brief(s));
        std::string value = is("q") ? quoted(s) : s;
        return flags == "%" ? value : print("", 's', value.c_str());
    }
};

// Copies a format up to its next conversion, which it returns.
inline Conversion next(std::string &to, const char *&format) {
    for (; *format; format++) {
        if (*format != '%') {
            to += *format;
        } else if (format[1] == '%') {
            to += *format++;
        } else {
            Conversion c{"%", 0};
            for (format++; *format && std::strchr("-+ #0123456789.", *format); format++) c.flags += *format;
            while (*format && std::strchr("hlLqjzt", *format) && !(*format == 'q' && !std::strchr("diuxXo", format[1] ? format[1] : ' '))) format++;
            if (*format) c.letter = *format++;
            return c;
        }
    }
    return {"", 0};
}

inline void fill(std::string &to, const char *format) {
    if (next(to, format).letter) throw std::invalid_argument("a message has fewer values than its format wants");
}

template <class First, class... Rest>
void fill(std::string &to, const char *format, const First &first, const Rest &...rest) {
    Conversion c = next(to, format);
    if (!c.letter) throw std::invalid_argument("a message has more values than its format wants");
    to += c.of<typename std::decay<const First &>::type>(first);
    fill(to, format, rest...);
}

}  // namespace own

// Formats values into a text, as messages are. Without values, the text stays unchanged.
inline std::string Format(const std::string &message) { return message; }

template <class... Values>
std::string Format(const std::string &message, const Values &...values) {
    std::string out;
    own::fill(out, message.c_str(), values...);
    return out;
}

namespace own {

template <class... Values>
[[noreturn]] void quit(Verdict v, const std::string &message, const Values &...values) {
    throw Ended{v, Format(message, values...)};
}

// Runs f and returns whether it ended with a verdict, and how.
template <class F>
bool caught(F f, Ended *how) {
    try {
        f();
        return false;
    } catch (const Ended &e) {
        *how = e;
    } catch (const std::exception &e) {
        *how = {FAIL, std::string("exception: ") + e.what()};
    } catch (...) {
        *how = {FAIL, "exception: of a type that is not known"};
    }
    return true;
}

inline bool space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Reads a decimal integer of at most 64 bits.
inline bool integer(const std::string &s, std::int64_t *n) {
    bool minus = !s.empty() && s[0] == '-';
    std::size_t at = minus || (!s.empty() && s[0] == '+');
    if (at == s.size()) return false;
    std::uint64_t sum = 0, most = (std::uint64_t(1) << 63) - !minus;
    for (; at < s.size(); at++) {
        if (s[at] < '0' || s[at] > '9') return false;
        std::uint64_t digit = std::uint64_t(s[at] - '0');
        if (sum > (most - digit) / 10) return false;
        sum = 10 * sum + digit;
    }
    *n = std::int64_t(minus ? 0 - sum : sum);
    return true;
}

}  // namespace own

// Reads one of the three texts of a case. If it cannot read, it ends the case: with WA in the
// contestant's output and in a validator's input, and with FAIL in other texts.
//
// In a checker, it skips white space before each token. A number is an optional sign and
// digits. In a validator, it is strict: f must read every blank and line end, and numbers have
// one spelling (no "+1", "01", "-0").
class Reader {
public:
    Reader(std::string data, const char *name, Verdict blame, bool strict = false)
        : data(std::move(data)), name(name), blame(blame), strict(strict) {}

    // Ends the case with a message that starts with the current position.
    template <class... Values>
    [[noreturn]] void Refuse(const std::string &message, const Values &...values) {
        refuseAt(pos, Format(message, values...));
    }

    // Reads a word, up to white space or the end. It rejects an empty word.
    std::string Token() {
        skipSpace();
        std::size_t start = pos;
        while (pos < data.size() && !own::space(data[pos])) pos++;
        if (start == pos) Refuse("want a word, got %s", next());
        return data.substr(start, pos - start);
    }

    // Reads a token of lo to hi bytes of printable ASCII. Name is its name in messages.
    std::string Word(std::size_t lo, std::size_t hi, const std::string &what) {
        skipSpace();
        std::size_t start = pos;
        std::string w = Token();
        if (w.size() < lo || w.size() > hi) refuseAt(start, Format("%s has %d characters, not %d to %d", what, w.size(), lo, hi));
        for (char c : w)
            if (c <= ' ' || c > '~') refuseAt(start, what + " = " + own::brief(w) + " is not printable ASCII");
        return w;
    }

    // Reads a decimal integer of at most 64 bits.
    std::int64_t Int64() {
        skipSpace();
        std::size_t start = pos;
        std::string word = Token();
        std::int64_t n;
        if (!own::integer(word, &n) || (strict && std::to_string(n) != word)) refuseAt(start, "want an integer, got " + own::brief(word));
        return n;
    }

    // Reads a decimal integer in lo..hi. Name is its name in messages.
    std::int64_t Int(std::int64_t lo, std::int64_t hi, const std::string &what) {
        skipSpace();
        std::size_t start = pos;
        std::int64_t n = Int64();
        if (n < lo || n > hi) refuseAt(start, Format("%s = %d is not in %d..%d", what, n, lo, hi));
        return n;
    }

    // Reads exactly one blank.
    void Space() { literal(' ', "a blank"); }

    // Reads exactly one line feed.
    void EOLN() { literal('\n', "the end of the line"); }

    // Reads the end of the text. In a checker, white space may come before it. The kits of
    // other languages call it EOF, which is a macro in C++.
    void End() {
        if (!AtEOF()) Refuse("want the end of the file, got %s", next());
    }

    // Returns whether nothing is left. In a checker, it ignores white space.
    bool AtEOF() {
        skipSpace();
        return pos == data.size();
    }

    // Reads a line, and returns it without its line feed.
    std::string Line() {
        if (pos == data.size()) Refuse("want a line, got the end of the file");
        std::size_t end = data.find('\n', pos);
        if (end == std::string::npos) {
            end = data.size();
            if (strict) {
                pos = end;
                Refuse("want the end of the line, got the end of the file");
            }
        }
        std::string line = data.substr(pos, end - pos);
        pos = std::min(end + 1, data.size());
        return line;
    }

    // Reads the rest of the text.
    std::string Rest() {
        std::string rest = data.substr(pos);
        pos = data.size();
        return rest;
    }

private:
    template <class F>
    friend void Check(int argc, char **argv, F f);

    [[noreturn]] void refuseAt(std::size_t at, const std::string &message) {
        auto line = 1 + std::count(data.begin(), data.begin() + std::ptrdiff_t(at), '\n');
        std::size_t before = at ? data.rfind('\n', at - 1) : std::string::npos;
        std::size_t column = before == std::string::npos ? at + 1 : at - before;
        throw own::Ended{blame, Format("%s, line %d, column %d: ", name, line, column) + message};
    }

    void skipSpace() {
        while (!strict && pos < data.size() && own::space(data[pos])) pos++;
    }

    void literal(char c, const char *words) {
        if (pos == data.size() || data[pos] != c) Refuse("want %s, got %s", words, next());
        pos++;
    }

    // Describes the text at the current position.
    std::string next() const {
        if (pos == data.size()) return "the end of the file";
        if (data[pos] == '\n') return "the end of the line";
        if (data[pos] == ' ') return "a blank";
        std::size_t size;
        if (own::rune(data, pos, &size) < 0) return "'\xEF\xBF\xBD'";
        return own::quoted(data.substr(pos, size), '\'');
    }

    std::string data;
    const char *name;
    Verdict blame;
    bool strict;
    std::size_t pos = 0;
};

namespace own {

// Reads a file. If it cannot, why is the reason.
inline bool readAll(std::FILE *from, std::string *data) {
    char some[1 << 16];
    for (std::size_t n; (n = std::fread(some, 1, sizeof some, from)) > 0;) data->append(some, n);
    return !std::ferror(from);
}

inline bool readFile(const std::string &path, std::string *data, std::string *why) {
    std::FILE *f = std::fopen(path.c_str(), "rb");
    bool ok = f && readAll(f, data);
    if (!ok) {
        std::string words = std::strerror(errno);
        if (!words.empty() && words[0] >= 'A' && words[0] <= 'Z') words[0] = char(words[0] + 32);
        *why = "open " + path + ": " + words;
    }
    if (f) std::fclose(f);
    return ok;
}

// Writes bytes at once, independently of what the setter's code prints.
inline bool writeAll(int to, const std::string &data) {
    for (std::size_t at = 0; at < data.size();) {
        ssize_t n = ::write(to, data.data() + at, data.size() - at);
        if (n < 0 && errno != EINTR) return false;
        if (n > 0) at += std::size_t(n);
    }
    return true;
}

inline bool writeFile(const std::string &path, const std::string &data) {
    std::FILE *f = std::fopen(path.c_str(), "wb");
    if (!f) return false;
    bool ok = std::fwrite(data.data(), 1, data.size(), f) == data.size();
    return !std::fclose(f) && ok;
}

using Arguments = std::vector<std::string>;

// Ends the program. It writes the message to standard error, and into the feedback directory if
// there is one.
[[noreturn]] inline void leave(const std::string &feedback, const std::string &message, int code) {
    if (!message.empty()) {
        std::fflush(nullptr);
        writeAll(2, message + "\n");
        if (!feedback.empty()) writeFile(feedback + "/judgemessage.txt", message + "\n");
    }
    std::exit(code);
}

// Ends a kit program that was run by hand.
[[noreturn]] inline void exitByHand(Ended how) {
    while (!how.message.empty() && how.message.back() == '\n') how.message.pop_back();
    leave("", how.message, how.verdict == OK ? 0 : how.verdict == WA ? 1 : 3);
}

[[noreturn]] inline void exitForKattis(const std::string &feedback, const Ended &how) {
    leave(feedback, how.message, how.verdict == OK ? 42 : how.verdict == WA ? 43 : 1);
}

// Returns whether the program was started with --kattis. It then speaks the protocol of the
// ICPC problem package format, so that it can be part of a package. An input validator reads
// standard input, and exits with 42 or 43. An output validator gets the input, the answer and a
// feedback directory as arguments, and reads the output from standard input.
inline bool forKattis(const Arguments &args) { return args.size() > 1 && args[1] == "--kattis"; }

inline bool streaming() {
    const char *set = std::getenv("ASSAY_KIT_STREAM");
    return set && !std::strcmp(set, "1");
}

// Answers frames until the judge closes the pipe. A frame is a line with a verb and the length
// in bytes of each part, and then the parts. Output of the setter's code is redirected to
// standard error, so that it cannot get between the frames.
template <class F>
void serve(const char *role, F answer) {
    ::signal(SIGPIPE, SIG_IGN);
    int wire = ::dup(1);
    ::dup2(2, 1);
    writeAll(wire, std::string("assay-kit 1 ") + role + "\n");
    for (;;) {
        std::string head;
        int c;
        while ((c = std::getc(stdin)) >= 0 && c != '\n') head += char(c);
        if (c < 0 && head.empty()) return;
        std::vector<std::string> parts;
        for (std::size_t at = head.find(' '); at != std::string::npos; at = head.find(' ', at + 1)) {
            parts.emplace_back(std::strtoull(head.c_str() + at, nullptr, 10), '\0');
        }
        for (auto &part : parts)
            if (std::fread(&part[0], 1, part.size(), stdin) < part.size()) exitByHand({FAIL, "frame ends early"});
        Ended how = answer(parts);
        static const char *const verbs[] = {"ok", "wrong", "fail"};
        if (!writeAll(wire, verbs[how.verdict] + (" " + text(how.message.size())) + "\n" + how.message)) return;
    }
}

inline Ended wrongParts(const char *what, const std::vector<std::string> &parts) {
    return {FAIL, Format("%s, got %d", what, parts.size())};
}

}  // namespace own

// A case that a checker judges.
struct Test {
    std::string Name;  // such as "edge/corner-0-0"; empty when run by hand
    Reader In;         // the input
    Reader Out;        // output of the contestant's program
    Reader Ans;        // output of the reference solution

    // Ends the case with a verdict and a message. It does not return.
    template <class... Values>
    [[noreturn]] void Quit(Verdict v, const std::string &message = "", const Values &...values) {
        own::quit(v, message, values...);
    }
};

// The main function of a checker. It calls f(test) once for each case, in judging order. F must
// end with Quit. If f cannot read from Out, the case ends with WA. So it does if f quits with
// OK and Out has more than white space left: a checker that allows more output reads it with
// Rest. If f cannot read from In or Ans, the case ends with FAIL, which blames the setter.
//
// Print nothing before Check, because the frames are on standard output. Check redirects what f
// prints to standard error.
template <class F>
void Check(int argc, char **argv, F f) {
    own::Arguments args(argv, argv + argc);
    auto check = [&](std::string name, std::string in, std::string out, std::string ans) {
        Test t{std::move(name), {std::move(in), "input", FAIL}, {std::move(out), "output", WA}, {std::move(ans), "answer", FAIL}};
        own::Ended how;
        if (!own::caught([&] { f(t); }, &how)) how = {FAIL, "the checker returned without calling Quit"};
        if (how.verdict == OK && !t.Out.AtEOF())
            own::caught([&] { t.Out.Refuse("extra output: want the end of the file, got %s", t.Out.next()); }, &how);
        return how;
    };
    if (own::streaming())
        return own::serve("checker", [&](std::vector<std::string> &p) {
            if (p.size() != 4) return own::wrongParts("a check has 4 parts", p);
            return check(std::move(p[0]), std::move(p[1]), std::move(p[2]), std::move(p[3]));
        });
    std::string in, out, ans, why;
    if (own::forKattis(args)) {
        if (args.size() < 5) own::exitForKattis("", {FAIL, "usage: " + args[0] + " --kattis <input file> <answer file> <feedback directory> < <output file>"});
        if (!own::readFile(args[2], &in, &why) || !own::readFile(args[3], &ans, &why)) own::exitForKattis(args[4], {FAIL, why});
        own::readAll(stdin, &out);
        own::exitForKattis(args[4], check("", in, out, ans));
    }
    if (args.size() != 4) own::exitByHand({FAIL, "usage: " + args[0] + " <input file> <output file> <answer file>"});
    if (!own::readFile(args[1], &in, &why) || !own::readFile(args[2], &out, &why) || !own::readFile(args[3], &ans, &why)) own::exitByHand({FAIL, why});
    own::exitByHand(check("", in, out, ans));
}

// The main function of a validator. It calls f(reader) for each input. F reads the input with
// the strict methods of Reader, to the last byte. An input is not valid if f cannot read it, or
// rejects it with Refuse.
template <class F>
void Validate(int argc, char **argv, F f) {
    auto validate = [&](std::string data) {
        Reader in(std::move(data), "input", WA, true);
        own::Ended how{OK, ""};
        own::caught([&] { f(in); in.End(); }, &how);
        return how;
    };
    if (own::streaming())
        return own::serve("validator", [&](std::vector<std::string> &p) {
            return p.size() == 2 ? validate(std::move(p[1])) : own::wrongParts("a validation has 2 parts", p);
        });
    std::string data;
    own::readAll(stdin, &data);
    own::Ended how = validate(data);
    if (own::forKattis({argv, argv + argc})) own::exitForKattis("", how);
    if (how.verdict == WA) how.verdict = FAIL;  // testlib's validators exit with 3
    own::exitByHand(how);
}

namespace own {

// SHA-256. Its constants are the first fractional bits of roots of primes.
inline std::string sha256(std::string data) {
    auto bits = [](double root) { return std::uint32_t((root - std::floor(root)) * 4294967296.0); };
    auto rotated = [](std::uint32_t x, int n) { return x >> n | x << (32 - n); };
    std::uint32_t h[8], k[64];
    for (int p = 2, found = 0; found < 64; p++) {
        bool prime = true;
        for (int d = 2; d * d <= p; d++) prime = prime && p % d;
        if (!prime) continue;
        if (found < 8) h[found] = bits(std::sqrt(double(p)));
        k[found++] = bits(std::cbrt(double(p)));
    }
    std::uint64_t size = 8 * std::uint64_t(data.size());
    data += '\x80';
    while (data.size() % 64 != 56) data += '\0';
    for (int i = 56; i >= 0; i -= 8) data += char(size >> i);
    for (std::size_t at = 0; at < data.size(); at += 64) {
        std::uint32_t w[64], v[8];
        for (std::size_t i = 0; i < 64; i++) {
            if (i < 16) {
                w[i] = 0;
                for (std::size_t b = 0; b < 4; b++) w[i] = w[i] << 8 | (unsigned char)data[at + 4 * i + b];
                continue;
            }
            std::uint32_t a = w[i - 15], b = w[i - 2];
            w[i] = w[i - 16] + (rotated(a, 7) ^ rotated(a, 18) ^ a >> 3) + w[i - 7] + (rotated(b, 17) ^ rotated(b, 19) ^ b >> 10);
        }
        std::copy(h, h + 8, v);
        for (int i = 0; i < 64; i++) {
            std::uint32_t a = v[0], e = v[4];
            std::uint32_t x = v[7] + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + ((e & v[5]) ^ (~e & v[6])) + k[i] + w[i];
            std::uint32_t y = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
            std::copy_backward(v, v + 7, v + 8);
            v[4] += x;
            v[0] = x + y;
        }
        for (int i = 0; i < 8; i++) h[i] += v[i];
    }
    std::string digits;
    for (std::uint32_t n : h) digits += Conversion{"%08", 'x'}.of(n);
    return digits;
}

inline bool isSeed(const std::string &text) {
    return text.size() == 32 && text.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos;
}

__extension__ typedef unsigned __int128 uint128;

// Numbers the values of a range, beginning with the plainest: from the lower end, or 0, 1, -1,
// 2, ... if the range has numbers on both sides of 0. Ranked is its inverse.
inline std::uint64_t rankOf(std::int64_t v, std::int64_t lo, std::int64_t hi) {
    std::uint64_t n = std::uint64_t(v), down = 0 - std::uint64_t(lo), up = std::uint64_t(hi);
    if (lo >= 0 || hi <= 0) return n + down;
    std::uint64_t both = std::min(down, up), size = v > 0 ? n : 0 - n;
    if (size > both) return both + size;
    return v > 0 ? 2 * size - 1 : 2 * size;
}

inline std::int64_t ranked(std::uint64_t c, std::int64_t lo, std::int64_t hi) {
    std::uint64_t down = 0 - std::uint64_t(lo), up = std::uint64_t(hi);
    if (lo >= 0 || hi <= 0) return std::int64_t(c - down);
    std::uint64_t both = std::min(down, up);
    if (c > both && c - both > both) return std::int64_t(up > down ? c - both : both - c);
    return std::int64_t(c % 2 ? c / 2 + 1 : 0 - c / 2);
}

}  // namespace own

// Returns the seed of a generator line: 32 hexadecimal digits of the SHA-256 of the salt, a
// zero byte and the line.
inline std::string Seed(const std::string &salt, const std::string &line) {
    return own::sha256(salt + '\0' + line).substr(0, 32);
}

// The source of random numbers of a generator: PCG (in the DXSM variant, as math/rand/v2 of
// Go), seeded from the line.
//
// Its numbers are choices: small numbers of which 0 is the plainest. The judge may ask for the
// choices of a seed ("record" before the seed), and replay other choices ("replay 3 0 17" in
// its place): fewer and lower choices make a smaller case of the same kind.
class Rand {
public:
    explicit Rand(std::string seed) {
        if (seed.compare(0, 7, "record ") == 0) {
            taped = true;
            seed.erase(0, 7);
        } else if (seed == "replay" || seed.compare(0, 7, "replay ") == 0) {
            taped = told = true;
            for (const char *at = seed.c_str() + 6; *(at += std::strspn(at, " "));) {
                char *end;
                errno = 0;
                coming.push_back(std::strtoull(at, &end, 10));
                if (*at < '0' || *at > '9' || (*end && *end != ' ') || errno) own::quit(FAIL, "%q is not a choice", std::string(at).substr(0, 40));
                at = end;
            }
            seed = Seed("", "");
        }
        if (!own::isSeed(seed)) own::quit(FAIL, "seed %q is not 32 hexadecimal digits", seed);
        state = own::uint128(std::strtoull(seed.substr(0, 16).c_str(), nullptr, 16)) << 64 | std::strtoull(seed.substr(16).c_str(), nullptr, 16);
    }

    // Returns a number in lo..hi, each with the same probability.
    std::int64_t Between(std::int64_t lo, std::int64_t hi) {
        if (lo > hi) own::quit(FAIL, "Between(%d, %d): the range is empty", lo, hi);
        std::uint64_t span = std::uint64_t(hi) - std::uint64_t(lo);
        return own::ranked(choose(span, [&] {
            std::int64_t v = std::int64_t(span + 1 == 0 ? draw() : std::uint64_t(lo) + below(span + 1));
            return own::rankOf(v, lo, hi);
        }), lo, hi);
    }

    // Returns a number in 0..n-1.
    std::int64_t IntN(std::int64_t n) {
        if (n <= 0) own::quit(FAIL, "a random number below %d: the range is empty", n);
        return std::int64_t(choose(std::uint64_t(n) - 1, [&] { return below(std::uint64_t(n)); }));
    }

    // Returns a number from 0 to 1, excluding 1.
    double Float64() {
        const std::uint64_t fine = std::uint64_t(1) << 53;
        return double(choose(fine - 1, [&] { return draw() & (fine - 1); })) / double(fine);
    }

    // Puts a list (or a string) into a random order.
    template <class List>
    void Shuffle(List &list) {
        for (std::size_t i = list.size(); i-- > 1;) {
            // The choice is the distance to swap over, so 0 keeps the element in its position.
            std::size_t down = choose(i, [&] { return i - below(i + 1); });
            std::swap(list[i], list[i - down]);
        }
    }

    // Returns the numbers 0..n-1 in a random order.
    std::vector<int> Perm(int n) {
        std::vector<int> numbers;
        for (int i = 0; i < n; i++) numbers.push_back(i);
        Shuffle(numbers);
        return numbers;
    }

    // Returns an element of a list (or a string), each with the same probability.
    template <class List>
    typename List::value_type Pick(const List &list) {
        return list[std::size_t(IntN(std::int64_t(list.size())))];
    }
    template <class T>
    T Pick(std::initializer_list<T> list) {
        return Pick(std::vector<T>(list));
    }

    // The line of choices before a case. It is "" if the judge did not ask for it.
    std::string Told() const {
        if (!taped) return "";
        std::string line = "choices";
        for (std::uint64_t c : chosen) line += " " + std::to_string(c);
        return line + "\n";
    }

private:
    std::uint64_t draw() {
        const own::uint128 times = own::uint128(2549297995355413924) << 64 | 4865540595714422341;
        const own::uint128 plus = own::uint128(6364136223846793005) << 64 | 1442695040888963407;
        state = state * times + plus;
        std::uint64_t hi = std::uint64_t(state >> 64), lo = std::uint64_t(state);
        hi ^= hi >> 32;
        hi *= 0xDA942042E4DD58B5;
        hi ^= hi >> 48;
        return hi * (lo | 1);
    }

    // A number in 0..n-1, by Lemire's multiplication.
    std::uint64_t below(std::uint64_t n) {
        if ((n & (n - 1)) == 0) return draw() & (n - 1);
        own::uint128 product = own::uint128(draw()) * n;
        if (std::uint64_t(product) < n)
            for (std::uint64_t least = (0 - n) % n; std::uint64_t(product) < least;) product = own::uint128(draw()) * n;
        return std::uint64_t(product >> 64);
    }

    // A choice of 0..most. It is drawn unless choices are replayed.
    template <class F>
    std::uint64_t choose(std::uint64_t most, F drawn) {
        if (!taped) return drawn();
        const std::size_t mostChoices = 1 << 18;
        if (chosen.size() == mostChoices) own::quit(FAIL, "the case needs more than %d choices", mostChoices);
        std::uint64_t c = !told ? drawn() : chosen.size() < coming.size() ? std::min(coming[chosen.size()], most) : 0;
        chosen.push_back(c);
        return c;
    }

    own::uint128 state;
    bool taped = false, told = false;  // choices are recorded; choices are replayed
    std::vector<std::uint64_t> coming, chosen;
};

// A case that a generator makes.
class Gen {
public:
    std::string Kind;  // first word of the line: the kind of case to make
    kit::Rand Rand;

    Gen(const std::string &seed, const own::Arguments &args) : Rand(seed) {
        for (std::size_t i = 0; i < args.size(); i++) {
            if (args[i].compare(0, 2, "--") != 0) {
                if (Kind.empty() && words.empty())
                    Kind = args[i];
                else
                    words.push_back(args[i]);
                continue;
            }
            if (i + 1 == args.size()) Refuse("option %s has no value", args[i]);
            if (options.count(args[i])) Refuse("option %s is given twice", args[i]);
            options[args[i]] = args[i + 1];
            i++;
        }
    }

    // Ends the case with a message: the line in problem.toml is wrong.
    template <class... Values>
    [[noreturn]] void Refuse(const std::string &message, const Values &...values) {
        own::quit(FAIL, message, values...);
    }

    // Returns positional argument i, counted from 0 after Kind.
    std::string Word(std::size_t i) {
        if (i >= words.size()) Refuse("kind %q needs %d arguments, got %d", Kind, i + 1, words.size());
        asked.insert(std::to_string(i));
        return words[i];
    }

    // Returns the positional arguments, beginning with number i.
    std::vector<std::string> Words(std::size_t i) {
        std::vector<std::string> rest;
        for (; i < words.size(); i++) rest.push_back(Word(i));
        return rest;
    }

    // Returns positional argument i as an integer.
    std::int64_t Int64(std::size_t i) { return number(Word(i)); }

    // Returns the value of --name, or other if the option is not given.
    std::string Option(const std::string &name, const std::string &other = "") {
        asked.insert("--" + name);
        auto given = options.find("--" + name);
        return given == options.end() ? other : given->second;
    }

    // Returns the value of --name as an integer, or other if the option is not given.
    std::int64_t IntOption(const std::string &name, std::int64_t other = 0) {
        std::string value = Option(name);
        return value.empty() ? other : number(value);
    }

    // Adds the values to the case, with nothing between them.
    template <class... Values>
    void Print(const Values &...values) {
        own::join(out, "", values...);
    }

    // Adds the values to the case, with blanks between them and a line feed after them. The
    // elements of a vector are values, too.
    template <class... Values>
    void Println(const Values &...values) {
        own::join(out, " ", values...);
        out += '\n';
    }

    // Adds a formatted text to the case.
    template <class... Values>
    void Printf(const std::string &format, const Values &...values) {
        out += Format(format, values...);
    }

    // The generated case, if every argument was read.
    std::string Made() {
        for (std::size_t i = 0; i < words.size(); i++)
            if (!asked.count(std::to_string(i))) Refuse("kind %q does not use the argument %q", Kind, words[i]);
        std::string left;
        for (auto &option : options)
            if (!asked.count(option.first) && option.first != "--seed") left += " " + option.first;
        if (!left.empty()) Refuse("kind %q does not use the option%s", Kind, left);
        return Rand.Told() + out;
    }

private:
    // Parses decimal digits, or a form such as 1e18.
    std::int64_t number(const std::string &digits) {
        std::size_t e = digits.find('e');
        std::int64_t n = 0, zeros = 0;
        bool ok = own::integer(digits.substr(0, e), &n);
        if (ok && e != std::string::npos) {
            std::string exponent = digits.substr(e + 1);
            ok = exponent.find_first_not_of("0123456789") == std::string::npos && own::integer(exponent, &zeros) && zeros < 256;
            ok = ok && own::integer(digits.substr(0, e) + std::string(std::size_t(zeros), '0'), &n);
        }
        if (!ok) Refuse("%q is not an integer", digits);
        return n;
    }

    std::vector<std::string> words;
    std::map<std::string, std::string> options;
    std::set<std::string> asked;
    std::string out;
};

// The main function of a generator. It calls f(gen) for each case, with the words of its line
// in problem.toml as arguments. F prints the case with Print and Println. The same arguments
// and seed must always give the same case: take random numbers from gen.Rand only.
//
// An argument "--name value" is an option. The others are positional. Arguments that f does not
// read are rejected, so that a misspelt option is not silently ignored.
template <class F>
void Generate(int argc, char **argv, F f) {
    auto generate = [&](const std::string &seed, const own::Arguments &args) {
        own::Ended how{OK, ""};
        std::string made;
        own::caught([&] {
            Gen g(seed, args);
            f(g);
            made = g.Made();
        }, &how);
        if (how.verdict == OK && how.message.empty()) how.message = std::move(made);
        return how;
    };
    if (own::streaming())
        return own::serve("generator", [&](std::vector<std::string> &p) {
            if (p.empty()) return own::Ended{FAIL, "a generation has a seed, got no parts"};
            return generate(p[0], {p.begin() + 1, p.end()});
        });
    own::Arguments args(argv + 1, argv + argc);
    const char *given = std::getenv("ASSAY_SEED");
    std::string seed = given && *given ? given : own::text(args);  // any text, such as a number, or the line
    own::Ended how = generate(own::isSeed(seed) ? seed : Seed("", seed), args);
    if (how.verdict != OK) own::exitByHand(how);
    std::fflush(nullptr);
    own::writeAll(1, how.message);
}

// A case in which an interactor communicates with the contestant's program.
class Talk {
public:
    Reader In;   // the case's input, which the program does not see
    Reader Ans;  // the answer; empty if the case has none

    Talk(std::string in, std::string ans, std::string feedback) : In(std::move(in), "input", FAIL), Ans(std::move(ans), "answer", FAIL), feedback(std::move(feedback)) {}

    // Ends the case with a verdict and a message. It does not return.
    template <class... Values>
    [[noreturn]] void Quit(Verdict v, const std::string &message = "", const Values &...values) {
        own::quit(v, message, values...);
    }

    // Sends a line to the program: the values with blanks between them.
    template <class... Values>
    void Println(const Values &...values) {
        std::string line;
        own::join(line, " ", values...);
        own::writeAll(1, line + "\n");
    }

    // Sends a formatted text to the program.
    template <class... Values>
    void Printf(const std::string &format, const Values &...values) {
        own::writeAll(1, Format(format, values...));
    }

    // Waits for the program's next word. White space separates words.
    std::string Token() {
        int c = hear();
        while (c >= 0 && own::space(char(c))) c = hear();
        return until(c, "word", [](char c) { return own::space(c); });
    }

    // Waits for the program's next line, and returns it without its end.
    std::string Line() {
        return until(hear(), "line", [](char c) { return c == '\n'; });
    }

    // Waits for a decimal integer of at most 64 bits.
    std::int64_t Int64() {
        std::string word = Token();
        std::int64_t n;
        if (!own::integer(word, &n)) Quit(WA, "want an integer, got " + own::brief(word));
        return n;
    }

    // Waits for a decimal integer in lo..hi. Name is its name in messages.
    std::int64_t Int(std::int64_t lo, std::int64_t hi, const std::string &name) {
        std::int64_t n = Int64();
        if (n < lo || n > hi) Quit(WA, "%s = %d is not in %d..%d", name, n, lo, hi);
        return n;
    }

    // Waits until the program ends or closes its output, without another word. The kits of
    // other languages call it EOF, which is a macro in C++.
    void End() {
        for (int c; (c = hear()) >= 0;)
            if (!own::space(char(c))) Quit(WA, "the program printed more than expected");
    }

    // Sets the points of a case, which must then be accepted. The maximum is max_score of its
    // group.
    void Score(double points) { leave("score.txt", own::text(points)); }

    // Sets the share of the case's points, from 0 to 1. The case must then be accepted.
    void Share(double part) { leave("score_multiplier.txt", own::text(std::max(0.0, std::min(1.0, part)))); }

    // Ends a pass of a multi-pass problem. The judge then starts the program again, and the
    // interactor with this text as its In. It does not return.
    [[noreturn]] void NextPass(const std::string &input) {
        leave("nextpass.in", input);
        Quit(OK);
    }

private:
    // The program's next byte; -1 at the end of its output.
    int hear() {
        if (at == said.size()) {
            char some[1 << 16];
            ssize_t n;
            while ((n = ::read(0, some, sizeof some)) < 0 && errno == EINTR) {}
            if (n <= 0) return -1;
            said.assign(some, std::size_t(n));
            at = 0;
        }
        return (unsigned char)said[at++];
    }

    // Reads from a first byte up to one that ends it, which it consumes.
    template <class F>
    std::string until(int c, const char *what, F ends) {
        if (c < 0) Quit(WA, "want a %s, but the program has ended its output", what);
        std::string all;
        for (; c >= 0 && !ends(char(c)); c = hear()) {
            const std::size_t most = 1 << 20;
            if (all.size() == most) Quit(WA, "a %s of more than %d bytes", what, most);
            all += char(c);
        }
        return all;
    }

    // Writes a feedback file.
    void leave(const char *name, const std::string &data) {
        if (!own::writeFile(feedback + "/" + name, data)) Quit(FAIL, "leave %s: %s", name, std::strerror(errno));
    }

    std::string feedback, said;
    std::size_t at = 0;
};

// The main function of an interactor. It calls f(talk), which communicates with the
// contestant's program and must end with Quit. If f cannot read from the program, the case ends
// with WA. If it cannot read from In or Ans, the case ends with FAIL, which blames the setter.
//
// An interactor is called as an output validator of the ICPC problem package format:
// "interactor input answer feedback/". Its standard input and output are connected to the
// program. So other judges can use it, too. Each print is sent at once.
template <class F>
void Interact(int argc, char **argv, F f) {
    ::signal(SIGPIPE, SIG_IGN);  // the interactor continues after the program has ended
    own::Ended how{FAIL, "the interactor returned without calling Quit"};
    std::string in, ans, feedback;
    if (argc < 4)
        how.message = std::string("usage: ") + argv[0] + " <input file> <answer file> <feedback directory>";
    else if (own::readFile(argv[1], &in, &how.message) && own::readFile(argv[2], &ans, &how.message))
        own::caught([&] {
            Talk t(in, ans, feedback = argv[3]);
            f(t);
        }, &how);
    own::leave(how.verdict == FAIL ? "" : feedback, how.message, how.verdict == OK ? 42 : how.verdict == WA ? 43 : 3);
}

// The output for one input of a golf problem. The same input may appear several times, with
// different outputs.
struct GolfAnswer {
    std::vector<std::string> In;  // the arguments
    std::string Out;              // the printed text, or the returned value as text
};

namespace own {

// Reads the JSON of the judge's request. It is always valid.
class Json {
public:
    explicit Json(const std::string &data) : data(data) {}

    // Calls f for each key of an object, or each element of a list. Null has none.
    template <class F>
    void each(F f) {
        if (next() == 'n') return skip();
        bool object = data[at++] == '{';
        while (next() != '}' && next() != ']') {
            if (next() == ',') at++;
            std::string key = object ? word() : "";
            if (object) at += next() == ':';
            f(key);
        }
        at++;
    }

    // Reads true or false.
    bool truth() {
        bool yes = next() == 't';
        skip();
        return yes;
    }

    // Reads a string. Null is an empty one.
    std::string word() {
        std::string s;
        if (next() == 'n') {
            skip();
            return s;
        }
        for (at++; at < data.size() && data[at] != '"'; at++) {
            if (data[at] != '\\') {
                s += data[at];
                continue;
            }
            static const char names[] = "bfnrt", means[] = "\b\f\n\r\t";
            const char *name = std::strchr(names, data[++at]);
            if (data[at] == 'u')
                s += utf8();
            else
                s += name ? means[name - names] : data[at];
        }
        at++;
        return s;
    }

    // Writes a string, with unchanged bytes.
    static std::string written(const std::string &s) {
        std::string out = "\"";
        for (char c : s)
            if (c >= 0 && c < 32)
                out += Conversion{"%04", 'x'}.of(int(c)).insert(0, "\\u");
            else
                out += (c == '"' || c == '\\' ? "\\" : "") + text(c);
        return out + "\"";
    }

private:
    char next() {
        while (at < data.size() && space(data[at])) at++;
        if (at == data.size()) throw std::invalid_argument("read the request: it ends early");
        return data[at];
    }

    // Skips true, false and null.
    void skip() {
        while (at < data.size() && data[at] >= 'a' && data[at] <= 'z') at++;
    }

    // Reads the digits of \uXXXX, and its second half if there is one.
    std::string utf8() {
        auto digits = [&] {
            long r = std::strtol(data.substr(at + 1, 4).c_str(), nullptr, 16);
            at += 4;
            return r;
        };
        long r = digits();
        if (r >= 0xD800 && r < 0xDC00 && data.compare(at + 1, 2, "\\u") == 0) {
            at += 2;
            r = 0x10000 + ((r & 0x3FF) << 10) + (digits() & 0x3FF);
        }
        if (r < 0x80) return text(char(r));
        std::string s;
        int more = r < 0x800 ? 1 : r < 0x10000 ? 2 : 3;
        s += char((0xF00 >> more & 0xFF) | r >> 6 * more);
        while (more-- > 0) s += char(0x80 | (r >> 6 * more & 0x3F));
        return s;
    }

    const std::string &data;
    std::size_t at = 0;
};

inline std::string base64(const std::string &s) {
    static const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    std::uint32_t bits = 0;
    int have = 0;
    for (char c : s) {
        std::size_t six = letters.find(c);
        if (six == std::string::npos) break;
        bits = bits << 6 | std::uint32_t(six);
        if ((have += 6) >= 8) out += char(bits >> (have -= 8));
    }
    return out;
}

}  // namespace own

// The outputs of a golf submission for all inputs that were tried so far.
class Golf {
public:
    bool All = false;  // every input of the domain is in Answers
    std::vector<GolfAnswer> Answers;

    explicit Golf(const std::string &request) {
        own::Json json(request);
        json.each([&](const std::string &key) {
            if (key == "All") {
                All = json.truth();
                return;
            }
            json.each([&](const std::string &) {
                GolfAnswer a;
                json.each([&](const std::string &part) {
                    if (part == "Out")
                        a.Out = own::base64(json.word());
                    else
                        json.each([&](const std::string &) { a.In.push_back(json.word()); });
                });
                Answers.push_back(std::move(a));
            });
        });
    }

    // Reports that the output with this index is wrong.
    template <class... Values>
    void Wrong(std::size_t index, const std::string &message, const Values &...values) {
        wrong.push_back("{\"Index\":" + std::to_string(index) + ",\"Why\":" + own::Json::written(Format(message, values...)) + "}");
    }

    // Names a lenient rule that was needed to accept an output.
    template <class... Values>
    void Note(const std::string &message, const Values &...values) {
        notes.push_back(own::Json::written(Format(message, values...)));
    }

    // Adds a remark about a correct submission, such as "lost positions give 0".
    template <class... Values>
    void Say(const std::string &message, const Values &...values) {
        says.push_back(own::Json::written(Format(message, values...)));
    }

    // The report so far.
    own::Ended Report() const {
        auto list = [](const std::vector<std::string> &words) {
            std::string all;
            for (auto &w : words) all += (all.empty() ? "" : ",") + w;
            return "[" + all + "]";
        };
        return {wrong.empty() ? OK : WA, "{\"Wrong\":" + list(wrong) + ",\"Notes\":" + list(notes) + ",\"Says\":" + list(says) + "}"};
    }

private:
    std::vector<std::string> wrong, notes, says;
};

// The main function of a checker for golf. It calls f(golf) with more and more outputs, and
// finally with all. F must not keep state between calls.
template <class F>
void CheckGolf(int, char **argv, F f) {
    if (!own::streaming()) own::exitByHand({FAIL, std::string("usage: judge golf <problem> <answer> starts ") + argv[0]});
    own::serve("golf", [&](std::vector<std::string> &p) {
        if (p.size() != 1) return own::wrongParts("a request has 1 part", p);
        own::Ended how, report;
        if (own::caught([&] {
                Golf g(p[0]);
                f(g);
                report = g.Report();
            }, &how))
            return own::Ended{FAIL, how.message};
        return report;
    });
}

}  // namespace kit

#endif
