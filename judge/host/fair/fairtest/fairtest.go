// Package fairtest provides a queue of jobs in memory that shares time between owners as package fair defines.
// Tests compare a server's queue with it. It is not part of any program.
package fairtest

import (
	"cmp"
	"fmt"
	"slices"

	"assay/judge/host/fair"
)

// Job is a job of a Queue.
type Job struct {
	ID    string // unique; by default the arrival number
	Owner string
	Start int64 // its start tag
	Seq   int   // arrival number, which breaks ties between tags
}

// A Queue is a queue of jobs of one priority. The zero value is empty and ready to use.
type Queue struct {
	v, served int64
	seq       int
	last, due map[string]int64
	waiting   []Job
}

// VirtualTime returns the virtual time of the queue.
func (l *Queue) VirtualTime() int64 { return l.v }

// Others returns the number of owners with a waiting job, except the given owner.
func (l *Queue) Others(owner string) int {
	found := map[string]bool{}
	for _, j := range l.waiting {
		found[j.Owner] = true
	}
	delete(found, owner)
	return len(found)
}

// Has reports whether an owner has a waiting job.
func (l *Queue) Has(owner string) bool {
	return slices.ContainsFunc(l.waiting, func(j Job) bool { return j.Owner == owner })
}

// Add adds a job to the queue.
func (l *Queue) Add(owner string, cost int64, id ...string) Job {
	if l.last == nil {
		l.last, l.due = map[string]int64{}, map[string]int64{}
	}
	start, finish := fair.Tags(l.v, l.last[owner], cost)
	j := Job{ID: fmt.Sprint(l.seq), Owner: owner, Start: start, Seq: l.seq}
	if len(id) > 0 {
		j.ID = id[0]
	}
	l.last[owner] = finish
	if !l.Has(owner) {
		l.due[owner] = fair.Due(l.served, l.Others(owner))
	}
	l.seq++
	l.waiting = append(l.waiting, j)
	return j
}

// Take removes the next n jobs from the queue and returns them.
func (l *Queue) Take(n int) (out []Job) {
	slices.SortFunc(l.waiting, func(a, b Job) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Seq, b.Seq)) })
	var tagged []string
	var firsts []fair.First
	byID, met := map[string]Job{}, map[string]bool{}
	for _, j := range l.waiting {
		byID[j.ID] = j
		if len(tagged) < n {
			tagged = append(tagged, j.ID)
		}
		if !met[j.Owner] {
			met[j.Owner] = true
			firsts = append(firsts, fair.First{ID: j.ID, Due: l.due[j.Owner]})
		}
	}
	slices.SortStableFunc(firsts, func(a, b fair.First) int { return cmp.Compare(a.Due, b.Due) })
	for _, id := range fair.Order(l.served, firsts, tagged, n) {
		out = append(out, byID[id])
	}
	l.waiting = slices.DeleteFunc(l.waiting, func(j Job) bool { return slices.Contains(out, j) })
	for _, j := range out {
		if !slices.ContainsFunc(l.waiting, func(w Job) bool { return w.Start < j.Start }) {
			l.v = max(l.v, j.Start)
		}
	}
	l.served += int64(len(out))
	for _, j := range out {
		l.due[j.Owner] = fair.Due(l.served, l.Others(j.Owner))
	}
	return out
}

// Next removes the next job from the queue and returns it. If the queue is empty, ok is false.
func (l *Queue) Next() (j Job, ok bool) {
	if out := l.Take(1); len(out) > 0 {
		return out[0], true
	}
	return Job{}, false
}
