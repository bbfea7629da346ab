package dispatch

import "assay/judge/host/queue"

// sendNews sends news to the other servers. If a message gets lost, these servers read the change from the
// database later.
func (d *Dispatcher) sendNews(n queue.News) {
	if d.queue == nil { // before SetQueue
		return
	}
	if err := d.queue.SendNews(n); err != nil {
		d.o.Log.Debug("tell the other servers", "error", err)
	}
}

// handleNews handles news from another server.
func (d *Dispatcher) handleNews(n queue.News) {
	if n.Jobs {
		d.wakeLocal()
	}
	if n.Ended != "" {
		d.streams.end(n.Ended)
		d.wakeLocal() // a worker is free
	}
	if n.Workers && d.o.OnWorkersChanged != nil {
		d.o.OnWorkersChanged()
	}
}
