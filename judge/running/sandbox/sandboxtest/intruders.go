//go:build linux

package sandboxtest

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// attempt makes a system call that must fail.
func attempt(what string, nr uintptr, args ...uintptr) {
	var a [6]uintptr
	copy(a[:], args)
	if _, _, errno := unix.Syscall6(nr, a[0], a[1], a[2], a[3], a[4], a[5]); errno == 0 {
		breach(what)
	}
}

// addr returns the address of memory for a system call, in a program that soon exits.
func addr[T any](p *T) uintptr { return uintptr(unsafe.Pointer(p)) }

func text(s string) uintptr { return addr(unsafe.StringData(s + "\x00")) }

func prlimitInit() {
	for pid := 1; pid < 20; pid++ {
		if pid != os.Getpid() && unix.Prlimit(pid, unix.RLIMIT_NOFILE, &unix.Rlimit{}, nil) == nil {
			breach(fmt.Sprint("prlimit of process ", pid))
		}
	}
}

// killInit sends each signal to the first process and to its threads. Sending may succeed, but the first process
// must survive. Otherwise this program would end too.
func killInit() {
	for sig := syscall.Signal(1); sig <= 31; sig++ {
		_ = unix.Kill(1, sig)
		for tid := 1; tid < os.Getpid(); tid++ {
			_ = unix.Tgkill(1, tid, sig)
		}
	}
	if fd, err := unix.PidfdOpen(1, 0); err == nil {
		_ = unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0)
	}
}

var namespaceFlags = map[string]uintptr{
	"mount": unix.CLONE_NEWNS, "cgroup": unix.CLONE_NEWCGROUP, "uts": unix.CLONE_NEWUTS, "ipc": unix.CLONE_NEWIPC,
	"user": unix.CLONE_NEWUSER, "pid": unix.CLONE_NEWPID, "net": unix.CLONE_NEWNET, "time": unix.CLONE_NEWTIME,
	"user and net": unix.CLONE_NEWUSER | unix.CLONE_NEWNET,
}

func namespaces() {
	for name, flag := range namespaceFlags {
		attempt("unshare "+name, unix.SYS_UNSHARE, flag)
		if flag == unix.CLONE_NEWTIME {
			continue // clone treats it as a signal
		}
		pid, _, errno := unix.RawSyscall6(unix.SYS_CLONE, flag|uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
		if errno == 0 {
			if pid == 0 {
				unix.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
			}
			breach("clone " + name)
		}
		attempt("clone3 "+name, unix.SYS_CLONE3, addr(&[11]uint64{uint64(flag)}), 88)
	}
}

func setns() {
	for _, name := range []string{"mnt", "pid", "net", "user", "ipc"} {
		for _, path := range []string{"/proc/1/ns/", "/proc/self/ns/"} {
			if fd, err := unix.Open(path+name, unix.O_RDONLY, 0); err == nil {
				attempt("setns "+path+name, unix.SYS_SETNS, uintptr(fd), 0)
			} else if path == "/proc/self/ns/" && err != unix.ENOENT {
				must(err)
			}
		}
	}
	if fd, err := unix.PidfdOpen(1, 0); err == nil {
		attempt("setns of the first process", unix.SYS_SETNS, uintptr(fd), unix.CLONE_NEWNS)
		attempt("pidfd_getfd", unix.SYS_PIDFD_GETFD, uintptr(fd), 3, 0)
	}
}

func sockets() {
	for family := range 50 {
		for _, kind := range []int{unix.SOCK_STREAM, unix.SOCK_DGRAM, unix.SOCK_RAW, unix.SOCK_SEQPACKET} {
			if _, err := unix.Socket(family, kind, 0); err == nil {
				breach(fmt.Sprintf("socket of family %d, kind %d", family, kind))
			}
			if _, err := unix.Socketpair(family, kind, 0); err == nil && family != unix.AF_UNIX {
				breach(fmt.Sprintf("pair of sockets of family %d, kind %d", family, kind))
			}
		}
	}
}

// locks tries to lock a file that all programs see, or to find out which process has locked it.
func locks() {
	f := open("/bin/sh", unix.O_RDONLY)
	attempt("flock", unix.SYS_FLOCK, f.Fd(), unix.LOCK_EX|unix.LOCK_NB)
	for _, command := range []uintptr{unix.F_GETLK, unix.F_SETLK, unix.F_SETLKW, unix.F_OFD_GETLK, unix.F_OFD_SETLK, unix.F_OFD_SETLKW} {
		attempt("fcntl", unix.SYS_FCNTL, f.Fd(), command, addr(&unix.Flock_t{Type: unix.F_RDLCK}))
	}
	attempt("dnotify", unix.SYS_FCNTL, open("/bin", unix.O_RDONLY).Fd(), unix.F_NOTIFY, 1)
}

// lock locks a file of this program with both kinds of locks, as build tools do.
func lock() {
	f, err := os.Create("lock")
	must(err)
	must(unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB))
	must(unix.FcntlFlock(f.Fd(), unix.F_OFD_SETLK, &unix.Flock_t{Type: unix.F_WRLCK, Len: 1}))
	must(unix.FcntlFlock(f.Fd(), unix.F_SETLK, &unix.Flock_t{Type: unix.F_WRLCK, Start: 1}))
}

// schedule changes the scheduling of one of this program's own threads by its id, as language runtimes do.
func schedule() {
	id := make(chan int)
	go func() {
		runtime.LockOSThread()
		id <- unix.Gettid()
		<-id
	}()
	thread := <-id
	defer close(id)
	if _, _, errno := unix.Syscall(unix.SYS_SCHED_SETSCHEDULER, uintptr(thread), 0, addr(new(int32))); errno != 0 {
		breach("may not set its scheduling: " + errno.Error())
	}
	must(unix.Setpriority(unix.PRIO_PROCESS, thread, 1))
}

func keys() {
	const session = ^uintptr(2) // -3
	attempt("add_key", unix.SYS_ADD_KEY, text("user"), text("note"), text("x"), 1, session)
	attempt("request_key", unix.SYS_REQUEST_KEY, text("user"), text("note"), 0, 0)
	attempt("keyctl", unix.SYS_KEYCTL, 0, session, 1)
}

func systemV() {
	const create = 0o1000 | 0o600
	attempt("shmget", unix.SYS_SHMGET, 1, 4096, create)
	attempt("msgget", unix.SYS_MSGGET, 1, create)
	attempt("semget", unix.SYS_SEMGET, 1, 1, create)
}

func messageQueue() {
	attempt("mq_open", unix.SYS_MQ_OPEN, text("note"), unix.O_CREAT|unix.O_RDWR, 0o600, 0)
}

func ptrace() {
	attempt("ptrace", unix.SYS_PTRACE, unix.PTRACE_TRACEME, 0, 0, 0)
	attempt("ptrace of the first process", unix.SYS_PTRACE, unix.PTRACE_SEIZE, 1, 0, 0)
	var b [8]byte
	local := unix.Iovec{Base: &b[0], Len: 8}
	attempt("process_vm_readv", unix.SYS_PROCESS_VM_READV, uintptr(os.Getpid()), addr(&local), 1, addr(&local), 1, 0)
	for _, name := range []string{"mem", "environ", "maps", "root/etc", "fd/3", "cwd/etc", "exe", "stack"} {
		mustNotRead("/proc/1/" + name)
	}
}

func kernelTools() {
	attempt("bpf", unix.SYS_BPF, 0, addr(new([128]byte)), 128)
	attempt("perf_event_open", unix.SYS_PERF_EVENT_OPEN, addr(new([128]byte)), 0, ^uintptr(0), ^uintptr(0), 0)
	attempt("userfaultfd", unix.SYS_USERFAULTFD, 1)
	attempt("memfd_secret", unix.SYS_MEMFD_SECRET, 0)
}

func mounts() {
	attempt("mount", unix.SYS_MOUNT, text("none"), text("/tmp"), text("tmpfs"), 0, 0)
	attempt("remount", unix.SYS_MOUNT, text("none"), text("/"), 0, unix.MS_REMOUNT, 0)
	attempt("umount", unix.SYS_UMOUNT2, text("/tmp"), 0)
	attempt("chroot", unix.SYS_CHROOT, text("/tmp"))
	attempt("pivot_root", unix.SYS_PIVOT_ROOT, text("/tmp"), text("/tmp"))
	attempt("open_tree", unix.SYS_OPEN_TREE, 0, text("/"), unix.OPEN_TREE_CLONE)
	attempt("fsopen", unix.SYS_FSOPEN, text("tmpfs"), 0)
	attempt("mount_setattr", unix.SYS_MOUNT_SETATTR, 0, text("/"), 0, addr(&unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY}), 32)
	attempt("name_to_handle_at", unix.SYS_NAME_TO_HANDLE_AT, 0, text("/"), addr(&[40]uint32{128}), addr(new(int32)), 0)
}

func devices() {
	for name, dev := range map[string]int{
		"mem": int(unix.Mkdev(1, 1)), "kmsg": int(unix.Mkdev(1, 11)), "disk": int(unix.Mkdev(254, 0)),
		"null": int(unix.Mkdev(1, 3)),
	} {
		if unix.Mknod(name, unix.S_IFCHR|0o666, dev) == nil {
			breach("mknod " + name)
		}
		if unix.Mknod(name, unix.S_IFBLK|0o666, dev) == nil {
			breach("mknod of a block device " + name)
		}
	}
	for _, path := range []string{
		"/dev/mem", "/dev/kmsg", "/dev/kvm", "/dev/fuse", "/dev/tty", "/dev/ptmx", "/dev/console", "/dev/vda",
		"/dev/sda", "/dev/net/tun",
	} {
		mustNotRead(path)
	}
}

func machine() {
	attempt("kexec_load", unix.SYS_KEXEC_LOAD, 0, 0, 0, 0)
	attempt("init_module", unix.SYS_INIT_MODULE, 0, 0, text(""))
	attempt("delete_module", unix.SYS_DELETE_MODULE, text("x"), 0)
	attempt("clock_settime", unix.SYS_CLOCK_SETTIME, 0, addr(&unix.Timespec{Sec: 1}))
	attempt("settimeofday", unix.SYS_SETTIMEOFDAY, addr(&unix.Timeval{Sec: 1}), 0)
	attempt("reboot", unix.SYS_REBOOT, unix.LINUX_REBOOT_MAGIC1, unix.LINUX_REBOOT_MAGIC2, unix.LINUX_REBOOT_CMD_CAD_OFF, 0)
	attempt("sethostname", unix.SYS_SETHOSTNAME, text("x"), 1)
	attempt("syslog", unix.SYS_SYSLOG, 3, addr(new([64]byte)), 64)
	attempt("swapon", unix.SYS_SWAPON, text("/tmp/x"), 0)
	attempt("acct", unix.SYS_ACCT, text("/tmp/x"))
}

func rights() {
	status, err := os.ReadFile("/proc/self/status")
	must(err)
	for line := range strings.Lines(string(status)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		value = strings.TrimSpace(value)
		switch {
		case strings.HasPrefix(key, "Cap") && strings.Trim(value, "0") != "":
			breach(key + " is " + value)
		case key == "NoNewPrivs" && value != "1", key == "Seccomp" && value != "2":
			breach(key + " is " + value)
		case key == "Groups" && value != "" && os.Getuid() != 0: // a rootless zygote cannot leave its user's groups
			breach("member of groups " + value)
		}
	}
	if os.Getuid() != 0 {
		for _, id := range []int{0, 1, 65534} {
			attempt(fmt.Sprint("become user ", id), unix.SYS_SETUID, uintptr(id))
			attempt(fmt.Sprint("become user ", id), unix.SYS_SETRESUID, uintptr(id), uintptr(id), uintptr(id))
			attempt(fmt.Sprint("become group ", id), unix.SYS_SETGID, uintptr(id))
		}
	}
	attempt("join group 0", unix.SYS_SETGROUPS, 1, addr(new(uint32)))
	if _, err := os.OpenFile("/dev/tty", os.O_RDWR, 0); err == nil {
		breach("has a terminal")
	}
	if session, err := unix.Getsid(0); err != nil || session != 1 {
		breach(fmt.Sprintf("session %d, %v", session, err))
	}
}

// mustNotRead tries to read a file or to list a directory, and exits with exitBreach if that succeeds.
func mustNotRead(path string) {
	f, err := os.Open(path)
	if err != nil {
		return
	}
	defer f.Close()
	if names, err := f.Readdirnames(-1); err == nil && len(names) == 0 {
		return // an empty directory reveals nothing
	} else if err == nil {
		breach(fmt.Sprintf("listed %s: %q", path, names))
	}
	b := make([]byte, 16)
	if n, err := f.Read(b); err == nil {
		breach(fmt.Sprintf("read %s: %q", path, b[:n]))
	}
}

func hostFiles() {
	for _, path := range []string{
		"/etc/shadow", "/etc/gshadow", "/etc/ssh", "/etc/machine-id", "/etc/resolv.conf", "/etc/sudoers",
		"/root", "/home", "/sys", "/boot", "/mnt", "/media", "/srv", "/run", "/var/log", "/var/run", "/var/spool", "/opt", "/work",
		"/proc/kcore", "/proc/kallsyms", "/proc/sys", "/proc/sysrq-trigger", "/proc/mounts/../1", "/proc/keys",
		"/proc/cmdline", "/proc/self/root/home",
	} {
		mustNotRead(path)
	}
	if users, err := os.ReadFile("/etc/passwd"); err != nil || strings.Count(string(users), "\n") > 2 {
		breach("sees the host's users")
	}
}

// traces searches everything in /proc for mounts and for names of the host's directories. The argument is the path
// of a directory on the host. Because the program may know the base name of that directory, traces searches for
// the base name of its parent.
func traces(dir string) {
	dir = filepath.Base(filepath.Dir(dir))
	for _, pattern := range []string{
		"/proc/*", "/proc/[0-9st]*/*", "/proc/[0-9st]*/task/*/*", "/proc/self/map_files/*", "/proc/self/fd/*",
		"/proc/self/fdinfo/*", "/proc/self/ns/*",
	} {
		paths, err := filepath.Glob(pattern)
		must(err)
		for _, path := range paths {
			name := filepath.Base(path)
			if to, err := os.Readlink(path); err == nil && strings.Contains(to, dir) {
				breach(path + " leads to " + to)
			}
			st, err := os.Stat(path)
			if err != nil || !st.Mode().IsRegular() || name == "cmdline" { // which contains this program's arguments
				continue
			}
			text := readSome(path)
			listed := len(text) > 0 && strings.HasPrefix(name, "mount")
			if listed || strings.Contains(text, dir) || name == "cgroup" && strings.Count(text, ":/\n") < strings.Count(text, "\n") {
				breach(fmt.Sprintf("%s says %s", path, text))
			}
		}
	}
	request := [4]uint64{32, ^uint64(0)} // all mounts
	attempt("listmount", unix.SYS_LISTMOUNT, addr(&request), addr(new([64]uint64)), 64, 0)
	request = [4]uint64{32, 1, ^uint64(0)}
	attempt("statmount", unix.SYS_STATMOUNT, addr(&request), addr(new([4096]byte)), 4096, 0)
}

// readSome reads as much of the beginning of a file as it can.
func readSome(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	text, _ := io.ReadAll(io.LimitReader(f, 1<<20))
	return string(text)
}

func writeSystem() {
	for _, dir := range []string{"/", "/usr", "/usr/bin", "/bin", "/etc", "/dev", "/proc", "/program", "/home", "/var", "/run", "/lib"} {
		if err := os.WriteFile(dir+"/x", []byte("x"), 0o644); err == nil {
			breach("wrote to " + dir)
		}
		if err := os.Chmod(dir, 0o777); err == nil {
			breach("changed the mode of " + dir)
		}
	}
	if f, err := os.OpenFile("/program/noop", os.O_WRONLY, 0); err == nil {
		f.Close()
		breach("opened its own program for writing")
	}
	if err := os.Remove("/program/noop"); err == nil {
		breach("removed its own program")
	}
}
