package report

import (
	"strings"
	"testing"
	"time"
)

func TestBuildingNamesTheProgramAndTheTime(t *testing.T) {
	var screen strings.Builder
	tell := Building(&screen)
	tell("/cache/house/problems/wythoff/checker", 12*time.Second)
	tell("/cache/house/problems/wythoff/checker", 0)
	if want := "\rbuilding wythoff/checker, 12 s\x1b[K\r\x1b[K"; screen.String() != want {
		t.Errorf("on the screen is %q, want %q", screen.String(), want)
	}
}
