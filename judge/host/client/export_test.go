package client

import (
	"net/http"
	"time"
)

// Hasten sets for how long the client waits for the beginning of an answer.
func (c *Client) Hasten(d time.Duration) {
	c.http.Transport.(*http.Transport).ResponseHeaderTimeout = d
}

// Uploads is how many blobs are sent at once.
const Uploads = uploads
