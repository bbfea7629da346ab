package sandbox

import (
	"slices"
	"testing"

	"assay/judge"
)

func TestRank(t *testing.T) {
	for name, row := range map[string]struct {
		to      []int
		ends    []int64
		signals []string
		want    []int
	}{
		"it goes by the clock":                           {[]int{1, 0}, []int64{5, 3}, []string{"", ""}, []int{2, 1}},
		"it puts a reader before who died writing to it": {[]int{1, 0}, []int64{3, 5}, []string{"SIGPIPE", ""}, []int{2, 1}},
		"it leaves what is right already":                {[]int{1, 0}, []int64{5, 3}, []string{"SIGPIPE", ""}, []int{2, 1}},
		"it goes by the clock where both died writing":   {[]int{1, 0}, []int64{3, 5}, []string{"SIGPIPE", "SIGPIPE"}, []int{1, 2}},
		"it takes the first of two that ended at a time": {[]int{1, 0}, []int64{3, 3}, []string{"", ""}, []int{1, 2}},
		"it follows a ring of three":                     {[]int{1, 2, 0}, []int64{3, 9, 6}, []string{"SIGPIPE", "", ""}, []int{2, 1, 3}},
	} {
		t.Run(name, func(t *testing.T) {
			n := len(row.to)
			all, jobs, ended := make([]Joined, n), make([]job, n), make([]Ended, n)
			for i := range n {
				all[i].To, jobs[i].end, ended[i].Exec = row.to[i], row.ends[i], judge.Exec{Signal: row.signals[i]}
			}
			rank(all, jobs, ended)
			var got []int
			for _, e := range ended {
				got = append(got, e.Order)
			}
			if !slices.Equal(got, row.want) {
				t.Errorf("got %v, want %v", got, row.want)
			}
		})
	}
}
