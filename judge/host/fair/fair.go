// Package fair shares one queue between owners: start-time fair queueing. Each job gets a
// start tag when it arrives, and the waiting job with the lowest tag goes first, so that
//
//   - jobs of one owner go in the order of their arrival,
//   - owners who have something waiting get equal shares of the time, whoever came with a
//     thousand jobs, and who comes late does not get what he missed,
//   - every job's turn comes: tags only rise.
//
// A job's cost is an estimate and only decides about shares. The package keeps no queue of
// record: the server's transactions keep the numbers in SQL and take the formula from here;
// Queue is the same in memory, for tests and simulations. Not safe for several goroutines.
package fair

import (
	"cmp"
	"slices"
)

// Tags says where a job starts and where it ends in the virtual time of its lane: v is the
// start tag of the job that was given out last, last the end of its owner's job before, 0
// for none. Cost is in microseconds of processor time; less than one counts as one, so that
// the order of an owner's jobs is always told by their tags.
func Tags(v, last, cost int64) (start, finish int64) {
	start = max(v, last)
	return start, start + max(cost, 1)
}

// Job is a job of a Queue.
type Job struct {
	Owner string
	Start int64 // its start tag
	Seq   int   // its number in the order of arrival, which decides between equal tags
}

// Queue is one lane in memory. The zero value is empty.
type Queue struct {
	v       int64
	seq     int
	last    map[string]int64
	waiting []Job
}

// Add puts a job into the queue.
func (q *Queue) Add(owner string, cost int64) Job {
	if q.last == nil {
		q.last = map[string]int64{}
	}
	start, finish := Tags(q.v, q.last[owner], cost)
	j := Job{Owner: owner, Start: start, Seq: q.seq}
	q.last[owner] = finish
	q.seq++
	q.waiting = append(q.waiting, j)
	return j
}

// Next takes the job whose turn it is out of the queue; there is none where ok is false.
func (q *Queue) Next() (j Job, ok bool) {
	if len(q.waiting) == 0 {
		return Job{}, false
	}
	first := slices.MinFunc(q.waiting, func(a, b Job) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Seq, b.Seq))
	})
	q.waiting = slices.DeleteFunc(q.waiting, func(j Job) bool { return j.Seq == first.Seq })
	q.v = max(q.v, first.Start)
	return first, true
}
