// Package fair shares one queue between owners: start-time fair queueing with a bound on the
// wait. Each job gets a start tag when it arrives, and the waiting job with the lowest tag goes
// first, so that
//
//   - jobs of one owner go in the order of their arrival,
//   - owners who have something waiting get equal shares of the time, even if one comes with a
//     thousand jobs, and one that comes late does not get what it missed,
//   - every job's turn comes: tags only rise.
//
// Tags alone would starve an owner who used much time while new owners keep coming, because new
// owners start at the current time. So the first job of each owner also has a limit, [Due]: the
// number of jobs given out by which it goes, whatever its tag.
//
// A job's cost is an estimate and only decides about shares. The package keeps no queue of
// record: the server's transactions keep the numbers in SQL and take the formulas from here.
package fair

import "slices"

// Tags says where a job starts and where it ends in the virtual time of its lane: v is the
// start tag of the job that was given out last in the order of the tags, last the end of its
// owner's job before, 0 for none. Cost is in microseconds of CPU time; less than one counts
// as one, so that the order of an owner's jobs always follows from their tags.
func Tags(v, last, cost int64) (start, finish int64) {
	start = max(v, last)
	return start, start + max(cost, 1)
}

// Due returns the limit of a job that becomes the first of its owner: served is how many jobs the
// lane has given out, others is how many other owners have a waiting job. At most two jobs of each
// of them go before it.
func Due(served int64, others int) int64 { return served + 2*int64(max(others, 1)) }

// First is the first waiting job of an owner.
type First struct {
	ID  string
	Due int64
}

// Order returns the ids of the next n jobs of a lane that has given out served jobs. Firsts are
// sorted by Due; tagged are the next n jobs sorted by tag. Jobs go by tag, unless the first job of
// an owner would then miss its limit.
func Order(served int64, firsts []First, tagged []string, n int) []string {
	firsts, tagged = slices.Clone(firsts), slices.Clone(tagged)
	var order []string
	for len(order) < n && len(tagged) > 0 {
		next, now := tagged[0], served+int64(len(order))
		for i, f := range firsts {
			if f.Due <= now+int64(i) {
				next = firsts[0].ID
				break
			}
		}
		order = append(order, next)
		firsts = slices.DeleteFunc(firsts, func(f First) bool { return f.ID == next })
		tagged = slices.DeleteFunc(tagged, func(id string) bool { return id == next })
	}
	return order
}
