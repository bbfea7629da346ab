//go:build linux

package sandboxtest

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	hostileName = "hostile"       // file name of the test binary in the programs' directory
	hostileMark = "ASSAY_HOSTILE" // environment variable of hostile programs
	exitBreach  = 42              // exit code of a hostile program that succeeded
)

// Main acts as a hostile program if this process was started as one, and then never returns. It must be called in
// TestMain, after sandbox.Main.
func Main() {
	if os.Getenv(hostileMark) == "" || len(os.Args) < 2 {
		return
	}
	mode, ok := modes[os.Args[1]]
	if !ok {
		fmt.Fprintln(os.Stderr, "no hostile mode", os.Args[1])
		os.Exit(99)
	}
	mode(os.Args[2:])
	os.Exit(0)
}

// must exits if a hostile program cannot even begin.
func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "hostile program:", err)
		os.Exit(98)
	}
}

// breach exits with exitBreach, which means that an attempt of the hostile program succeeded. It prints what was reached.
func breach(what string) {
	fmt.Fprintln(os.Stderr, "got in:", what)
	os.Exit(exitBreach)
}

func number(args []string, i int) int {
	n, err := strconv.Atoi(args[i])
	must(err)
	return n
}

// selfCommand returns a command that runs this hostile program with other arguments.
func selfCommand(args ...string) *exec.Cmd {
	self, err := os.Executable()
	must(err)
	cmd := exec.Command(self, args...)
	cmd.Env = os.Environ()
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd
}

// touch allocates memory and writes to each page.
func touch(mib int) []byte {
	b, err := unix.Mmap(-1, 0, mib<<20, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	must(err)
	for i := 0; i < len(b); i += 4096 {
		b[i] = 1
	}
	return b
}

// shareForever writes to memory that is mapped as shared, and then keeps running.
func shareForever(mib int) {
	fillShared(mib)
	time.Sleep(time.Hour)
}

func fillShared(mib int) {
	b, err := unix.Mmap(-1, 0, mib<<20, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_ANON)
	must(err)
	for i := 0; i < len(b); i += 4096 {
		b[i] = 1
	}
}

// shareWithTheDead starts child processes. Each of them fills a part of the same shared memory and exits.
func shareWithTheDead(mib int) {
	b, err := unix.Mmap(-1, 0, mib<<20, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_ANON)
	must(err)
	const bit = 4 << 20
	for from := 0; from < len(b); from += bit {
		pid, _, errno := unix.RawSyscall6(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
		switch {
		case errno != 0:
			must(errno)
		case pid == 0: // no Go function works here
			for i := from; i < from+bit; i += 4096 {
				b[i] = 1
			}
			unix.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
		}
		must2(unix.Wait4(int(pid), nil, 0, nil))
	}
	time.Sleep(time.Hour)
}

// memoryFile fills a memory file, and then keeps running. If it cannot create one, it uses ordinary memory.
func memoryFile(mib int) {
	fd, err := unix.MemfdCreate("full", 0)
	if err != nil {
		touch(mib)
		time.Sleep(time.Hour)
	}
	for range mib {
		must2(unix.Write(fd, make([]byte, 1<<20)))
	}
	time.Sleep(time.Hour)
}

// syncAll calls syncfs with an invalid descriptor. The filter must pretend success: an error shows that the call
// reached the kernel.
func syncAll() {
	if unix.Syncfs(-1) != nil {
		breach("syncfs")
	}
}

// modes maps names to the hostile programs written in Go.
var modes = map[string]func(args []string){
	"exit":             func(a []string) { os.Exit(number(a, 0)) },
	"sleep":            func(a []string) { time.Sleep(duration(a, 0)) },
	"name-of-stdin":    func([]string) { nameOfStdin() },
	"cat":              func([]string) { copyAll(os.Stdout, os.Stdin) },
	"cat-devices":      func([]string) { copyAll(open("/dev/stdout", os.O_WRONLY), open("/dev/stdin", os.O_RDONLY)) },
	"write":            func(a []string) { copyAll(os.Stdout, bytes.NewReader(make([]byte, number(a, 0)))) },
	"write-errors":     func(a []string) { copyAll(os.Stderr, bytes.NewReader(make([]byte, number(a, 0)))) },
	"write-then-sleep": func([]string) { copyAll(os.Stdout, strings.NewReader("x")); time.Sleep(time.Hour) },
	"environment":      func([]string) { fmt.Println(environmentSize()) },
	"census":           func([]string) { printTraces() },

	"ask":             func(a []string) { ask(number(a, 0)) },
	"answer":          func(a []string) { answer(duration(a, 0)) },
	"pester":          func([]string) { writeForever() },
	"sleep-then-read": func(a []string) { time.Sleep(duration(a, 0)); must2(os.Stdin.Read(make([]byte, 100))) },

	"spin-in-threads":  func(a []string) { spinInThreads(number(a, 0)) },
	"spin-in-children": func(a []string) { runAll(number(a, 0), "burn", "1h") },
	"processors":       func([]string) { processors() },
	"burn":             func(a []string) { burn(duration(a, 0)) },
	"burn-in-children": func(a []string) { runAll(number(a, 0), "burn", a[1]) },
	"touch":            func(a []string) { runtime.KeepAlive(touch(number(a, 0))) },
	"touch-in-child":   func(a []string) { _ = selfCommand("touch", a[0]).Run() },
	"share":            func(a []string) { shareForever(number(a, 0)) },
	"share-and-go":     func(a []string) { fillShared(number(a, 0)); time.Sleep(200 * time.Millisecond) },
	"share-with-dead":  func(a []string) { shareWithTheDead(number(a, 0)) },
	"memory-file":      func(a []string) { memoryFile(number(a, 0)) },
	"reserve":          func(a []string) { reserve(number(a, 0)) },
	"fill":             func(a []string) { fill(a[0]+"/full", number(a, 1)) },
	"fill-unlinked":    func(a []string) { fillUnlinked(number(a, 0)) },
	"fill-mapped":      func(a []string) { fillMapped(number(a, 0)) },
	"reserve-room":     func([]string) { reserveRoom() },
	"fill-to-the-brim": func(a []string) { fillToTheBrim(int64(number(a, 0)) << 20) },
	"allocate":         func(a []string) { allocate(a[0]+"/full", number(a, 1)) },
	"nest":             func(a []string) { nest(number(a, 0)) },
	"many-files":       func([]string) { manyFiles() },
	"open-files":       func(a []string) { openFiles(number(a, 0)) },
	"flood":            func([]string) { flood() },
	"tiny-writes":      func(a []string) { tinyWrites(number(a, 0)) },
	"close-and-spin":   func([]string) { must(unix.Close(1)); burn(time.Hour) },

	"double-fork":  func([]string) { doubleFork() },
	"deaf-daemons": func([]string) { deafDaemons() },
	"deaf":         func([]string) { signal.Ignore(); copyAll(os.Stdout, strings.NewReader("x")); burn(time.Hour) },
	"leave-things": func([]string) { leaveThings() },
	"leave-tree":   func([]string) { leaveTree() },
	"leave-times":  func([]string) { leaveTimes() },
	"send-stdout":  func([]string) { sendStdout() },

	"prlimit-init":  func([]string) { prlimitInit() },
	"kill-init":     func([]string) { killInit() },
	"namespaces":    func([]string) { namespaces() },
	"setns":         func([]string) { setns() },
	"sockets":       func([]string) { sockets() },
	"inotify":       func([]string) { attempt("inotify_init1", unix.SYS_INOTIFY_INIT1, 0) },
	"locks":         func([]string) { locks() },
	"lock":          func([]string) { lock() },
	"schedule":      func([]string) { schedule() },
	"core-limit":    func(a []string) { coreLimit(uint64(number(a, 0))) },
	"state":         func(a []string) { printState(a[0] == "true") },
	"change-state":  func([]string) { changeState() },
	"sync":          func([]string) { syncAll() },
	"huge-pages":    func([]string) { hugePages() },
	"timers":        func([]string) { timers() },
	"aio":           func([]string) { attempt("io_setup", unix.SYS_IO_SETUP, 60000, addr(new(uintptr))) },
	"io-uring":      func([]string) { attempt("io_uring_setup", unix.SYS_IO_URING_SETUP, 1, addr(new([256]byte))) },
	"keys":          func([]string) { keys() },
	"system-v":      func([]string) { systemV() },
	"message-queue": func([]string) { messageQueue() },
	"ptrace":        func([]string) { ptrace() },
	"kernel-tools":  func([]string) { kernelTools() },
	"mounts":        func([]string) { mounts() },
	"devices":       func([]string) { devices() },
	"machine":       func([]string) { machine() },
	"rights":        func([]string) { rights() },
	"host-files":    func([]string) { hostFiles() },
	"traces":        func(a []string) { traces(a[0]) },
	"read":          func(a []string) { mustNotRead(a[0]) },
	"write-system":  func([]string) { writeSystem() },
}

// nameOfStdin tries to find the file name of its input.
func nameOfStdin() {
	for _, path := range []string{"/proc/self/fd/0", "/proc/self/fdinfo/0"} {
		name, err := os.Readlink(path)
		if err != nil { // fdinfo is a text; fd is not read, because it may be a pipe
			text, _ := os.ReadFile(path)
			name = string(text)
		}
		if strings.Contains(name, "telling") {
			breach(path + " says " + name)
		}
	}
	copyAll(os.Stdout, os.Stdin)
}

func must2(_ int, err error) { must(err) }

// ask writes lines, and waits for each to be sent back.
func ask(lines int) {
	in := bufio.NewReader(os.Stdin)
	for i := range lines {
		want := fmt.Sprintln("line", i)
		fmt.Print(want)
		if got, err := in.ReadString('\n'); got != want {
			must(fmt.Errorf("said %q, heard %q, %v", want, got, err))
		}
	}
}

// answer sends back each line that it reads. Before it sends a line, it computes for the CPU time in each.
func answer(each time.Duration) {
	in := bufio.NewReader(os.Stdin)
	for used := each; ; used += each {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		burn(used)
		fmt.Print(line)
	}
}

// writeForever writes until the reader has ended.
func writeForever() {
	b := make([]byte, 64<<10)
	for {
		_, err := os.Stdout.Write(b)
		must(err)
	}
}

func duration(args []string, i int) time.Duration {
	d, err := time.ParseDuration(args[i])
	must(err)
	return d
}

func open(path string, flag int) *os.File {
	f, err := os.OpenFile(path, flag, 0)
	must(err)
	return f
}

// copyAll copies data without the optimizations that package io uses for files.
func copyAll(to io.Writer, from io.Reader) {
	_, err := io.Copy(struct{ io.Writer }{to}, struct{ io.Reader }{from})
	must(err)
}

func environmentSize() (n int) {
	for _, e := range os.Environ() {
		if name, value, _ := strings.Cut(e, "="); strings.HasPrefix(name, "BIG") {
			n += len(value)
		}
	}
	return n
}

func burn(d time.Duration) {
	for {
		var ru unix.Rusage
		must(unix.Getrusage(unix.RUSAGE_SELF, &ru))
		if time.Duration(ru.Utime.Nano()+ru.Stime.Nano()) >= d {
			return
		}
		for x := 0; x < 1e5; x++ {
			runtime.KeepAlive(x)
		}
	}
}

// processors requests all CPUs, and prints how many this program may use.
func processors() {
	var set, all unix.CPUSet
	all.Fill()
	_ = unix.SchedSetaffinity(0, &all)
	must(unix.SchedGetaffinity(0, &set))
	fmt.Println(set.Count())
}

func spinInThreads(n int) {
	runtime.GOMAXPROCS(n)
	for range n - 1 {
		go burn(time.Hour)
	}
	burn(time.Hour)
}

// runAll runs children and waits for them.
func runAll(n int, args ...string) {
	var all []*exec.Cmd
	for range n {
		c := selfCommand(args...)
		must(c.Start())
		all = append(all, c)
	}
	for _, c := range all {
		must(c.Wait())
	}
}

func reserve(mib int) {
	_, err := unix.Mmap(-1, 0, mib<<20, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
	must(err)
}

func fill(path string, mib int) {
	f, err := os.Create(path)
	must(err)
	for range mib {
		_, err := f.Write(make([]byte, 1<<20))
		must(err)
	}
}

// fillUnlinked writes to files of 8 MiB without names.
func fillUnlinked(mib int) {
	var held []*os.File
	for i := 0; i < mib; i += 8 {
		f, err := os.Create(fmt.Sprint("none", i))
		must(err)
		must(os.Remove(f.Name()))
		for range 8 {
			must2(f.Write(make([]byte, 1<<20)))
		}
		held = append(held, f)
	}
	time.Sleep(time.Hour)
	runtime.KeepAlive(held)
}

// fillMapped writes to files of 8 MiB with neither names nor descriptors.
func fillMapped(mib int) {
	for i := 0; i < mib; i += 8 {
		f, err := os.Create(fmt.Sprint("none", i))
		must(err)
		must(f.Truncate(8 << 20))
		b, err := unix.Mmap(int(f.Fd()), 0, 8<<20, unix.PROT_WRITE, unix.MAP_SHARED)
		must(err)
		must(os.Remove(f.Name()))
		must(f.Close())
		for k := 0; k < len(b); k += 4096 {
			b[k] = 1
		}
		must(unix.Msync(b, unix.MS_SYNC)) // otherwise it takes no space yet
	}
	time.Sleep(time.Hour)
}

// reserveRoom reserves space with the calls that preceded fallocate.
func reserveRoom() {
	f, err := os.Create("room")
	must(err)
	for _, request := range []uintptr{0x40305828, 0x4030582a, 0x40305839} {
		var all [6]uint64 // struct space_resv: l_type, l_whence, l_start, l_len, ...
		all[2] = 900 << 20
		if _, _, errno := unix.Syscall(unix.SYS_IOCTL, f.Fd(), request, uintptr(unsafe.Pointer(&all))); errno == 0 {
			must(fmt.Errorf("request %#x takes room", request))
		}
	}
}

// fillToTheBrim writes until no space is left, and then tries to write one more file. If it can write more than
// room bytes, it exits with exitBreach.
func fillToTheBrim(room int64) {
	var written int64
	for i := range 2 {
		f, err := os.Create(fmt.Sprint("full", i))
		must(err)
		for err == nil {
			var n int
			n, err = f.Write(make([]byte, 64<<10))
			if written += int64(n); written > room {
				breach(fmt.Sprintf("wrote %d bytes to a scratch directory of %d", written, room))
			}
		}
	}
}

// allocate allocates disk space without writing.
func allocate(path string, mib int) {
	f, err := os.Create(path)
	must(err)
	if unix.Fallocate(int(f.Fd()), 0, 0, int64(mib)<<20) == nil {
		breach("allocated space that is not watched")
	}
}

// nest creates nested directories.
func nest(levels int) {
	for range levels {
		must(os.Mkdir("d", 0o700))
		must(os.Chdir("d"))
	}
}

// hugePages tries to map huge pages without reserving them, which works even with an empty pool.
func hugePages() {
	if _, err := unix.Mmap(-1, 0, 2<<20, unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE|unix.MAP_HUGETLB); err == nil {
		breach("mapped a huge page that is not counted")
	}
	if _, err := unix.MemfdCreate("huge", unix.MFD_HUGETLB); err == nil {
		breach("made a file of huge pages that is not counted")
	}
}

// timers creates kernel timers, whose number per user is limited.
func timers() {
	for range 4096 {
		var id int32
		if _, _, errno := unix.Syscall(unix.SYS_TIMER_CREATE, unix.CLOCK_MONOTONIC, 0, addr(&id)); errno != 0 {
			return
		}
	}
	breach("took 4,096 timers")
}

func manyFiles() {
	for i := range 200_000 {
		f, err := os.Create(fmt.Sprint("f", i))
		if err != nil {
			return
		}
		f.Close()
	}
	breach("made 200,000 files")
}

func openFiles(most int) {
	for i := range most + 1 {
		if fd, err := unix.Open("/dev/null", unix.O_RDONLY, 0); err != nil {
			return
		} else if fd >= most {
			breach(fmt.Sprintf("opened file %d after %d others, limit %d", fd, i, most))
		}
	}
	breach("opened more files than the limit")
}

func flood() {
	b := bytes.Repeat([]byte("y\n"), 32<<10)
	for {
		if _, err := os.Stdout.Write(b); err != nil {
			time.Sleep(time.Hour)
		}
	}
}

func tinyWrites(n int) {
	for range n {
		_, err := unix.Write(1, []byte("x"))
		must(err)
	}
}

// doubleFork leaves a process whose parent has exited.
func doubleFork() {
	c := selfCommand("sleep", "1h")
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	must(c.Start())
}

// deafDaemons leaves processes that ignore all signals. It waits until they do.
func deafDaemons() {
	for range 3 {
		c := selfCommand("deaf")
		c.Stdout = nil
		c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		ready, err := c.StdoutPipe()
		must(err)
		must(c.Start())
		_, err = io.ReadFull(ready, make([]byte, 1))
		must(err)
	}
}

// printTraces prints the traces of previous runs that it finds. There must be none.
func printTraces() {
	if entries, err := os.ReadDir("/proc"); err == nil {
		for _, e := range entries {
			if pid, err := strconv.Atoi(e.Name()); err == nil && pid != os.Getpid() {
				name, _ := os.ReadFile("/proc/" + e.Name() + "/cmdline")
				fmt.Printf("process %d: %q\n", pid, name)
			}
		}
	}
	for _, dir := range []string{"/tmp", "/dev/shm", "/var/tmp"} {
		entries, err := os.ReadDir(dir)
		must(err)
		for _, e := range entries {
			fmt.Println("file", filepath.Join(dir, e.Name()))
		}
	}
	var st unix.Stat_t
	must(unix.Stat("/tmp", &st))
	if st.Mtim.Sec != 946684800 || st.Mode&0o7777 != 0o1777 {
		fmt.Printf("/tmp has mode %o and was changed at %d\n", st.Mode, st.Mtim.Sec)
	}
	for fd := 3; fd < 100; fd++ {
		if to, err := os.Readlink(fmt.Sprint("/proc/self/fd/", fd)); err == nil &&
			!strings.HasPrefix(to, "anon_inode:") && !strings.HasPrefix(to, "/proc/") {
			fmt.Println("open file", fd, to)
		}
	}
	if mask := unix.Umask(0); mask != 0o022 {
		fmt.Printf("umask %o\n", mask)
	}
}

func leaveThings() {
	must(os.Symlink("/etc/passwd", "link"))
	must(unix.Mkfifo("fifo", 0o666))
	must(os.WriteFile(".hidden", []byte("secret"), 0))
	must(os.Mkdir("closed", 0))
	must(os.Link(".hidden", "hard"))
	must(os.WriteFile("/dev/shm/sem.x", []byte("x"), 0o600))
}

func leaveTree() {
	for range 200 {
		must(os.Mkdir("d", 0o700))
		must(os.WriteFile("f", nil, 0))
		must(os.Chdir("d"))
	}
	for range 200 {
		must(os.Chdir(".."))
		must(os.Chmod("d", 0))
		if _, err := os.Stat("/tmp/d"); err != nil {
			return
		}
	}
}

func leaveTimes() {
	must(os.WriteFile("x", nil, 0o600))
	must(os.Remove("x"))
	_ = os.Chtimes("/tmp", time.Unix(1, 0), time.Unix(2, 0))
	_ = os.Chmod("/tmp", 0o777)
	_ = unix.Setxattr("/tmp", "user.note", []byte("x"), 0)
}

// sendStdout leaves standard output in a socket that only the socket itself refers to.
func sendStdout() {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM, 0)
	must(err)
	must(unix.Sendmsg(pair[0], []byte("x"), unix.UnixRights(1, pair[0], pair[1]), nil, 0))
	must(unix.Sendmsg(pair[1], []byte("x"), unix.UnixRights(1, pair[0], pair[1]), nil, 0))
}
