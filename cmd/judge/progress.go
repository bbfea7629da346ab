package main

import (
	"fmt"

	"assay/judge/report"
)

// progress returns a function that redraws a bar on a terminal, and does nothing
// elsewhere. It is safe for concurrent use.
func (c *console) progress() func(what string, done, of int) {
	if _, is := screen(c.err); !is {
		return nil
	}
	return report.Bar(c.err)
}

// counter is progress for work of one kind.
func (c *console) counter(what string) func(done, of int) {
	draw := c.progress()
	if draw == nil {
		return nil
	}
	return func(done, of int) { draw(what, done, of) }
}

// clear removes the line of progress.
func (c *console) clear() {
	if _, is := screen(c.err); is {
		fmt.Fprint(c.err, "\r\x1b[K")
	}
}

// ticker is counter for work of which nobody knows how much it is. It redraws at
// every hundredth.
func (c *console) ticker(what string) func(done int) {
	draw := c.counter(what)
	if draw == nil {
		return nil
	}
	return func(done int) {
		if done%100 == 0 {
			draw(done, done)
		}
	}
}
