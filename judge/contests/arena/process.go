package arena

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"assay/judge"
	"assay/judge/internal/tail"
	"assay/judge/running/sandbox"
)

// Contestant is a bot with its program or file.
type Contestant struct {
	Bot
	Program    *judge.Program // nil if contestants are files
	Text       []byte         // the file, if contestants are files
	Broken     string         // why it cannot play at all, such as a compiler error
	ChosenFile string         // which file of a directory was chosen as the bot, if several were possible
}

// botProcess is a process of a bot, with the judge's ends of its pipes.
type botProcess struct {
	bot    *Contestant
	proc   *sandbox.FileProcess
	in     *os.File // the bot's input
	out    *os.File // the bot's output
	clock  *os.File // the bot's CPU clock; nil if there is none
	stderr *stderrTail

	mu     sync.Mutex
	reason Fault // why the judge killed the process; empty if it did not
}

// stderrTail stores the end of a process's standard error.
type stderrTail struct {
	mu   sync.Mutex
	tail tail.Buffer
}

func (w *stderrTail) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.tail.Write(b)
}

func (w *stderrTail) text() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return string(w.tail.Bytes())
}

// botLimits returns the limits of a bot process, except its time, which the arena watches.
func botLimits(memory int64) judge.Limits {
	return judge.Limits{Memory: memory, Processes: 128, Files: 256, Scratch: 64 << 20}
}

// startPlayer starts a process of a bot. If the program cannot be executed, it returns a player whose process has
// already exited.
func startPlayer(ctx context.Context, box *sandbox.Sandbox, c *Contestant, memory int64) (p *botProcess, err error) {
	theirIn, in, err := pipe()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", c.Name, err)
	}
	defer theirIn.Close()
	out, theirOut, err := pipe()
	if err != nil {
		in.Close()
		return nil, fmt.Errorf("start %s: %w", c.Name, err)
	}
	defer theirOut.Close()
	p = &botProcess{bot: c, in: in, out: out, stderr: &stderrTail{}}
	command := c.Program.Command(botLimits(memory))
	command.Stdin, command.Stdout, command.Stderr = theirIn, theirOut, p.stderr
	if p.proc, err = box.StartWithFiles(ctx, command); err != nil {
		in.Close()
		out.Close()
		return nil, fmt.Errorf("start %s: %w", c.Name, err)
	}
	p.clock = p.proc.Clock()
	return p, nil
}

// files returns the player's files, for sending them to a referee.
func (p *botProcess) files() []*os.File {
	if p.clock == nil {
		return []*os.File{p.in, p.out}
	}
	return []*os.File{p.in, p.out, p.clock}
}

// kill kills the process. Only the first reason is recorded.
func (p *botProcess) kill(fault Fault) {
	p.mu.Lock()
	if p.reason == "" {
		p.reason = fault
	}
	p.mu.Unlock()
	p.proc.Kill()
}

// quitTimeout is how long a bot may take to exit by itself.
const quitTimeout = 300 * time.Millisecond

// quit sends quit to the bot, which should exit soon. The caller closes the pipes.
func (p *botProcess) quit() {
	if setNonblocking(p.in) == nil { // if the pipe is full, the bot is not reading
		_, _ = p.in.WriteString("quit\n")
	}
	time.AfterFunc(quitTimeout, p.proc.Kill)
}

// attachStderr adds the bot's standard error to a fault, with the position in the bot's source that the standard
// error names.
func (p *botProcess) attachStderr(f *GameFault) {
	f.Stderr = p.stderr.text()
	sources := []string{p.bot.File}
	if info, err := os.Stat(p.bot.File); err == nil && info.IsDir() {
		sources = filesIn(p.bot.File)
	}
	if file, line := tail.SourcePosition(f.Stderr, sources); line > 0 {
		f.Place = fmt.Sprintf("%s:%d", filepath.Base(file), line)
	}
}

// waitExit waits until the process, which is about to exit, has ended completely.
func (p *botProcess) waitExit() { _, _ = p.proc.Wait() }

func (p *botProcess) close() {
	p.in.Close()
	p.out.Close()
	if p.clock != nil {
		p.clock.Close()
	}
}

// exitTimeout is how long a process may take to exit after it has closed its output.
const exitTimeout = 3 * time.Second

// exitReason returns the reason why a process that no longer answers is gone.
func (p *botProcess) exitReason() (kind Fault, text string, err error) {
	select {
	case <-p.proc.Ended():
	case <-time.After(exitTimeout):
		p.kill(Closed)
	}
	exec, err := p.proc.Wait()
	p.mu.Lock()
	reason := p.reason
	p.mu.Unlock()
	if broken, ok := errors.AsType[*judge.ExecError](err); ok {
		return Crashed, broken.Error(), nil
	}
	switch {
	case exec.Killed == judge.Memory:
		return OutOfMemory, "it was killed at its memory limit", nil
	case reason == Closed:
		return Closed, "it closed its output, and did not end", nil
	case reason != "":
		return reason, faultTexts[reason], nil
	case err != nil:
		return "", "", fmt.Errorf("the process of %s: %w", p.bot.Name, err)
	case exec.Signal != "":
		return Crashed, "it was ended by signal " + exec.Signal, nil
	}
	if exec.Exit == 0 {
		return Crashed, "it ended with exit code 0 without a quit message", nil
	}
	return Crashed, fmt.Sprintf("it ended with exit code %d", exec.Exit), nil
}

// faultTexts maps faults that need no details to their descriptions.
var faultTexts = map[Fault]string{
	TimeoutCPU:  "it used more CPU time than it has",
	TimeoutWall: "it used more wall time than it has, without using the CPU",
	NotReading:  "it does not read its input",
}
