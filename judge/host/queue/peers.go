package queue

import (
	"encoding/json"
	"fmt"

	"github.com/nats-io/nats.go"
)

// News is what a server tells the others that share a cluster, so that they need not wait until they next
// ask the database. It can get lost.
type News struct {
	Jobs    bool   `json:"jobs,omitempty"`    // there are new jobs
	Workers bool   `json:"workers,omitempty"` // a worker was admitted, or lost its right
	Ended   string `json:"ended,omitempty"`   // the id of a job whose result is in the database
}

// newsSubject is not among the Permissions of workers.
const newsSubject = "news"

// Tell sends news to the other servers. With an embedded queue there are none.
func (q *Queue) Tell(n News) error {
	if q.server != nil {
		return nil
	}
	data, err := json.Marshal(n)
	if err != nil {
		return err
	}
	return wrap("tell the other servers", q.nc.Publish(newsSubject, data))
}

// hearNews calls the listener with what other servers tell.
func (q *Queue) hearNews() error {
	_, err := q.nc.Subscribe(newsSubject, func(msg *nats.Msg) {
		var n News
		if err := json.Unmarshal(msg.Data, &n); err != nil {
			q.trouble(fmt.Errorf("another server tells %.100q: %w", msg.Data, err))
			return
		}
		tell(q, q.opts.Listen.News, n)
	})
	return wrap("listen to other servers", err)
}
