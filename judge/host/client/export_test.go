package client

import (
	"net/http"
	"time"
)

// Hasten sets how long the client waits for the response headers.
func (c *Client) Hasten(d time.Duration) {
	c.http.Transport.(*http.Transport).ResponseHeaderTimeout = d
}

// Uploads is the number of blobs that are sent at once.
const Uploads = maxUploads
