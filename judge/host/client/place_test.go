package client

import "testing"

func TestPlaceInWords(t *testing.T) {
	for p, want := range map[Place]string{
		{}:                                 "this submission is next",
		{Before: 1}:                        "1 submission goes first",
		{Before: 7}:                        "7 submissions go first",
		{Before: 7, Priority: 3}:           "7 submissions go first; 3 of them from running contests or with higher priority",
		{Before: 7, Later: 2}:              "7 submissions go first; 2 of them sent later, by accounts that used less judging time",
		{Before: 7, Priority: 3, Later: 2}: "7 submissions go first; 3 of them from running contests or with higher priority; 2 of them sent later, by accounts that used less judging time",
	} {
		if got := p.String(); got != want {
			t.Errorf("%+v is %q, want %q", p, got, want)
		}
	}
}
