// Package format reads the declaration of a problem's input and makes of it all that
// a setter would otherwise write by hand:
//
//	                     +--> Check: is a text an input, to its last byte
//	declaration --Parse--+--> Draw: inputs by chance, of many tastes
//	(a Grammar)          +--> Propose: smaller inputs, for package shrink
//	                     +--> Coverage, Missing: what a suite and a statement omit
//	                     +--> Near: inputs with one mistake in each, to try a validator on
//
// A declaration reads like the section "Input" of a statement; its manual, with an example
// of each shape, is problems/README.md.
//
// The files are in an order, in which each part knows only those before it (a test holds
// that): the grammar (model, expr), parsing it (lex, parse), reading inputs (tree, read),
// coverage (cover), writing inputs (write), drawing them (draw), near misses (near), and
// shrinking (refit, reduce). A text that is to be changed is read into a tree, and written
// again through a source (see writer), which makes counts fit what they count.
//
// The package does no input or output, and does not know what solutions make of an input.
package format
