// Package jvm finds where a program for the Java virtual machine starts. Types reads which
// types a source in Java declares, ReadClass what a class file says of its class, and Start
// chooses the class that the machine is to start, by the rule that stands there.
//
// It does not compile, and it does not check: of a text that is no Java, or of a class that
// no machine would load, it says what it can, or that it cannot.
package jvm

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// Start is the name, as the machine wants it, of the class that starts the program; "" where
// none has a main. Where several have one, of a directory those that come from the entry file
// go first, if it is named ("" else). Then the public class of the top level goes first, then
// the class Main, then what the sources declare first, outer classes before inner ones.
func Start(classes []*Class, declared []Type, entry string) string {
	byName := map[string]*Class{}
	for _, c := range classes {
		byName[c.Name] = c
	}
	order := map[string]int{}
	for i, t := range slices.Backward(declared) {
		order[t.Name] = i - len(declared)
	}
	best := ""
	var rank []int
	for i, c := range classes {
		if !starts(c, byName, len(classes)) {
			continue
		}
		simple := path.Base(c.Name)
		r := []int{no(c.Source == path.Base(entry)), no(c.Public && !c.Inner), no(simple == "Main"), no(!c.Inner), order[simple], i}
		if best == "" || slices.CompareFunc(r, rank, cmp.Compare[int]) < 0 {
			best, rank = strings.ReplaceAll(c.Name, "/", "."), r
		}
	}
	return best
}

func no(yes bool) int {
	if yes {
		return 0
	}
	return 1
}

// starts says whether a class has a main, of its own or of a class that it extends. A
// damaged one may extend itself.
func starts(c *Class, byName map[string]*Class, most int) bool {
	for range most {
		if c == nil || c.Main {
			return c != nil
		}
		c = byName[c.Super]
	}
	return false
}
