// Command validator says whether an input of sylver keeps the statement's
// constraints to the byte. It does not say what the answer is.
package main

import (
	"fmt"

	"assay/judge/kit"
)

const (
	maxCount  = 20
	maxNumber = 1e18

	// From three numbers on a solution needs a table; these bound its size.
	maxSmallest = 1e6
	maxEffort   = 4e6 // count times smallest number
)

func main() {
	kit.Validate(func(in *kit.Reader) {
		count := in.Int(0, maxCount, "k")
		var smallest int64 = maxNumber
		for i := range count {
			in.Space()
			smallest = min(smallest, in.Int(1, maxNumber, fmt.Sprintf("n%d", i+1)))
		}
		if count >= 3 && smallest > maxSmallest {
			in.Refuse("the smallest of %d numbers is %d; from three numbers on it is at most %d", count, smallest, int64(maxSmallest))
		}
		if count >= 3 && count*smallest > maxEffort {
			in.Refuse("k m = %d * %d is above %d", count, smallest, int64(maxEffort))
		}
		in.EOLN()
		in.Int(0, maxNumber, "x")
		in.EOLN()
	})
}
