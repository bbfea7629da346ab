package golf

import "testing"

// TestUnloadable checks that a function is tried with all forms of the call, unless its driver says that no form can
// load it. The other functions are tried in either case: two with a name, the whole code, and its last line.
func TestUnloadable(t *testing.T) {
	for load, want := range map[string]int{"dies": 12, "x": 4} {
		rng, r, driver := toyRange(t, 60)
		driver.Calls = map[string]string{"args": "1 {name}", "tuple": "2 {name}", "list": "3", "curry": "4"}
		driver.Split = true
		r.load = load
		res := proveCode(t, rng, driver, "f=sum\ng=f", Options{Kind: "function"})
		if res.Verdict != CannotRun || res.Log != "f is a list" || r.loads != want || len(res.Explain) != want {
			t.Errorf("a function that %s: %s %q, %d processes, %+v", load, res.Verdict, res.Log, r.loads, res.Explain)
		}
	}
}
