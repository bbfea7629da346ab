package client

import (
	"strings"
	"testing"
)

func TestAddresses(t *testing.T) {
	pin := strings.Repeat("0a", 32)
	for _, a := range []Address{
		{URL: "http://127.0.0.1:8080"}, {URL: "https://judge.example", Code: "abc"},
		{URL: "https://judge.example", Code: "abc", Pin: pin}, {URL: "https://[::1]:8080", Pin: pin},
		{URL: "https://school.example/judge", Code: "abc"}, {URL: "https://school.example/a%20b/c"},
	} {
		if got, err := ParseAddress(a.String()); err != nil || got != a {
			t.Errorf("%s: got %+v, %v", a, got, err)
		}
	}
	if got, err := ParseAddress(" https://judge.example/ \n"); err != nil || got.URL != "https://judge.example" {
		t.Errorf("got %+v, %v", got, err)
	}
	for _, bad := range []string{"", "judge.example", "ftp://judge.example", "https://", "https://judge.example/../x",
		"https://judge.example/x//y", "https://a/?q", "https://a/#b-c", "https://a/#b c", "https://a/#b\r-", "https://a/#\xd5", "https://a/#" +
			pin + "-" + pin, "https://u:hush@a", "https://hush@a", "u:hush@a", "ftp://u:hush@a", "https://u:hu%sh:hush@@a"} {
		if got, err := ParseAddress(bad); err == nil {
			t.Errorf("%q was read as %+v", bad, got)
		} else if strings.Contains(err.Error(), "hush") {
			t.Errorf("a password is told: %v", err)
		}
	}
}

func FuzzParseAddress(f *testing.F) {
	f.Add("https://judge.example/#abc")
	f.Fuzz(func(t *testing.T, text string) {
		a, err := ParseAddress(text)
		if err != nil {
			return
		}
		if again, err := ParseAddress(a.String()); err != nil || again != a {
			t.Errorf("%q is %+v, and its text %q is %+v, %v", text, a, a, again, err)
		}
	})
}
