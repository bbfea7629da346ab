package report

import (
	"strings"
	"testing"
	"time"
)

func TestBuildingNamesTheProgramAndTheTime(t *testing.T) {
	var screen strings.Builder
	tell := Building(&screen)
	tell("/cache/house/problems/wythoff/checker", "Go", 9*time.Second)
	tell("/cache/house/problems/wythoff/checker", "", 12*time.Second)
	tell("/cache/house/problems/wythoff/checker", "", 0)
	if want := "\rpreparing Go for its first program, 9 s\x1b[K\rbuilding wythoff/checker, 12 s\x1b[K\r\x1b[K"; screen.String() != want {
		t.Errorf("on the screen is %q, want %q", screen.String(), want)
	}
}
