package mutate

import (
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// handmade lists mistakes that programmers make. Each row contains code from testdata/handmade.txtar and its
// incorrect replacement, separated by "=>", in Go, and also in C++ and Python if their code differs. The list was
// written before checking which of these mistakes the judge generates.
var handmade = [][3]string{
	{"b != 0 {=>b > 0 {", "b != 0)=>b > 0)", "b != 0:=>b > 0:"},
	{"a%b=>a/b", "a % b=>a / b", "a % b=>a // b"},
	{"return a\n=>return b\n", "return a;=>return b;", ""},
	{"can[0] = true=>can[0] = false", "", "can[0] = True=>can[0] = False"},
	{"s := 1;=>s := 0;", "s = 1;=>s = 0;", "range(1, target=>range(0, target"},
	{"s <= target=>s < target", "", "target + 1):=>target):"},
	{"c <= s=>c < s", "", ""},
	{"c <= s && =>c <= s || ", "", "c <= s and =>c <= s or "},
	{"can[s-c]=>can[s]", "can[s - c]=>can[s]", "can[s - c]=>can[s]"},
	{"can[s-c]=>can[s+c]", "can[s - c]=>can[s + c]", "can[s - c]=>can[s + c]"},
	{"return can[target]=>return can[target-1]", "return can[target]=>return can[target - 1]", "return can[target]=>return can[target - 1]"},
	{
		"hi := 0, len(values)=>hi := 0, len(values)-1", "hi = values.size()=>hi = values.size() - 1",
		"hi = 0, len(values)=>hi = 0, len(values) - 1",
	},
	{"lo < hi=>lo <= hi", "", ""},
	{"(lo + hi) / 2=>lo + hi/2", "(lo + hi) / 2=>lo + hi / 2", "(lo + hi) // 2=>lo + hi // 2"},
	{"values[mid] < x=>values[mid] <= x", "", ""},
	{"lo = mid + 1=>lo = mid", "", ""},
	{"hi = mid\n=>hi = mid - 1\n", "hi = mid;=>hi = mid - 1;", ""},
	{"return lo=>return hi", "", ""},
	{"most := values[0]=>most := 0", "most = values[0]=>most = 0", "most = values[0]=>most = 0"},
	{"max(sum+=>min(sum+", "max(sum +=>min(sum +", "max(sum +=>min(sum +"},
	{"sum+values[i]=>sum", "sum + values[i]=>sum", "sum + values[i]=>sum"},
	{"sum > most=>sum < most", "", ""},
	{"sum := 0=>sum := 1", "sum = 0=>sum = 1", "sum = 0=>sum = 1"},
	{"i := 0;=>i := 1;", "i = 0; i < values=>i = 1; i < values", "range(len(values))=>range(1, len(values))"},
	{"i < len=>i <= len", "i < values=>i <= values", "range(len(values))=>range(len(values) - 1)"},
	{"return most=>return sum", "", ""},
	{"x == 0 || y=>x == 0 && y", "", "x == 0 or y=>x == 0 and y"},
	{"|| y == 0 {\n\t\t\t\tw=>|| y == 1 {\n\t\t\t\tw", "|| y == 0)=>|| y == 1)", "or y == 0:=>or y == 1:"},
	{"ways[y][x] = 1=>ways[y][x] = 0", "", ""},
	{"ways[y-1][x]=>ways[y][x]", "ways[y - 1][x]=>ways[y][x]", "ways[y - 1][x]=>ways[y][x]"},
	{"[x] + ways=>[x] - ways", "", ""},
	{
		"(ways[y-1][x] + ways[y][x-1]) % mod=>(ways[y-1][x] + ways[y][x-1])",
		"(ways[y - 1][x] + ways[y][x - 1]) % mod=>(ways[y - 1][x] + ways[y][x - 1])",
		"(ways[y - 1][x] + ways[y][x - 1]) % mod=>(ways[y - 1][x] + ways[y][x - 1])",
	},
	{"ways[y][x-1]=>ways[y][x+1]", "ways[y][x - 1]=>ways[y][x + 1]", "ways[y][x - 1]=>ways[y][x + 1]"},
	{"ways[h-1][w-1]=>ways[h-1][h-1]", "ways[h - 1][w - 1]=>ways[h - 1][h - 1]", "ways[h - 1][w - 1]=>ways[h - 1][h - 1]"},
	{"y%4 == 0=>y%4 != 0", "y % 4 == 0=>y % 4 != 0", "y % 4 == 0=>y % 4 != 0"},
	{"y%4 == 0 && y%100 != 0 =>y%4 == 0 ", "y % 4 == 0 && y % 100 != 0 =>y % 4 == 0 ", "y % 4 == 0 and y % 100 != 0 =>y % 4 == 0 "},
	{"y%400 == 0=>y%40 == 0", "y % 400 == 0=>y % 40 == 0", "y % 400 == 0=>y % 40 == 0"},
	{"return 366=>return 365", "", ""},
	{"paths(w, h), days=>paths(h, w), days", "paths(w, h) <<=>paths(h, w) <<", "paths(w, h), days=>paths(h, w), days"},
	{"1000000007=>1000000006", "", ""},
	{"total += =>total = ", "", ""},
	{"\t\t\t\tcontinue\n=>\t\t\t\t\n", "                continue;=>                ;", "                continue=>                pass"},
}

// TestHandmadeMutations checks that at least as many of these mistakes are generated as mutants for the C++ and Python
// programs as for the same program in Go.
func TestHandmadeMutations(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/handmade.txtar")
	if err != nil {
		t.Fatal(err)
	}
	text := map[string]string{}
	for _, f := range archive.Files {
		text[f.Name] = string(f.Data)
	}
	dir := t.TempDir()
	write(t, dir+"/main.go", []byte(text["main.go"]))
	write(t, dir+"/go.mod", []byte("module program\n\ngo 1.26\n"))
	source, err := Read(dir, tools(t))
	if err != nil {
		t.Fatal(err)
	}
	mutants := map[string][]*Mutant{
		"main.go": source.Mutants, "main.cpp": family(t, "cpp").mutants(
			"main.cpp", text["main.cpp"],
		), "main.py": family(t, "python3").mutants("main.py", text["main.py"]),
	}
	made := map[string]int{}
	for i, file := range []string{"main.go", "main.cpp", "main.py"} {
		programs := map[string]bool{}
		for _, m := range mutants[file] {
			programs[squeezed(text[file][:m.start]+m.After+text[file][m.end:])] = true
		}
		for _, mutation := range handmade {
			if mutation[i] == "" {
				mutation[i] = mutation[0]
			}
			before, after, _ := strings.Cut(mutation[i], "=>")
			if strings.Count(text[file], before) != 1 {
				t.Errorf("%s: %q stands there %d times", file, before, strings.Count(text[file], before))
			}
			if programs[squeezed(strings.Replace(text[file], before, after, 1))] {
				made[file]++
			} else {
				t.Logf("%s: not made: %s", file, strings.ReplaceAll(mutation[i], "\n", " "))
			}
		}
	}
	t.Logf("of %d mutations: %v", len(handmade), made)
	if made["main.cpp"] < made["main.go"] || made["main.py"] < made["main.go"] || made["main.go"] < len(handmade)*3/4 {
		t.Errorf("of %d mutations are made %v", len(handmade), made)
	}
}

// squeezed removes spaces and brackets that have no meaning in these programs.
func squeezed(program string) string {
	program = strings.NewReplacer(" ", "", "\t", "").Replace(program)
	return regexp.MustCompile(`([\[,]|range\()\(((?:[^()]|\([^()]*\))*)\)([+-]1[\]),])`).ReplaceAllString(program, "$1$2$3")
}
