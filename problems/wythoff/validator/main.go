// Wythoff's validator: it accepts one line with the two piles, and nothing else.
//
// It does not know the groups: that the piles of the group golf-size are at most
// 99 is the generator's business.
package main

import "assay/judge/kit"

// most is the largest pile.
const most = 1_000_000_000_000_000_000

func main() {
	kit.Validate(func(in *kit.Reader) {
		in.Int(0, most, "i")
		in.Space()
		in.Int(0, most, "j")
		in.EOLN()
	})
}
