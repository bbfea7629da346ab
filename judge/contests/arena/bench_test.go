package arena_test

import (
	"os"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/running/sandbox"
)

// fast is a bot that answers 1, with two system calls per move.
func fast() {
	buf := make([]byte, 4096)
	line := []byte(nil)
	for {
		n := rawRead(buf)
		if n <= 0 {
			return
		}
		for _, c := range buf[:n] {
			if c != '\n' {
				line = append(line, c)
				continue
			}
			switch line[0] {
			case 'h':
				rawWrite([]byte("ready pure\n"))
			case 'm':
				rawWrite([]byte("1\n"))
			case 'q':
				return
			}
			line = line[:0]
		}
	}
}

// pings is how many messages ping sends.
const pings = 100_000

// ping and echo send a line back and forth, which gives a lower bound for the cost of a move.
func ping() {
	buf := make([]byte, 64)
	for range pings {
		rawWrite([]byte("move 12\n"))
		if n := rawRead(buf); n <= 0 {
			os.Exit(1)
		}
	}
}

func echo() {
	buf := make([]byte, 64)
	for {
		n := rawRead(buf)
		if n <= 0 {
			return
		}
		rawWrite([]byte("1\n"))
	}
}

// BenchmarkMoves runs games between eight bots. It reports moves per second, and compares them with the rate at
// which as many process pairs exchange lines.
func BenchmarkMoves(b *testing.B) {
	inGo := func(testing.TB) *judge.Program { return program("referee") }
	for _, row := range []struct {
		name, isolation string
		referee         func(testing.TB) *judge.Program
	}{
		{"sandboxed", "", inGo},
		{"none", string(sandbox.None), inGo},
		{"sandboxed, referee in Python", "", python},
	} {
		b.Run(row.name, func(b *testing.B) {
			judging := row.referee(b)
			held, err := sandbox.New(sandbox.Options{Workers: 2, Isolation: row.isolation})
			if err != nil {
				b.Skip(err)
			}
			defer held.Close()
			bots := []string{}
			for i := range 8 {
				bots = append(bots, "fast:"+strconv.Itoa(i))
			}
			var moves, seconds, bare float64
			var host time.Duration
			for b.Loop() {
				bare += pingPong(b, held)
				e := newEvent(held, bots...)
				e.Referee, e.Rules.Rounds = judging, 500
				start, cpu := time.Now(), cpuTime()
				out, err := e.Run(b.Context())
				if err != nil {
					b.Fatal(err)
				}
				moves, seconds, host = moves+float64(out.Moves), seconds+time.Since(start).Seconds(), host+cpuTime()-cpu
			}
			b.ReportMetric(moves/seconds, "moves/s")
			b.ReportMetric(bare/float64(b.N), "pingpongs/s")
			b.ReportMetric(float64(host.Nanoseconds())/moves, "host-ns/move")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// pingPong returns how many lines two pairs of processes exchange per second, with one pair on each of two
// processors.
func pingPong(b *testing.B, box *sandbox.Sandbox) float64 {
	var pairs sync.WaitGroup
	start := time.Now()
	for cpu := range 2 {
		pairs.Go(func() {
			in, out, err := os.Pipe()
			back, forth, err2 := os.Pipe()
			if err != nil || err2 != nil {
				b.Error(err, err2)
				return
			}
			hold := func(role string, in, out *os.File) *sandbox.FileProcess {
				command := program(role).Command(judge.Limits{})
				command.Stdin, command.Stdout = in, out
				h, err := box.StartWithFiles(b.Context(), command)
				if err != nil {
					b.Error(err)
					return nil
				}
				for h.Pin(cpu) != nil { // the process has not started yet
					select {
					case <-h.Ended():
						return h
					default:
						runtime.Gosched()
					}
				}
				return h
			}
			first, second := hold("ping", back, out), hold("echo", in, forth)
			for _, f := range []*os.File{in, out, back, forth} {
				f.Close()
			}
			if first == nil || second == nil {
				return
			}
			if exec, err := first.Wait(); err != nil || exec.Exit != 0 {
				b.Error(exec, err)
			}
			second.Kill()
			_, _ = second.Wait()
		})
	}
	pairs.Wait()
	return 2 * pings / time.Since(start).Seconds()
}

// BenchmarkSlowBots runs bots that sleep before each move and remember earlier games. The metric "busy" is the
// share of the referees' time in which games were played.
func BenchmarkSlowBots(b *testing.B) {
	box := box(b)
	for b.Loop() {
		e := newEvent(box, "nap1:1", "nap1:2", "nap4:1", "nap4:2", "nap1:3", "nap16", "nap1:4", "nap4:3")
		e.Rules.Rounds = 3
		start := time.Now()
		games, err := run(b, e).Results.LoadAll()
		if err != nil {
			b.Fatal(err)
		}
		took, busy := time.Since(start), time.Duration(0)
		for _, g := range games {
			for _, us := range g.Micros {
				busy += time.Duration(us) * time.Microsecond
			}
		}
		b.ReportMetric(busy.Seconds()/took.Seconds()/float64(e.Jobs), "busy")
	}
}
