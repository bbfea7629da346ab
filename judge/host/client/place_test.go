package client

import "testing"

func TestPlaceInWords(t *testing.T) {
	for p, want := range map[QueuePosition]string{
		{}:                      "this submission is next",
		{Ahead: 1}:              "1 submission goes first",
		{Ahead: 7}:              "7 submissions go first",
		{Ahead: 7, Priority: 3}: "7 submissions go first; 3 of them from running contests or with higher priority",
		{Ahead: 7, Later: 2}:    "7 submissions go first; 2 of them sent later, by accounts that used less judging time",
		{Ahead: 7, Priority: 3, Later: 2}: "7 submissions go first; 3 of them from running contests or with higher priority;" +
			" 2 of them sent later, by accounts that used less judging time",
	} {
		if got := p.String(); got != want {
			t.Errorf("%+v is %q, want %q", p, got, want)
		}
	}
}
