package kit

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
)

// SeedEnv is the name of the environment variable with the seed of a generator outside stream mode. The seed may
// be any text, such as a number.
const SeedEnv = "ASSAY_SEED"

// Seed returns the seed of a generator line: 32 hexadecimal digits of the SHA-256 of the salt, a zero byte and the line.
// It does not depend on other lines, so a case stays the same when lines before it are added or removed.
func Seed(salt, line string) string {
	sum := sha256.Sum256([]byte(salt + "\x00" + line))
	return hex.EncodeToString(sum[:16])
}

// A Gen is a case that a generator creates.
type Gen struct {
	Kind string // first word of the line; the kind of case to generate
	Rand *Rand  // the only source of random numbers

	words   []string // positional arguments after Kind
	options map[string]string
	asked   map[string]bool
	out     bytes.Buffer
}

// Generate is the main function of a generator. It calls f for each case, with the words of its line in
// problem.toml as arguments. Use Print, Println and Printf to print the case. The same arguments and seed must
// always give the same case.
//
// An argument "--name value" is an option. Other arguments are positional. Generate rejects arguments that f does
// not read, so a misspelled option is not silently ignored.
func Generate(f func(g *Gen)) {
	generate := func(seed string, args []string) quit { return generation(f, seed, args) }
	if streaming() {
		serve("generator", func(parts [][]byte) quit {
			if len(parts) == 0 {
				return quit{Fail, "a generation has a seed, got no parts"}
			}
			args := make([]string, len(parts)-1)
			for i := range args {
				args[i] = string(parts[i+1])
			}
			return generate(string(parts[0]), args)
		})
		return
	}
	q := generate(seedByHand(os.Getenv(SeedEnv), os.Args[1:]), os.Args[1:])
	if q.verdict != OK {
		exit(q)
	}
	if _, err := io.WriteString(os.Stdout, q.message); err != nil {
		exit(quit{Fail, err.Error()})
	}
}

// seedByHand returns the seed of a generator that is run manually. The seed is derived from the given text or, if
// that is empty, from the line.
func seedByHand(given string, args []string) string {
	if given == "" {
		given = strings.Join(args, " ")
	} else if raw, err := hex.DecodeString(given); err == nil && len(raw) == 16 {
		return given
	}
	return Seed("", given)
}

// generation generates one case from a seed or from choices (see newTape).
func generation(f func(g *Gen), seed string, args []string) quit {
	t, seed, err := newTape(seed)
	if err != nil {
		return quit{Fail, err.Error()}
	}
	g, err := newGen(seed, args, t)
	if err != nil {
		return quit{Fail, err.Error()}
	}
	q := catch(func() { f(g); g.allAsked() })
	switch {
	case q.verdict != "":
		return q
	case t != nil:
		return quit{OK, t.line() + g.out.String()}
	}
	return quit{OK, g.out.String()}
}

func newGen(seed string, args []string, t *tape) (*Gen, error) {
	raw, err := hex.DecodeString(seed)
	if err != nil || len(raw) != 16 {
		return nil, fmt.Errorf("seed %q is not 32 hexadecimal digits", seed)
	}
	g := &Gen{options: map[string]string{}, asked: map[string]bool{}}
	g.Rand = newRand(rand.NewPCG(binary.BigEndian.Uint64(raw[:8]), binary.BigEndian.Uint64(raw[8:])), t)
	for i := 0; i < len(args); i++ {
		name, isOption := strings.CutPrefix(args[i], "--")
		switch {
		case isOption && i+1 == len(args):
			return nil, fmt.Errorf("option --%s has no value", name)
		case isOption:
			if _, twice := g.options[name]; twice {
				return nil, fmt.Errorf("option --%s is given twice", name)
			}
			g.options[name] = args[i+1]
			i++
		case g.Kind == "" && len(g.words) == 0:
			g.Kind = args[i]
		default:
			g.words = append(g.words, args[i])
		}
	}
	return g, nil
}

// Refuse rejects the line in problem.toml with a message. It does not return.
func (g *Gen) Refuse(format string, args ...any) {
	panic(quit{Fail, fmt.Sprintf(format, args...)})
}

// Word returns positional argument i, counted from 0 after Kind.
func (g *Gen) Word(i int) string {
	if i >= len(g.words) {
		g.Refuse("kind %q needs %d arguments, got %d", g.Kind, i+1, len(g.words))
	}
	g.asked[strconv.Itoa(i)] = true
	return g.words[i]
}

// Words returns the positional arguments, beginning with number i.
func (g *Gen) Words(i int) []string {
	if i > len(g.words) {
		return nil
	}
	for k := i; k < len(g.words); k++ {
		g.asked[strconv.Itoa(k)] = true
	}
	return g.words[i:]
}

// Int64 returns positional argument i as an integer.
func (g *Gen) Int64(i int) int64 { return g.integer(g.Word(i)) }

// Option returns the value of the option --name. If the option is not given, it returns the default in other.
func (g *Gen) Option(name, other string) string {
	g.asked["--"+name] = true
	if v, given := g.options[name]; given {
		return v
	}
	return other
}

// IntOption returns the value of the option --name as an integer. If the option is not given, it returns the
// default in other.
func (g *Gen) IntOption(name string, other int64) int64 {
	if v := g.Option(name, ""); v != "" {
		return g.integer(v)
	}
	return other
}

// integer parses decimal digits, or a form such as 1e18.
func (g *Gen) integer(text string) int64 {
	digits, zeros, exponent := strings.Cut(text, "e")
	n, err := strconv.ParseInt(digits, 10, 64)
	if exponent && err == nil {
		var e uint64
		if e, err = strconv.ParseUint(zeros, 10, 8); err == nil {
			n, err = strconv.ParseInt(digits+strings.Repeat("0", int(e)), 10, 64)
		}
	}
	if err != nil {
		g.Refuse("%q is not an integer", text)
	}
	return n
}

// allAsked rejects arguments that the generator has not read.
func (g *Gen) allAsked() {
	for i, w := range g.words {
		if !g.asked[strconv.Itoa(i)] {
			g.Refuse("kind %q does not use the argument %q", g.Kind, w)
		}
	}
	var left []string
	for name := range g.options {
		if !g.asked["--"+name] && name != "seed" {
			left = append(left, "--"+name)
		}
	}
	if len(left) > 0 {
		slices.Sort(left)
		g.Refuse("kind %q does not use the option %s", g.Kind, strings.Join(left, " "))
	}
}

// Print appends to the case in the format of fmt.Print.
func (g *Gen) Print(args ...any) { fmt.Fprint(&g.out, args...) }

// Println appends to the case in the format of fmt.Println.
func (g *Gen) Println(args ...any) { fmt.Fprintln(&g.out, args...) }

// Printf appends to the case in the format of fmt.Printf.
func (g *Gen) Printf(format string, args ...any) { fmt.Fprintf(&g.out, format, args...) }
