// Package jvm finds the class in which a program for the Java virtual machine starts. Types reads the types that a
// Java source declares, ReadClass reads a class file, and Start chooses the class.
//
// The package does not compile or validate programs. If a text is not Java, or if no virtual machine would load a
// class, it returns whatever it finds.
package jvm

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// MainClass returns the name of the class that starts the program, in the form that the virtual machine expects. It
// returns the empty string if no class has a main method. If several classes have one, these criteria decide, in
// this order:
//   - classes from the entry file of a directory, if entry is not empty;
//   - the public class of the top level;
//   - the class Main;
//   - the order of declaration, outer classes before inner ones.
func MainClass(classes []*Class, declared []Type, entry string) string {
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
		if !hasMain(c, byName, len(classes)) {
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

// hasMain reports whether a class declares or inherits a main method. It follows at most the given number of
// classes, because a damaged class may extend itself.
func hasMain(c *Class, byName map[string]*Class, depth int) bool {
	for range depth {
		if c == nil || c.Main {
			return c != nil
		}
		c = byName[c.Super]
	}
	return false
}
