package main

import (
	"fmt"
	"sync"
	"time"

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

// follow redraws a line on a terminal while do runs.
func (c *console) follow(line func() string, do func()) {
	if _, is := screen(c.err); !is {
		do()
		return
	}
	var drawing sync.WaitGroup
	over := make(chan struct{})
	drawing.Go(func() {
		tick := time.NewTicker(200 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				fmt.Fprint(c.err, "\r"+line()+"\x1b[K")
			case <-over:
				return
			}
		}
	})
	do()
	close(over)
	drawing.Wait()
	c.clear()
}
