// Package fair shares one queue between owners by start-time fair queueing with a bound on the wait. Each job gets
// a start tag when it arrives, and the waiting job with the lowest tag goes first. Therefore:
//
//   - jobs of one owner go in order of arrival;
//   - owners with waiting jobs get equal shares of the time, even if one has a thousand jobs,
//     and an owner that arrives late does not catch up on what it missed;
//   - every job is dispatched eventually, because tags only rise.
//
// With tags alone, an owner who used much time would starve while new owners keep arriving, because new owners
// start at the current time. So the first job of each owner also has a limit, [Due]: the number of dispatched jobs
// at which it goes, whatever its tag.
//
// A job's cost is an estimate and only affects the shares. The package keeps no persistent queue: the server's
// transactions keep the numbers in SQL and use the formulas of this package.
package fair

import "slices"

// Tags returns the start and the end of a job in the virtual time of its priority. Here v is the start tag of the job
// that was dispatched last by its tag. The argument last is the end of the owner's previous job, or 0 if there is
// none. Cost is in microseconds of CPU time. A cost below one is treated as one, so that the tags of an owner's
// jobs are always in order.
func Tags(v, last, cost int64) (start, finish int64) {
	start = max(v, last)
	return start, start + max(cost, 1)
}

// Due returns the limit of a job that becomes the first waiting job of its owner: the number of dispatched jobs at
// which the job goes, whatever its tag. Served is the number of jobs that the priority has dispatched, and others the
// number of other owners with a waiting job. At most two jobs of each of these owners go before it.
func Due(served int64, others int) int64 { return served + 2*int64(max(others, 1)) }

// First is the first waiting job of an owner.
type First struct {
	ID  string
	Due int64
}

// Order returns the ids of the next n jobs of a priority. The argument served is the number of jobs that the priority has
// dispatched. The argument firsts must be sorted by Due, and tagged must contain the next n jobs sorted by tag.
// Jobs go by tag, unless the first job of an owner would then miss its limit.
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
