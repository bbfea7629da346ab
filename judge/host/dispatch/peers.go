package dispatch

import "assay/judge/host/queue"

// tellPeers sends news to the other servers. They find out by themselves what does not arrive.
func (d *Dispatcher) tellPeers(n queue.News) {
	if d.queue == nil { // before Use
		return
	}
	if err := d.queue.Tell(n); err != nil {
		d.o.Log.Debug("tell the other servers", "error", err)
	}
}

// hearPeers takes in the news of another server.
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
