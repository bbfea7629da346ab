// Package format parses the declaration of a problem's input format. From a declaration it derives programs and
// data that problem setters otherwise write by hand:
//
//	                     +--> Check: checks every byte of an input
//	declaration --Parse--+--> Draw: random inputs, in several modes
//	(a Grammar)          +--> Propose: smaller inputs, for package shrink
//	                     +--> Coverage, Missing: what test cases and a statement omit
//	                     +--> NearMisses: inputs with one mistake each, to test a validator
//
// A declaration reads like the section "Input" of a statement. problems/README.md is its manual.
//
// Each group of files uses only the groups before it, which a test checks: the grammar (model, expr), its parser
// (lex, parse), reading inputs (tree, read), coverage (cover), writing inputs (write), drawing (draw), inputs with
// a mistake (near), and shrinking (refit, reduce). To change an input, the package reads it into a tree. It then
// writes the tree again through a source (see writer), which adapts counts to the number of counted values.
//
// The package does no input or output, and does not run solutions.
package format
