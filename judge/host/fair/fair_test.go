package fair_test

import (
	"fmt"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"assay/judge/host/fair/fairtest"
)

var owners = []string{"a", "b", "c"}

// play adds and takes jobs at random. After each step it calls listen with the queue, the job of the step, the
// cost of an added job, and whether the job was added.
func play(t *rapid.T, listen func(q *fairtest.Queue, j fairtest.Job, cost int64, added bool)) {
	q := &fairtest.Queue{}
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
		play(t, func(_ *fairtest.Queue, j fairtest.Job, _ int64, added bool) {
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
		play(t, func(q *fairtest.Queue, j fairtest.Job, _ int64, added bool) {
			if added {
				open[j.Seq] = true
			} else if !open[j.Seq] {
				t.Fatalf("job %d was given out twice", j.Seq)
			} else {
				delete(open, j.Seq)
			}
			if q.VirtualTime() < v {
				t.Fatalf("the virtual time of the queue fell from %d to %d", v, q.VirtualTime())
			}
			v = q.VirtualTime()
		})
		if len(open) > 0 {
			t.Fatalf("%d jobs were never given out", len(open))
		}
	})
}

// TestAnOwnerWaitsForAtMostTwoTurnsOfEachOther checks the limit of an owner's first job, for any costs and
// arrivals. For each other owner that was waiting when the job became its owner's first, at most two jobs go
// before it. If no other owner was waiting, at most two jobs go before it.
func TestAnOwnerWaitsForAtMostTwoTurnsOfEachOther(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := &fairtest.Queue{}
		owners := []string{"a", "b", "c", "d", "e", "f"}
		left := map[string]int{} // how many jobs may go before the owner's first job
		first := func(owner string) {
			if left[owner] = 2 * max(1, q.Others(owner)); !q.Has(owner) {
				delete(left, owner)
			}
		}
		for range rapid.IntRange(1, 120).Draw(t, "steps") {
			if rapid.IntRange(0, 2).Draw(t, "act") > 0 {
				owner := rapid.SampledFrom(owners).Draw(t, "owner")
				had := q.Has(owner)
				q.Add(owner, rapid.SampledFrom([]int64{0, 1, 5, 1000}).Draw(t, "cost"))
				if !had {
					first(owner)
				}
				continue
			}
			out := q.Take(rapid.IntRange(1, 4).Draw(t, "n"))
			for i, j := range out {
				if most, known := left[j.Owner]; known && most < i {
					t.Fatalf("%d jobs too many went before job %d of %s", i-most, j.Seq, j.Owner)
				}
				delete(left, j.Owner) // in a batch, the limit applies only to an owner's first job
			}
			for owner := range left {
				left[owner] -= len(out)
				if left[owner] < 0 {
					t.Fatalf("%d jobs too many went, and the one of %s still waits", -left[owner], owner)
				}
			}
			for _, j := range out {
				first(j.Owner)
			}
		}
	})
}

// TestNewcomersGoFirst checks that an owner that has used no time goes before owners that have used some. Only
// owners that have reached their limit go first.
func TestNewcomersGoFirst(t *testing.T) {
	var q fairtest.Queue
	for range 2 {
		q.Add("heavy", 1000)
	}
	q.Next()
	var order []string
	for i := range 6 {
		q.Add(fmt.Sprint("new ", i), 1)
		j, _ := q.Next()
		order = append(order, j.Owner)
	}
	if d := gocmp.Diff([]string{"new 0", "new 1", "heavy", "new 2", "new 3", "new 4"}, order); d != "" {
		t.Error(d)
	}
}

// TestSharesAreEqual checks that, of two owners with waiting jobs, the owner that got less time goes next. If that
// owner had the last two turns, the other goes next, because the other's limit is reached.
func TestSharesAreEqual(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := &fairtest.Queue{}
		cost, got, left := map[int]int64{}, map[string]int64{}, map[string]int{}
		for _, owner := range rapid.SliceOfN(rapid.SampledFrom(owners[:2]), 2, 60).Draw(t, "arrivals") {
			c := rapid.Int64Range(1, 50).Draw(t, "cost")
			cost[q.Add(owner, c).Seq] = c
			left[owner]++
		}
		var turns []string
		for left["a"] > 0 && left["b"] > 0 {
			j, _ := q.Next()
			other := map[string]string{"a": "b", "b": "a"}[j.Owner]
			n := len(turns)
			limit := n >= 2 && turns[n-1] == other && turns[n-2] == other
			if got[j.Owner] > got[other] && !limit {
				t.Fatalf("after the turns %v, with %d and %d, %s went", turns, got["a"], got["b"], j.Owner)
			}
			got[j.Owner] += cost[j.Seq]
			turns = append(turns, j.Owner)
			left[j.Owner]--
		}
	})
}

func Example() {
	var q fairtest.Queue
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
