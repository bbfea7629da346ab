package ctd

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// run is the comparison of a text with a script.
type run struct {
	program *Program
	ctx     context.Context
	text    []byte
	at      int
	lenient bool

	vars          []variable
	patterns      map[string]*pattern
	current       *command // the current command
	uniqueFailure string   // uniqueFailure the last UNIQUE was false

	steps     int // number of commands run
	idle      int // number of commands run since the position in the text changed
	idleSince int // position in the text when idle was reset
}

// variable contains a plain value, values by index, or both.
type variable struct {
	plain  value
	single map[int64]value  // values by a single index that fits in an int64
	other  map[string]value // values by other indexes
	count  map[string]int   // number of values for each key; nil until the first INARRAY
}

// mistake is an error in the text or the script, without its position.
type mistake struct{ text string }

func (m *mistake) Error() string { return m.text }

func mistakef(format string, args ...any) error { return &mistake{fmt.Sprintf(format, args...)} }

// maxIdle is the maximum number of commands that may run without reading anything.
const maxIdle = 1 << 26

func (r *run) checkAll() (*Mismatch, error) {
	if r.lenient {
		r.skipBlanks()
	}
	err := r.block(r.program.commands)
	if err == nil {
		return nil, nil
	}
	if m, ok := errors.AsType[*mistake](err); ok {
		return r.mismatch(m.text), nil
	}
	return nil, err
}

// mismatch returns a Mismatch at the current position in the text.
func (r *run) mismatch(text string) *Mismatch {
	at := min(r.at, len(r.text))
	before := string(r.text[:at])
	return &Mismatch{
		Line:       1 + strings.Count(before, "\n"),
		Column:     at - strings.LastIndexByte(before, '\n'),
		Text:       text,
		ScriptLine: r.current.line,
		Command:    r.current.source,
	}
}

func (r *run) block(commands []command) error {
	for i := range commands {
		if err := r.command(&commands[i]); err != nil {
			return err
		}
	}
	return nil
}

// tick counts a step and makes sure that every script ends.
func (r *run) tick() error {
	if r.at != r.idleSince {
		r.idleSince, r.idle = r.at, 0
	}
	if r.idle++; r.idle > maxIdle {
		return mistakef("the script loops without reading anything")
	}
	if r.steps++; r.steps&0xfff == 0 {
		return r.ctx.Err()
	}
	return nil
}

func (r *run) command(c *command) error {
	r.current = c
	if err := r.tick(); err != nil {
		return err
	}
	switch c.op {
	case "IF":
		return r.branch(c)
	case "REP", "REPI", "WHILE", "WHILEI":
		return r.loop(c)
	case "ASSERT":
		return r.assert(c)
	case "SET":
		for i, to := range c.sets {
			v, err := r.eval(c.args[i])
			if err != nil {
				return err
			}
			if err := r.set(to, v); err != nil {
				return err
			}
		}
		return nil
	case "UNSET":
		for _, n := range c.sets {
			r.vars[n.slot] = variable{}
		}
		return nil
	}
	v, err := r.read(c)
	if err != nil || c.to == nil {
		return err
	}
	return r.set(c.to, v)
}

func (r *run) branch(c *command) error {
	yes, err := r.test(c.args[0])
	switch {
	case err != nil:
		return err
	case yes:
		return r.block(c.body)
	}
	return r.block(c.elseBody)
}

func (r *run) assert(c *command) error {
	r.uniqueFailure = ""
	yes, err := r.test(c.args[0])
	switch {
	case err != nil || yes:
		return err
	case r.uniqueFailure != "":
		return mistakef("%s", r.uniqueFailure)
	}
	return mistakef("it does not hold%s", r.values(c.args[0]))
}

// values lists the variables in a failed test with their values, for a message. It lists at most four of them.
func (r *run) values(n *node) string {
	var all []string
	seen := map[string]bool{}
	var visit func(n *node)
	visit = func(n *node) {
		if n.op == "var" {
			if v, err := r.get(n); err == nil && len(all) < 4 {
				text := fmt.Sprintf("%s is %s", r.name(n), v)
				if !seen[text] {
					all = append(all, text)
				}
				seen[text] = true
			}
			return
		}
		for _, kid := range n.kids {
			visit(kid)
		}
	}
	visit(n)
	if len(all) == 0 {
		return ""
	}
	return ": " + strings.Join(all, ", ")
}

func (r *run) loop(c *command) error {
	times := int64(-1)
	if c.op == "REP" || c.op == "REPI" {
		v, err := r.eval(c.args[0])
		if err != nil {
			return err
		}
		if !v.fitsInt64() || v.n < 0 {
			return mistakef("cannot repeat %s times", v)
		}
		times = v.n
	}
	for i := int64(0); ; i++ {
		r.current = c
		if c.to != nil {
			if err := r.set(c.to, intValue(i)); err != nil {
				return err
			}
		}
		if times >= 0 && i == times {
			return nil
		}
		if times < 0 {
			if yes, err := r.test(c.args[0]); err != nil || !yes {
				return err
			}
		}
		if err := r.tick(); err != nil {
			return err
		}
		if i > 0 && c.between != nil {
			if err := r.command(c.between); err != nil {
				return err
			}
		}
		if err := r.block(c.body); err != nil {
			return err
		}
	}
}

// index evaluates the indexes of a variable. If there is only one index and it fits in an int64, it returns this
// index and an empty key. Otherwise it returns a key for all indexes.
func (r *run) index(n *node) (single int64, key string, err error) {
	var keys []string
	for i, kid := range n.kids {
		v, err := r.eval(kid)
		if err != nil {
			return 0, "", err
		}
		if v.kind != isInt {
			return 0, "", mistakef("the index %s of %s is not a whole number", v, r.program.names[n.slot])
		}
		if i == 0 && len(n.kids) == 1 && v.fitsInt64() {
			return v.n, "", nil
		}
		keys = append(keys, v.key())
	}
	return 0, strings.Join(keys, ","), nil
}

func (r *run) get(n *node) (value, error) {
	v := &r.vars[n.slot]
	got := v.plain
	if len(n.kids) > 0 {
		single, key, err := r.index(n)
		if err != nil {
			return value{}, err
		}
		if key == "" {
			got = v.single[single]
		} else {
			got = v.other[key]
		}
	}
	if got.kind == unset {
		return value{}, mistakef("variable %s has no value", r.name(n))
	}
	return got, nil
}

func (r *run) set(n *node, to value) error {
	v := &r.vars[n.slot]
	var old value
	if len(n.kids) == 0 {
		old, v.plain = v.plain, to
	} else {
		single, key, err := r.index(n)
		if err != nil {
			return err
		}
		if key == "" {
			if v.single == nil {
				v.single = map[int64]value{}
			}
			old, v.single[single] = v.single[single], to
		} else {
			if v.other == nil {
				v.other = map[string]value{}
			}
			old, v.other[key] = v.other[key], to
		}
	}
	if v.count != nil {
		if old.kind != unset {
			v.count[old.key()]--
		}
		v.count[to.key()]++
	}
	return nil
}

// name formats a variable with its indexes, for a message.
func (r *run) name(n *node) string {
	name := r.program.names[n.slot]
	if len(n.kids) == 0 {
		return name
	}
	single, key, err := r.index(n)
	switch {
	case err != nil:
		key = "?"
	case key == "":
		key = strconv.FormatInt(single, 10)
	}
	return name + "[" + key + "]"
}

// each calls f for every value of a variable, with the key of the value's index. The key of a plain value is
// empty.
func (v *variable) each(f func(key string, v value)) {
	if v.plain.kind != unset {
		f("", v.plain)
	}
	for i, x := range v.single {
		f(strconv.FormatInt(i, 10), x)
	}
	for key, x := range v.other {
		f(key, x)
	}
}

func (v *variable) size() int {
	n := len(v.single) + len(v.other)
	if v.plain.kind != unset {
		n++
	}
	return n
}

// at returns the value at the index with this key.
func (v *variable) at(key string) (value, bool) {
	if key == "" {
		return v.plain, v.plain.kind != unset
	}
	if i, err := strconv.ParseInt(key, 10, 64); err == nil {
		x, ok := v.single[i]
		return x, ok
	}
	x, ok := v.other[key]
	return x, ok
}
