package sandbox

import "os"

// Channel is a socket between the judge and a process that it holds, over which
// files can be given, and a page of memory that both can see.
type Channel struct {
	ours, theirs *os.File
	memory       *os.File
	page         []byte
}

// Theirs is the process's end of the socket: its standard input or output.
func (c *Channel) Theirs() *os.File { return c.theirs }

// Memory is the file of the shared page, to be given with Send.
func (c *Channel) Memory() *os.File { return c.memory }

// Page is the shared page.
func (c *Channel) Page() []byte { return c.page }

// Read reads what the process sent.
func (c *Channel) Read(p []byte) (int, error) { return c.ours.Read(p) }

// Close ends the channel; the page must not be touched any more. It may be called
// while another goroutine reads, which then gets an error.
func (c *Channel) Close() {
	c.ours.Close()
	c.theirs.Close()
	c.memory.Close()
}
