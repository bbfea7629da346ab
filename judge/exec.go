package judge

import (
	"encoding/json"
	"fmt"
	"time"
)

// Limits are the limits for one run of a program. A zero field means no limit.
type Limits struct {
	CPU       time.Duration // total CPU time of all threads and children
	Wall      time.Duration // wall time
	Memory    int64         // total bytes of all processes; the stack may use all of it
	Output    int64         // bytes on standard output
	Processes int           // number of concurrent processes and threads
	Files     int           // open files per process
	Scratch   int64         // bytes in the private scratch directory
}

// Scaled returns the limits with the times multiplied by factor, for slow machines.
func (l Limits) Scaled(factor float64) Limits {
	l.CPU = time.Duration(float64(l.CPU) * factor)
	l.Wall = time.Duration(float64(l.Wall) * factor)
	return l
}

// MaxCPUWait is how long a program may wait for a CPU, in addition to its own limits. After a longer wait, the
// run fails with a *BusyError.
const MaxCPUWait = 10 * time.Minute

// BusyError is a failure of the machine. The machine kept a program from its CPUs for so long that the program
// cannot be judged.
type BusyError struct{ Detail string }

// Error describes what the machine did, and a remedy.
func (e *BusyError) Error() string {
	return "the machine is too busy: " + e.Detail + "\n    repeat the command when this machine is less busy, or with fewer jobs (-j)"
}

// Resource names a resource that a program can use too much of.
type Resource string

const (
	NoResource Resource = ""          // no limit was reached
	CPUTime    Resource = "cpu"       // CPU time
	WallTime   Resource = "wall"      // wall time
	Memory     Resource = "memory"    // bytes in use
	Output     Resource = "output"    // bytes written
	Processes  Resource = "processes" // concurrent processes and threads
)

// Exec is the record of one process and everything it started. It contains only facts; Classify judges them.
type Exec struct {
	Exit   int           // exit code; zero if a signal killed the process
	Signal string        // signal that killed the process, such as "SIGSEGV"; empty if none
	Killed Resource      // limit for which it was killed, as recorded at that moment
	CPU    time.Duration // total CPU time of all threads and children
	Wall   time.Duration // time from start to end, including waits for a CPU, which no limit counts
	Memory int64         // peak memory, in bytes
	Output int64         // bytes written to standard output, as far as counted
	// Asleep means that the process was killed at its wall time limit while it was waiting, but not for a CPU, a
	// disk or the judge. It is false if this is unknown, and after decoding from JSON.
	Asleep bool
	// Withheld means that a contestant may see only the times and which limit was reached. The other fields are
	// then zero, and are omitted from JSON.
	Withheld bool
}

// Termination describes how the process ended, such as "exit code 3", "signal SIGSEGV" or "killed at its time limit".
func (x Exec) Termination() string {
	switch {
	case x.Killed == NoResource && x.Signal == "":
		return fmt.Sprintf("exit code %d", x.Exit)
	case x.Killed == NoResource:
		return "signal " + x.Signal
	case x.Killed == CPUTime:
		return "killed at its time limit"
	case x.Killed == WallTime:
		return "killed while it waited"
	case x.Killed == Processes:
		return fmt.Sprintf("exit code %d, with too many processes", x.Exit)
	}
	return fmt.Sprintf("killed at its %s limit", x.Killed)
}

// execJSON is the JSON form of Exec, with units in the names.
type execJSON struct {
	Exit   *int     `json:"exit,omitempty"` // nil if withheld
	Signal string   `json:"signal,omitempty"`
	Killed Resource `json:"killed,omitempty"`
	CPU    float64  `json:"cpu_ms"`
	Wall   float64  `json:"wall_ms"`
	Memory *int64   `json:"memory_bytes,omitempty"`
	Output *int64   `json:"output_bytes,omitempty"`
}

// MarshalJSON encodes times in milliseconds and sizes in bytes.
func (x Exec) MarshalJSON() ([]byte, error) {
	j := execJSON{Signal: x.Signal, Killed: x.Killed, CPU: millis(x.CPU), Wall: millis(x.Wall)}
	if !x.Withheld {
		j.Exit, j.Memory, j.Output = &x.Exit, &x.Memory, &x.Output
	}
	return json.Marshal(j)
}

// UnmarshalJSON decodes the output of MarshalJSON.
func (x *Exec) UnmarshalJSON(data []byte) error {
	var j execJSON
	if err := json.Unmarshal(data, &j); err != nil {
		return err
	}
	*x = Exec{Signal: j.Signal, Killed: j.Killed, CPU: fromMillis(j.CPU), Wall: fromMillis(j.Wall), Withheld: j.Exit == nil}
	if !x.Withheld {
		x.Exit = *j.Exit
	}
	if j.Memory != nil {
		x.Memory = *j.Memory
	}
	if j.Output != nil {
		x.Output = *j.Output
	}
	return nil
}

// millis returns d in milliseconds, with microsecond precision.
func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func fromMillis(ms float64) time.Duration {
	return time.Duration(ms*1000+0.5) * time.Microsecond
}
