package fair

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

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
