package problem

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"assay/judge/internal/pattern"
)

// maxExpansion is the maximum number of cases that one line of problem.toml can make.
const maxExpansion = 10_000

// braces matches a range such as {1..20}.
var braces = pattern.New(`\{(-?\d{1,18})\.\.(-?\d{1,18})\}`)

var tooLong = pattern.New(`\{-?\d+\.\.-?\d+\}`)

// SeedWord stands for the seed in a generator line. It is for generators that do not read the seed from the
// environment.
const SeedWord = "{seed}"

// SeedNumber returns a seed as a number below 2^31, which replaces SeedWord.
func SeedNumber(seed string) string {
	var n uint32
	fmt.Sscanf(seed[:min(len(seed), 8)], "%08x", &n)
	return fmt.Sprint(n >> 1)
}

// Expand returns the generator lines for one line of problem.toml. The form {a..b} stands for every integer from a
// to b. With several ranges, the last one varies fastest. Expand trims blanks and joins runs of blanks, so that
// the layout of problem.toml does not affect seeds.
func Expand(line string) ([]string, error) {
	line = strings.Join(strings.Fields(line), " ")
	if line == "" {
		return nil, fmt.Errorf("an empty generator line")
	}
	if i := strings.IndexFunc(line, unicode.IsControl); i >= 0 {
		return nil, fmt.Errorf("the generator line contains the control character %q", line[i:i+1])
	}
	m := braces().FindStringSubmatchIndex(line)
	if m == nil {
		if long := tooLong().FindString(line); long != "" {
			return nil, fmt.Errorf("the range %s has a number of more than 18 digits", long)
		}
		if strings.ContainsAny(strings.ReplaceAll(line, SeedWord, ""), "{}") {
			return nil, fmt.Errorf("the braces in %q are not a range such as {1..20}", line)
		}
		return []string{line}, nil
	}
	lo, err := strconv.ParseInt(line[m[2]:m[3]], 10, 64)
	if err != nil {
		return nil, err
	}
	hi, err := strconv.ParseInt(line[m[4]:m[5]], 10, 64)
	if err != nil {
		return nil, err
	}
	if lo > hi {
		return nil, fmt.Errorf("the range %s goes downwards", line[m[0]:m[1]])
	}
	if hi-lo >= maxExpansion {
		return nil, fmt.Errorf("the range %s makes more than %d cases", line[m[0]:m[1]], maxExpansion)
	}
	var all []string
	for n := lo; n <= hi; n++ {
		rest, err := Expand(line[:m[0]] + strconv.FormatInt(n, 10) + line[m[1]:])
		if err != nil {
			return nil, err
		}
		if all = append(all, rest...); len(all) > maxExpansion {
			return nil, fmt.Errorf("the line makes more than %d cases", maxExpansion)
		}
	}
	return all, nil
}

// longestName is the maximum length of a case name. Longer names are cut and get a hash.
const longestName = 80

// CaseName returns the name of the case that a generator line makes. The name does not depend on the line's
// number, so a case keeps its name when other lines are added or removed. A negative number -5 becomes neg5.
func CaseName(line string) string {
	line = strings.ReplaceAll(line, SeedWord, "seed")
	line = minus().ReplaceAllString(line, "${1}neg${2}")
	var b strings.Builder
	dash := true // no dash at the start
	exact := true
	for _, c := range line {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '.', c == '_':
			b.WriteRune(c)
			dash = false
			continue
		case c != ' ' && c != '-':
			exact = false
		}
		if !dash {
			b.WriteByte('-')
			dash = true
		}
	}
	name := strings.Trim(b.String(), "-.")
	if exact && name != "" && len(name) <= longestName {
		return name
	}
	sum := sha256.Sum256([]byte(line))
	return strings.Trim(name[:min(len(name), longestName-9)], "-.") + "-" + hex.EncodeToString(sum[:4])
}

// minus matches the beginning of a negative number that is an argument.
var minus = pattern.New(`(^| )-(\d)`)
