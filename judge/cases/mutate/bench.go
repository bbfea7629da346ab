package mutate

// workerSet holds a worker for each program that contains mutants of a source. It must be used by one goroutine at a
// time.
type workerSet struct {
	workers []*worker
	batch   map[int]int // maps mutants to indices of the programs that contain them
}

func (b *workerSet) workerFor(m *Mutant) *worker { return b.workers[b.batch[m.ID]] }

// set sets the input of a case.
func (b *workerSet) set(slot uint32, input []byte) {
	for _, w := range b.workers {
		w.set(slot, input)
	}
}

// load runs the original program on a case.
func (b *workerSet) load(slot uint32) (*trace, error) { return b.workers[0].load(slot) }

// findKill runs a mutant on cases until a result differs from the original program's, and returns that case's index in
// slots. If none differs, it returns len(slots).
func (b *workerSet) findKill(m *Mutant, slots []uint32) (slotIndex int, r run, err error) {
	return b.workerFor(m).findKill(m, slots)
}

// runAll runs several mutants on one case.
func (b *workerSet) runAll(ms []*Mutant, slot uint32) ([]run, error) {
	places := map[*worker][]int{}
	for i, m := range ms {
		places[b.workerFor(m)] = append(places[b.workerFor(m)], i)
	}
	runs := make([]run, len(ms))
	for _, w := range b.workers {
		var some []*Mutant
		for _, i := range places[w] {
			some = append(some, ms[i])
		}
		if len(some) == 0 {
			continue
		}
		ran, err := w.runAll(some, slot)
		if err != nil {
			return nil, err
		}
		for k, i := range places[w] {
			runs[i] = ran[k]
		}
	}
	return runs, nil
}

func (b *workerSet) close() {
	for _, w := range b.workers {
		w.close()
	}
}
