//go:build !linux

package referee

import "time"

type pipes struct{ alive bool }

func serve(*Rules) { exit("the arena needs Linux") }

func (c *conn) begin() { c.comment, c.last, c.took = c.comment[:0], c.last[:0], 0 }

func (c *conn) used() time.Duration { return 0 }

func (c *conn) ask(_ int, request []byte, _ int64, _ bool) []byte {
	c.tell(request)
	return c.askLocal()
}
