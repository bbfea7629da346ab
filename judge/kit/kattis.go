package kit

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Exit codes of the Kattis protocol.
const (
	kattisRight = 42
	kattisWrong = 43
	kattisFault = 1
)

// askedForKattis reports whether the program was started with --kattis. In this mode it follows the protocol of
// the ICPC problem package format, so it can be part of a package. An input validator reads standard input, and
// exits with 42 or 43. An output validator takes the input, the answer and a feedback directory as arguments, and
// reads the output from standard input.
func askedForKattis() bool { return len(os.Args) > 1 && os.Args[1] == "--kattis" }

// checkForKattis runs an output validator on one output.
func checkForKattis(check func(name string, in, out, ans []byte) quit) {
	if len(os.Args) < 5 {
		exitForKattis("", quit{Fail, "usage: " + os.Args[0] + " --kattis <input file> <answer file> <feedback directory> < <output file>"})
	}
	in, err := os.ReadFile(os.Args[2])
	if err != nil {
		exitForKattis(os.Args[4], quit{Fail, err.Error()})
	}
	ans, err := os.ReadFile(os.Args[3])
	if err != nil {
		exitForKattis(os.Args[4], quit{Fail, err.Error()})
	}
	out, err := io.ReadAll(os.Stdin)
	if err != nil {
		exitForKattis(os.Args[4], quit{Fail, err.Error()})
	}
	exitForKattis(os.Args[4], check("", in, out, ans))
}

// exitForKattis ends the program. It writes the message to standard error and, if there is one, to the feedback
// directory.
func exitForKattis(feedback string, q quit) {
	if q.message != "" {
		fmt.Fprintln(os.Stderr, q.message)
		if feedback != "" {
			if err := os.WriteFile(filepath.Join(feedback, "judgemessage.txt"), []byte(q.message+"\n"), 0o644); err != nil {
				fmt.Fprintln(os.Stderr, err)
			}
		}
	}
	os.Exit(map[Verdict]int{OK: kattisRight, WA: kattisWrong, Fail: kattisFault}[q.verdict])
}
