package dispatch

import "assay/judge/host/queue"

// tellPeers sends news to the other servers. If a message gets lost, these servers read the change from the
// database later.
func (d *Dispatcher) tellPeers(n queue.News) {
	if d.queue == nil { // before Use
		return
	}
	if err := d.queue.Tell(n); err != nil {
		d.o.Log.Debug("tell the other servers", "error", err)
	}
}

// hearPeers handles news from another server.
func (d *Dispatcher) hearPeers(n queue.News) {
	if n.Jobs {
		d.wakeHere()
	}
	if n.Ended != "" {
		d.live.end(n.Ended)
		d.wakeHere() // a worker is free
	}
	if n.Workers && d.o.Workers != nil {
		d.o.Workers()
	}
}
