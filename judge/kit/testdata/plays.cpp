// The programs of the kit's tests, in C++. KIT_TEST_PLAY names the one to be.

#include "kit.hpp"

#include <iostream>
#include <sstream>

void checker(kit::Test &t) {
    std::cout << "another one" << std::endl;
    auto want = t.Ans.Int64(), got = t.Out.Int64();
    if (got < 0) return;
    if (got > 100) throw std::runtime_error("too large");
    if (got != want) t.Quit(kit::WA, "want %d, got %d", want, got);
    if (t.In.Rest() == "rest") t.Out.Rest();
    t.Quit(kit::OK);
}

void validator(kit::Reader &in) {
    in.Int(1, 9, "n");
    in.EOLN();
}

void generator(kit::Gen &g) { g.Println(g.Kind, g.Rand.Between(1, 1000000000)); }

void interactor(kit::Talk &t) {
    std::string what = t.In.Token();
    if (what == "double") {
        t.Println("go");
        auto n = t.Int(0, 9, "n");
        t.Printf("%d\n", 2 * n);
        std::string word = t.Token();
        if (word != t.Ans.Token()) t.Quit(kit::WA, "want another word than %s", word);
        t.End();
        t.Quit(kit::OK, "well said");
    }
    if (what == "line") {
        if (t.Line() != "a whole  line") t.Quit(kit::WA, "not that line");
        t.Share(0.5);
        t.Quit(kit::OK);
    }
    if (what == "points") {
        t.Score(12.5);
        t.Quit(kit::OK);
    }
    if (what == "again") t.NextPass("line\n");
    if (what == "panic") throw std::runtime_error("no idea");
}

// Reads Out by the words of Ans, strictly if the case is called so.
void reads(kit::Test &t) {
    kit::Reader r(t.Out.Rest(), "output", kit::WA, t.Name == "strict");
    std::string all, between;
    std::istringstream words(t.Ans.Rest());
    for (std::string word; words >> word; between = "|") {
        all += between;
        if (word == "token") all += r.Token();
        if (word == "word") all += r.Word(1, 3, "w");
        if (word == "int64") all += kit::Format("%d", r.Int64());
        if (word == "int") all += kit::Format("%d", r.Int(-5, 99, "n"));
        if (word == "space") r.Space();
        if (word == "eoln") r.EOLN();
        if (word == "eof") r.End();
        if (word == "line") all += r.Line();
        if (word == "rest") all += r.Rest();
    }
    t.Quit(kit::OK, all);
}

// Draws in every way there is.
void draws(kit::Gen &g) {
    kit::Rand &r = g.Rand;
    auto n = r.Between(1, 6);
    auto a = r.Between(-3, 9), b = r.Between(INT64_MIN, INT64_MAX), c = r.Between(-9, -2), d = r.Between(-9, 3);
    g.Println(n, a, b, c, d);
    for (int i = 0; i < n; i++) {
        auto w = r.IntN(10), x = r.IntN(1000000000000000000), y = r.IntN(INT64_MAX), z = r.IntN(64);
        g.Print(w, ",", x, ",", y, ",", z, " ");
    }
    auto p = r.Perm(int(n));
    auto f = r.Float64();
    g.Println(p, std::int64_t(f * (std::int64_t(1) << 53)), r.Pick({"x", "y", "z"}));
    for (auto &word : g.Words(0)) g.Print(word, " ");
    g.Printf("%d\n", g.IntOption("max", 7));
}

// Fails if a message is not what it should be.
void formats(kit::Test &t) {
    auto same = [&](const std::string &got, const std::string &want) {
        if (got != want) t.Quit(kit::FAIL, "got %q, want %q", got, want);
    };
    auto refused = [&](auto make) {
        try {
            make();
        } catch (const std::invalid_argument &) {
            return;
        }
        t.Quit(kit::FAIL, "a message that cannot be made is made");
    };
    same(kit::Format("100%d"), "100%d");
    same(kit::Format("%d%% of %s", 7, "x"), "7% of x");
    same(kit::Format("%d %lld %lu %u", INT64_MIN, 1, UINT64_MAX, -1), "-9223372036854775808 1 18446744073709551615 -1");
    same(kit::Format("%s %s %s %v", 1, 'c', true, 0.1), "1 c true 0.1");
    same(kit::Format("%5d|%-5d|%05d|%+d", 42, 42, 42, 42), "   42|42   |00042|+42");
    same(kit::Format("%x %X %o %c", 255, 255, 8, 65), "ff FF 10 A");
    same(kit::Format("%.3f %g %8.2f", 2.0 / 3, 1e300, 1), "0.667 1e+300     1.00");
    same(kit::Format("%q %q %5s|", "a\nb", std::string("\"\0", 2), "ab"), "\"a\\nb\" \"\\\"\\x00\"    ab|");
    same(kit::Format("%s", std::vector<int>{1, 2, 3}), "1 2 3");
    same(kit::Format("%s", 1.0 / 3), "0.3333333333333333");
    refused([] { kit::Format("%d", 1, 2); });
    refused([] { kit::Format("%d %d", 1); });
    refused([] { kit::Format("%x", "text"); });
    t.Quit(kit::OK);
}

void golf(kit::Golf &g) {
    for (std::size_t k = 0; k < g.Answers.size(); k++) {
        auto want = std::max(std::stoi(g.Answers[k].In[0]), std::stoi(g.Answers[k].In[1]));
        if (kit::Format("%d\n", want) != g.Answers[k].Out) g.Wrong(k, "want %d", want);
    }
    g.Note("a note");
    g.Say("all: %s", g.All);
}

int main(int argc, char **argv) {
    std::string play = std::getenv("KIT_TEST_PLAY");
    if (play == "checker" && !std::getenv("ASSAY_KIT_STREAM")) std::cout << "a setter's print" << std::endl;
    if (play == "checker") kit::Check(argc, argv, checker);
    if (play == "validator") kit::Validate(argc, argv, validator);
    if (play == "generator") kit::Generate(argc, argv, generator);
    if (play == "interactor") kit::Interact(argc, argv, interactor);
    if (play == "reads") kit::Check(argc, argv, reads);
    if (play == "formats") kit::Check(argc, argv, formats);
    if (play == "draws") kit::Generate(argc, argv, draws);
    if (play == "golf") kit::CheckGolf(argc, argv, golf);
}
