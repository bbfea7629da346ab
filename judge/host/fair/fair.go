// Package fair shares one queue between owners: start-time fair queueing. Each job gets a
// start tag when it arrives, and the waiting job with the lowest tag goes first, so that
//
//   - jobs of one owner go in the order of their arrival,
//   - owners who have something waiting get equal shares of the time, whoever came with a
//     thousand jobs, and one that comes late does not get what it missed,
//   - every job's turn comes: tags only rise.
//
// A job's cost is an estimate and only decides about shares. The package keeps no queue of
// record: the server's transactions keep the numbers in SQL and take the formula from here.
package fair

// Tags says where a job starts and where it ends in the virtual time of its lane: v is the
// start tag of the job that was given out last, last the end of its owner's job before, 0
// for none. Cost is in microseconds of processor time; less than one counts as one, so that
// the order of an owner's jobs is always told by their tags.
func Tags(v, last, cost int64) (start, finish int64) {
	start = max(v, last)
	return start, start + max(cost, 1)
}
