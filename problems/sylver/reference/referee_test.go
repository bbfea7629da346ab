package main

import (
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"assay/judge/kit/referee"
)

// usual are the options of problem.toml.
var usual = map[string]string{
	"start": "none", "low": "100000", "high": "999999", "same_start": "no", "first_prime": "yes",
	"cap": "1000000000000000000", "max_moves": "2000", "penalties": "1", "gaps": "1000000",
}

func event(options ...string) referee.Event {
	e := referee.Event{Rules: "test", Bots: 2, Seed: 1, MoveMS: 1000, StartMS: 1000, Options: maps.Clone(usual)}
	for i := 0; i < len(options); i += 2 {
		e.Options[options[i]] = options[i+1]
	}
	return e
}

// bot plays a function of the numbers and the gaps, which are nil if none were told,
// and writes down what it is told.
type bot struct {
	ready string
	move  func(numbers, gaps []int64) string
	told  []string
	gaps  []int64
}

func (b *bot) hear(line string) []string {
	b.told = append(b.told, line)
	words := strings.Fields(line)
	switch words[0] {
	case "sylver":
		return []string{b.ready}
	case "gaps":
		b.gaps = ints(words[2:])
	case "move":
		k, _ := strconv.Atoi(words[1])
		return []string{b.move(ints(words[2:2+k]), b.gaps)}
	case "learn":
		return []string{"ok"}
	}
	return nil
}

func ints(words []string) (all []int64) {
	for _, w := range words {
		n, _ := strconv.ParseInt(w, 10, 64)
		all = append(all, n)
	}
	return all
}

// try plays a game and fails the test where the referee rejects the options.
func try(t interface{ Fatalf(string, ...any) }, e referee.Event, seed uint64, first, second *bot) (referee.Played, string) {
	g := newGame()
	if err := g.check(&e); err != nil {
		t.Fatalf("the options are refused: %v", err)
	}
	return referee.Try(g.rules(), e, seed, first.hear, second.hear)
}

// TestGamesAgainstASlowReferee has bots play any numbers, legal or not, and judges the
// games again by nothing but a sieve.
func TestGamesAgainstASlowReferee(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rand := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		most := rapid.SampledFrom([]int64{12, 60, 400}).Draw(t, "most")
		answers := map[int][]string{}
		wild := func(seat int) *bot {
			return &bot{ready: "ready gaps learn", move: func(numbers, gaps []int64) string {
				answer := strconv.FormatInt(rand.Int64N(most)-1, 10)
				if len(gaps) > 1 && rand.IntN(10) > 0 {
					answer = strconv.FormatInt(gaps[1+rand.IntN(len(gaps)-1)], 10)
				} else if rand.IntN(20) == 0 {
					answer = []string{"", "7.0", "x", "1 2", "+9", " 8 ", "99999999999999999999"}[rand.IntN(7)]
				}
				answers[seat] = append(answers[seat], answer)
				return answer
			}}
		}
		e := event("penalties", "3", "max_moves", "30", "start", "drawn", "low", "20", "high", "90")
		played, _ := try(t, e, 7, wild(1), wild(2))
		checkPlayed(t, &played, answers)
	})
}

// checkPlayed judges a game again: three illegal answers lose, 1 loses, and 30 moves
// are a draw.
func checkPlayed(t *rapid.T, played *referee.Played, answers map[int][]string) {
	numbers := ints(strings.Fields(played.Start))
	if len(numbers) != 2 || gcd(numbers[0], numbers[1]) != 1 || slices.Min(numbers) < 20 || slices.Max(numbers) > 90 {
		t.Fatalf("the start %q is not two coprime numbers from 20 to 90", played.Start)
	}
	var moves []string
	penalties := map[int]int{}
	for seat := 1; ; {
		if len(moves) == 30 {
			if played.Result.Reason != "max-moves" || played.Result.Winner != 0 {
				t.Fatalf("after 30 moves: %+v", played.Result)
			}
			break
		}
		answer := answers[seat][0]
		answers[seat] = answers[seat][1:]
		n, err := strconv.ParseInt(strings.TrimSpace(answer), 10, 64)
		if err != nil || n < 1 || n > 1 && sums(numbers, max(n, 1))[n] {
			if penalties[seat]++; penalties[seat] == 3 {
				if played.Result.Winner != 3-seat || played.Result.Reason != "penalties" {
					t.Fatalf("after three penalties of %d: %+v", seat, played.Result)
				}
				break
			}
			continue
		}
		moves, numbers = append(moves, strings.TrimSpace(answer)), append(numbers, n)
		if n == 1 {
			if played.Result.Winner != 3-seat || played.Result.Reason != "named-one" {
				t.Fatalf("after 1 by %d: %+v", seat, played.Result)
			}
			break
		}
		seat = 3 - seat
	}
	if !slices.Equal(moves, played.Moves) {
		t.Fatalf("moves %v, want %v", played.Moves, moves)
	}
}

func always(answer string) *bot {
	return &bot{ready: "ready", move: func([]int64, []int64) string { return answer }}
}

func TestAnswers(t *testing.T) {
	const huge = "1000000000000000000"
	for _, tt := range []struct {
		it, start, answer string
		reason            string
	}{
		{"lets 1 lose", "5 7", "1", "named-one"},
		{"lets a sum lose", "5 7", "12", "illegal"},
		{"lets an announced number lose", "5 7", "7", "illegal"},
		{"lets 0 lose", "5 7", "0", "illegal"},
		{"takes a negative number for illegal", "5 7", "-3", "illegal"},
		{"lets the largest gap be announced", "999999937 999999929", "999999864000004607", "max-moves"},
		{"knows the number above the largest gap", "999999937 999999929", "999999864000004608", "illegal"},
		{"takes 10^18 where nothing forbids it", "3", huge, "max-moves"},
		{"has a cap", "3", "1000000000000000001", "illegal"},
		{"takes 19 digits for a number", "3", "9999999999999999999", "illegal"},
		{"takes 20 digits for none", "3", "10000000000000000000", "malformed"},
		{"takes zeros in front", "3", "0000000000000000008", "max-moves"},
		{"takes a sign and blanks", "3", " \t+8 \r", "max-moves"},
		{"takes a sign alone for no number", "3", "+", "malformed"},
		{"takes two numbers for none", "3", "4 5", "malformed"},
		{"takes a fraction for none", "3", "4.0", "malformed"},
		{"takes other digits for none", "3", "٨", "malformed"},
		{"takes nothing for none", "3", "", "malformed"},
	} {
		t.Run("it "+tt.it, func(t *testing.T) {
			played, text := try(t, event("start", tt.start, "max_moves", "1"), 1, always(tt.answer), always("1"))
			if played.Result.Reason != tt.reason {
				t.Errorf("%q after %s: %+v (%s), want %s", tt.answer, tt.start, played.Result, text, tt.reason)
			}
		})
	}
}

func TestWhatABotIsTold(t *testing.T) {
	answers := []string{"4", "9", "6", "6"}
	first := &bot{ready: "ready gaps learn name=A b", move: func([]int64, []int64) string {
		defer func() { answers = answers[1:] }()
		return answers[0]
	}}
	second := &bot{ready: "ready", move: func([]int64, []int64) string { return "2" }}
	played, text := try(t, event("start", "5", "penalties", "3"), 1, first, second)
	_ = played
	want := []string{
		"sylver 1 test 1 2 1000 0 1000000000000000000 3 0",
		"game 1 1 2", "gaps -1", "move 1 5 0",
		"gaps 2 1 3", "move 3 5 4 2 0", "illegal 9 1 3", "gaps 2 1 3", "move 3 5 4 2 0", "illegal 6 2 3",
	}
	for i, line := range want {
		if i >= len(first.told) || first.told[i] != line {
			t.Fatalf("line %d is %q, want %q; all:\n%s\n%s", i, first.told[min(i, len(first.told)-1)], line, strings.Join(first.told, "\n"), text)
		}
	}
}

func TestTheEndIsTold(t *testing.T) {
	learner := &bot{ready: "ready learn", move: func([]int64, []int64) string { return "1" }}
	try(t, event("start", "2 3"), 1, learner, always("1"))
	if got := learner.told[len(learner.told)-2:]; !slices.Equal(got, []string{"result loss named-one 3 2 3 1", "learn 1 2 3 2 3 1"}) {
		t.Errorf("it was told %q", got)
	}
}

func TestOptions(t *testing.T) {
	for _, tt := range []struct {
		it      string
		options []string
		want    string // part of the error; "" for none
	}{
		{"takes what is usual", nil, ""},
		{"draws a start", []string{"start", "drawn"}, ""},
		{"takes a start with commas", []string{"start", "5,7"}, ""},
		{"refuses a start that is illegal", []string{"start", "5 7 12"}, "12, which is a sum"},
		{"refuses a start of words", []string{"start", "five"}, `"five"`},
		{"refuses an empty start", []string{"start", " "}, "empty"},
		{"refuses a start of 1", []string{"start", "1"}, "from 2"},
		{"refuses an empty range", []string{"start", "drawn", "low", "9", "high", "9"}, "cannot be drawn"},
		{"refuses a range above the cap", []string{"start", "drawn", "cap", "1000"}, "capped at 1000"},
		{"refuses the older rule beside a start", []string{"start", "drawn", "first_prime", "no"}, "without a start"},
		{"refuses what is not a number", []string{"max_moves", "many"}, `max_moves is "many"`},
		{"refuses what is neither yes nor no", []string{"same_start", "maybe"}, "yes or no"},
	} {
		t.Run("it "+tt.it, func(t *testing.T) {
			e := event(tt.options...)
			_, err := readOptions(&e)
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error = %v, want %q", err, tt.want)
			}
		})
	}
}

func TestTheOlderRule(t *testing.T) {
	for answer, want := range map[string]string{"7": "illegal", "8": "max-moves", "999999999989": "illegal", "999999999988": "max-moves",
		"1": "named-one"} {
		played, _ := try(t, event("first_prime", "no", "max_moves", "1"), 1, always(answer), always("1"))
		if played.Result.Reason != want {
			t.Errorf("%s first: %s, want %s", answer, played.Result.Reason, want)
		}
	}
}

func TestIsPrime(t *testing.T) {
	for n := range int64(2000) {
		want := n > 1
		for d := int64(2); d*d <= n; d++ {
			want = want && n%d != 0
		}
		if isPrime(n) != want {
			t.Errorf("isPrime(%d) = %v", n, !want)
		}
	}
	for n, want := range map[int64]bool{999999999999999989: true, 999999999999999967: true, 3215031751: false, 999999937 * 999999929: false} {
		if isPrime(n) != want {
			t.Errorf("isPrime(%d) = %v", n, !want)
		}
	}
}

func Example() {
	e := event("start", "4 5")
	g := newGame()
	_ = g.check(&e)
	largestGap := &bot{ready: "ready gaps", move: func(_, gaps []int64) string { return fmt.Sprint(gaps[len(gaps)-1]) }}
	played, _ := referee.Try(g.rules(), e, 1, largestGap.hear, largestGap.hear)
	fmt.Println(played.Start, "then", played.Moves, played.Result.Reason)
	// Output: 4 5 then [11 7 6 3 2 1] named-one
}

// FuzzAnswers: an answer is a number exactly where big integers think so, too.
func FuzzAnswers(f *testing.F) {
	for _, text := range []string{"7", " +8 ", "-3", "1000000000000000001", "0x1", "٨", "", "1 2"} {
		f.Add([]byte(text))
	}
	e := event("start", "5 7")
	f.Fuzz(func(t *testing.T, answer []byte) {
		g := newGame()
		if err := g.check(&e); err != nil {
			t.Fatal(err)
		}
		g.p.add(5)
		g.p.add(7)
		x, kind, why := g.judge(answer, 0)
		text := strings.Trim(string(answer), " \t\r")
		n, isNumber := new(big.Int).SetString(text, 10)
		isNumber = isNumber && !strings.Contains(text, "_") && len(strings.TrimLeft(text, "+-")) <= 19
		switch {
		case !isNumber && kind != "malformed", isNumber && kind == "malformed":
			t.Fatalf("%q is %s: %s", answer, kind, why)
		case kind == "" && (n.Sign() <= 0 || n.Cmp(big.NewInt(x)) != 0):
			t.Fatalf("%q is %d", answer, x)
		}
	})
}

// TestLookAtALongGame has 1,900 numbers that fall: each would take a table of its own,
// made of all of them. They are not counted, but the end of the game is.
func TestLookAtALongGame(t *testing.T) {
	played := referee.Played{Start: "999983 999979"}
	for n := 999_978; n > 999_978-1900; n-- {
		played.Moves = append(played.Moves, strconv.Itoa(n))
	}
	played.Moves = append(played.Moves, "5", "7", "3", "4", "2", "1")
	e := event()
	seen := newGame().look(&e, &played)
	if n := seen[1800].Count; n != infinite {
		t.Errorf("after 1800 moves %d numbers are left; that takes too long to count", n)
	}
	end := seen[len(seen)-4]
	if want := []string{"1", "2", "4"}; !slices.Equal(end.Options, want) || end.Exact != "won" || end.Count != 3 {
		t.Errorf("at the end %+v, want %v and won", end, want)
	}
}
