package fair

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Job is a job of a Queue.
type Job struct {
	Owner string
	Start int64 // its start tag
	Seq   int   // its number in the order of arrival, which decides between equal tags
}

// Queue is one lane in memory, as the server has it in SQL. The zero value is empty.
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

var owners = []string{"a", "b", "c"}

// play adds and takes jobs at random, and tells listen of each step: the queue after it, and
// the job that was added or taken.
func play(t *rapid.T, listen func(q *Queue, j Job, cost int64, added bool)) {
	q := &Queue{}
	for range rapid.IntRange(1, 80).Draw(t, "steps") {
		if rapid.IntRange(0, 2).Draw(t, "act") > 0 {
			cost := rapid.Int64Range(0, 9).Draw(t, "cost")
			listen(q, q.Add(rapid.SampledFrom(owners).Draw(t, "owner"), cost), cost, true)
		} else if j, ok := q.Next(); ok {
			listen(q, j, 0, false)
		}
	}
	for j, ok := q.Next(); ok; j, ok = q.Next() {
		listen(q, j, 0, false)
	}
}

func TestJobsOfOneOwnerGoInTheOrderOfArrival(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		last := map[string]int{}
		play(t, func(_ *Queue, j Job, _ int64, added bool) {
			if added {
				return
			}
			if before, some := last[j.Owner]; some && before > j.Seq {
				t.Fatalf("job %d of %s went after its job %d", j.Seq, j.Owner, before)
			}
			last[j.Owner] = j.Seq
		})
	})
}

func TestEveryJobHasItsTurnAndTimeOnlyRises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		open, v := map[int]bool{}, int64(0)
		play(t, func(q *Queue, j Job, _ int64, added bool) {
			if added {
				open[j.Seq] = true
			} else if !open[j.Seq] {
				t.Fatalf("job %d was given out twice", j.Seq)
			} else {
				delete(open, j.Seq)
			}
			if q.v < v {
				t.Fatalf("the time of the lane fell from %d to %d", v, q.v)
			}
			v = q.v
		})
		if len(open) > 0 {
			t.Fatalf("%d jobs were never given out", len(open))
		}
	})
}

// TestABacklogDelaysAnotherByOneJobOfItsOwner: who has nothing waiting and owes nothing goes
// before all but one job of each other owner, whatever they have waiting.
func TestABacklogDelaysAnotherByOneJobOfItsOwner(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type watch struct {
			seq    int
			before map[string]int
		}
		var watched []watch
		play(t, func(q *Queue, j Job, _ int64, added bool) {
			if added {
				if j.Start == q.v { // owes nothing
					watched = append(watched, watch{j.Seq, map[string]int{}})
				}
				return
			}
			for i, w := range watched {
				if w.seq < 0 {
					continue
				}
				if w.seq == j.Seq {
					watched[i].seq = -1
					continue
				}
				w.before[j.Owner]++
				if w.before[j.Owner] > 1 {
					t.Fatalf("%d jobs of %s went before job %d", w.before[j.Owner], j.Owner, w.seq)
				}
			}
		})
	})
}

// TestSharesAreEqual: while two owners have jobs waiting all the time, what they got differs
// by no more than the largest job of each.
func TestSharesAreEqual(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := &Queue{}
		cost, largest, left, got := map[int]int64{}, map[string]int64{}, map[string]int{}, map[string]int64{}
		for _, owner := range rapid.SliceOfN(rapid.SampledFrom(owners[:2]), 2, 60).Draw(t, "arrivals") {
			c := rapid.Int64Range(1, 50).Draw(t, "cost")
			j := q.Add(owner, c)
			cost[j.Seq], largest[owner] = c, max(largest[owner], c)
			left[owner]++
		}
		for left["a"] > 0 && left["b"] > 0 {
			j, _ := q.Next()
			got[j.Owner] += cost[j.Seq]
			left[j.Owner]--
			if d := got["a"] - got["b"]; max(d, -d) > largest["a"]+largest["b"] {
				t.Fatalf("shares are %d and %d, with jobs of at most %d and %d", got["a"], got["b"], largest["a"], largest["b"])
			}
		}
	})
}

func ExampleQueue() {
	var q Queue
	for range 3 {
		q.Add("who has many", 5)
	}
	q.Add("who has one", 5)
	var order []string
	for j, ok := q.Next(); ok; j, ok = q.Next() {
		order = append(order, j.Owner)
	}
	fmt.Println(slices.Index(order, "who has one"))
	// Output: 1
}
