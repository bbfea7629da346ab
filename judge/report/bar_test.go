package report

import (
	"testing"
	"time"
)

func TestBuildsNameEachProgramAndTheTime(t *testing.T) {
	const checker, solution = "/cache/house/problems/wythoff/checker", "/home/ada/a.go"
	var b Builds
	for _, step := range []struct {
		path, preparing string
		passed          time.Duration
		want            string
	}{
		{checker, "Go", 9 * time.Second, "preparing Go, only for the first program: 9 s"},
		{solution, "Go, 7 of 60", 9 * time.Second, "preparing Go, only for the first program: 9 s"},
		{checker, "", 12 * time.Second, "building wythoff/checker, 12 s; preparing Go, 7 of 60, only for the first program: 9 s"},
		{solution, "", 13 * time.Second, "building wythoff/checker, 12 s; building ada/a.go, 13 s"},
		{checker, "", 0, "building ada/a.go, 13 s"},
		{checker, "", 0, "building ada/a.go, 13 s"},
		{solution, "", 0, ""},
	} {
		b.Update(step.path, step.preparing, step.passed)
		if got := b.Line(); got != step.want {
			t.Errorf("after %s %v: %q, want %q", step.path, step.passed, got, step.want)
		}
	}
}
