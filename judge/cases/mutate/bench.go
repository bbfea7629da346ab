package mutate

// bench holds a worker for each program that contains mutants of a source. It must be used by one goroutine at a
// time.
type bench struct {
	workers []*worker
	batch   map[int]int // maps mutants to indices of the programs that contain them
}

func (b *bench) of(m *Mutant) *worker { return b.workers[b.batch[m.ID]] }

// set sets the input of a case.
func (b *bench) set(slot uint32, input []byte) {
	for _, w := range b.workers {
		w.set(slot, input)
	}
}

// load runs the original program on a case.
func (b *bench) load(slot uint32) (*trace, error) { return b.workers[0].load(slot) }

// hunt runs a mutant on cases until a result differs from the original program's, and returns that case's index in
// slots. If none differs, it returns len(slots).
func (b *bench) hunt(m *Mutant, slots []uint32) (at int, r run, err error) {
	return b.of(m).hunt(m, slots)
}

// all runs several mutants on one case.
func (b *bench) all(ms []*Mutant, slot uint32) ([]run, error) {
	places := map[*worker][]int{}
	for i, m := range ms {
		places[b.of(m)] = append(places[b.of(m)], i)
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
		ran, err := w.all(some, slot)
		if err != nil {
			return nil, err
		}
		for k, i := range places[w] {
			runs[i] = ran[k]
		}
	}
	return runs, nil
}

func (b *bench) close() {
	for _, w := range b.workers {
		w.close()
	}
}
