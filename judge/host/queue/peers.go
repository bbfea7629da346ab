package queue

import (
	"encoding/json"
	"fmt"

	"github.com/nats-io/nats.go"
)

// News is a message to the other servers of a cluster, so that these servers need not wait for their next database
// query. The message can get lost.
type News struct {
	Jobs    bool   `json:"jobs,omitempty"`    // there are new jobs
	Workers bool   `json:"workers,omitempty"` // a worker was admitted or revoked
	Ended   string `json:"ended,omitempty"`   // the id of a job whose result is in the database
}

// newsSubject is the subject of news between servers. Workers have no permission for it.
const newsSubject = "news"

// SendNews sends news to the other servers. With an embedded queue there are no others.
func (q *Queue) SendNews(n News) error {
	if q.server != nil {
		return nil
	}
	data, err := json.Marshal(n)
	if err != nil {
		return err
	}
	return wrap("tell the other servers", q.nc.Publish(newsSubject, data))
}

// subscribeNews calls the listener with the news of other servers.
func (q *Queue) subscribeNews() error {
	_, err := q.nc.Subscribe(newsSubject, func(msg *nats.Msg) {
		var n News
		if err := json.Unmarshal(msg.Data, &n); err != nil {
			q.report(fmt.Errorf("another server sent %.100q: %w", msg.Data, err))
			return
		}
		notify(q, q.opts.Listener.News, n)
	})
	return wrap("listen to other servers", err)
}
