package sandbox

import "os"

// A Channel connects the judge and a held process: a socket that can pass files, and a page of shared memory.
type Channel struct {
	judgeEnd, childEnd *os.File
	memory             *os.File
	page               []byte
}

// ChildEnd returns the process's end of the socket, which becomes its standard input or output.
func (c *Channel) ChildEnd() *os.File { return c.childEnd }

// Memory returns the file of the shared page, to be passed with Send.
func (c *Channel) Memory() *os.File { return c.memory }

// Page returns the shared page.
func (c *Channel) Page() []byte { return c.page }

// Read reads what the process sent.
func (c *Channel) Read(p []byte) (int, error) { return c.judgeEnd.Read(p) }

// Close closes the channel. After that, the page must not be accessed. Close may be called during a Read,
// which then returns an error.
func (c *Channel) Close() {
	c.judgeEnd.Close()
	c.childEnd.Close()
	c.memory.Close()
}
