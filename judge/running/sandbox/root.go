//go:build linux && (amd64 || arm64)

package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// baseSystem lists the host paths that every program sees, read-only. Paths that do not exist are omitted.
var baseSystem = []string{
	"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32",
	// Files in /etc that language runtimes read. None of them describes the host's users or contains secrets.
	"/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d",
	"/etc/localtime", "/etc/locale.alias", "/etc/mime.types",
	"/etc/java-8-openjdk", "/etc/java-11-openjdk", "/etc/java-17-openjdk", "/etc/java-21-openjdk", "/etc/java-25-openjdk",
	"/etc/mono", "/etc/perl", "/etc/php", "/etc/python3", "/etc/python3.11", "/etc/python3.12", "/etc/python3.13",
	"/var/lib/ghc", "/var/lib/ocaml",
}

// CheckHidden returns nil if programs that see the base system and readOnly cannot see anything of a host directory.
// Otherwise it returns a *ExposedDirError. The result holds for all isolation levels except None. Unseen follows links.
// A path that does not exist yet is replaced by the path where it would be created.
func CheckHidden(path string, readOnly []string) error {
	at, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	real, err := filepath.EvalSymlinks(at)
	for ; errors.Is(err, fs.ErrNotExist) && at != "/"; real, err = filepath.EvalSymlinks(at) {
		at = filepath.Dir(at)
	}
	if err != nil {
		return fmt.Errorf("look where %s is: %w", path, err)
	}
	can, _ := splitShowable(readOnly)
	var seen []fs.FileInfo
	shown := slices.Concat(baseSystem, can)
	for _, p := range shown {
		info, err := os.Stat(p)
		if err != nil {
			info = nil // it does not exist on this machine
		}
		seen = append(seen, info)
	}
	for dir := real; ; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if err != nil {
			return fmt.Errorf("look where %s is: %w", path, err)
		}
		if i := slices.IndexFunc(seen, func(s fs.FileInfo) bool { return s != nil && os.SameFile(s, info) }); i >= 0 {
			return &ExposedDirError{path, shown[i]}
		}
		if dir == "/" {
			return nil
		}
	}
}

// newRootAt lists directories in which the new root can be assembled, in the zygote's own mount namespace. The
// first directory that exists is used. None of them may contain anything that programs see.
var newRootAt = []string{"/sys", "/mnt", "/media", "/srv"}

const rootFlags = unix.MS_NOSUID | unix.MS_NODEV

// makeRoot assembles the file system that programs see, and makes it the root.
func (z *zygote) makeRoot() error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("part from the host's mounts: %w", err)
	}
	i := slices.IndexFunc(newRootAt, func(dir string) bool { _, err := os.Stat(dir); return err == nil })
	if i < 0 {
		return fmt.Errorf("cannot create a new root: none of %v exists", newRootAt)
	}
	base := newRootAt[i]
	if err := unix.Mount("tmpfs", base, "tmpfs", rootFlags, "mode=755,size=1m"); err != nil {
		return fmt.Errorf("mount a new root: %w", err)
	}
	for _, step := range []func(string) error{layOut, bindSystem, z.bindExtra, makeDevices, z.makeEtc, mountProc} {
		if err := step(base); err != nil {
			return err
		}
	}
	if err := z.scratch.mount(z, base+Scratch); err != nil {
		return err
	}
	return enterRoot(base)
}

// layOut creates the directories of the new root.
func layOut(base string) error {
	for _, dir := range []string{"/dev", "/etc", "/proc", "/tmp", "/var", "/home", "/run"} {
		if err := os.MkdirAll(base+dir, 0o755); err != nil {
			return fmt.Errorf("lay out the new root: %w", err)
		}
	}
	if err := os.Symlink("/tmp", base+"/var/tmp"); err != nil {
		return fmt.Errorf("lay out the new root: %w", err)
	}
	return nil
}

func bindSystem(base string) error {
	for _, path := range baseSystem {
		st, err := os.Lstat(path)
		if err != nil {
			continue
		}
		if st.Mode()&fs.ModeSymlink != 0 && filepath.Dir(path) == "/" {
			to, err := os.Readlink(path)
			if err == nil {
				err = os.Symlink(to, base+path)
			}
			if err != nil {
				return fmt.Errorf("copy the link %s: %w", path, err)
			}
			continue
		}
		if err := bind(path, base+path, false); err != nil {
			return err
		}
	}
	return nil
}

// bindExtra mounts the paths in Options.ReadOnly. In a rootless zygote, it also mounts the command's mounts.
func (z *zygote) bindExtra(base string) error {
	for _, path := range z.conf.ReadOnly {
		have, err := os.Stat(base + path)
		if want, err2 := os.Stat(path); err == nil && err2 == nil && os.SameFile(have, want) {
			continue // already in the base system
		}
		if err := bind(path, base+path, false); err != nil {
			return err
		}
	}
	for _, m := range z.conf.Mounts {
		if err := bind(m.Host, base+m.At, m.Writable); err != nil {
			return err
		}
	}
	return nil
}

// bind mounts a host file or directory at a path of the new root.
func bind(from, to string, writable bool) error {
	tree, err := cloneTree(from, writable)
	if err != nil {
		return err
	}
	defer unix.Close(tree)
	return attach(tree, to)
}

// cloneTree returns a detached mount of a host path.
func cloneTree(path string, writable bool) (int, error) {
	tree, err := unix.OpenTree(unix.AT_FDCWD, path, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
	if err != nil {
		return -1, fmt.Errorf("show %s inside: %w", path, err)
	}
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_NOSUID}
	if !strings.HasPrefix(path, "/dev/") {
		attr.Attr_set |= unix.MOUNT_ATTR_NODEV
	}
	if !writable {
		attr.Attr_set |= unix.MOUNT_ATTR_RDONLY
	}
	if err := unix.MountSetattr(tree, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &attr); err != nil {
		unix.Close(tree)
		return -1, fmt.Errorf("protect %s inside: %w", path, err)
	}
	return tree, nil
}

// attach attaches a detached mount at the path in to. If the path does not exist, attach creates it.
func attach(tree int, to string) error {
	var st unix.Stat_t
	if err := unix.Fstat(tree, &st); err != nil {
		return fmt.Errorf("attach at %s: %w", to, err)
	}
	if err := makePoint(to, st.Mode&unix.S_IFMT == unix.S_IFDIR); err != nil {
		return err
	}
	if err := unix.MoveMount(tree, "", unix.AT_FDCWD, to, unix.MOVE_MOUNT_F_EMPTY_PATH); err != nil {
		return fmt.Errorf("attach at %s: %w", to, err)
	}
	return nil
}

// makePoint creates an empty directory or file as a mount point.
func makePoint(path string, dir bool) error {
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	parent := path
	if !dir {
		parent = filepath.Dir(path)
	}
	err := os.MkdirAll(parent, 0o755)
	if err == nil && !dir {
		err = os.WriteFile(path, nil, 0o444)
	}
	if err != nil {
		return fmt.Errorf("make a place to mount on: %w", err)
	}
	return nil
}

func makeDevices(base string) error {
	for _, name := range []string{"null", "zero", "full", "random", "urandom"} {
		if err := bind("/dev/"+name, base+"/dev/"+name, true); err != nil {
			return err
		}
	}
	for name, to := range map[string]string{
		"fd": "/proc/self/fd", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2", "shm": Scratch,
	} {
		if err := os.Symlink(to, base+"/dev/"+name); err != nil {
			return fmt.Errorf("make the devices: %w", err)
		}
	}
	return nil
}

// userName is the name of the user inside the sandbox.
const userName = "contestant"

func (z *zygote) makeEtc(base string) error {
	user := fmt.Sprintf("root:x:0:0::/:/bin/false\n%s:x:%d:%d::%s:/bin/false\n", userName, z.conf.UID, z.conf.GID, Scratch)
	group := fmt.Sprintf("root:x:0:\n%s:x:%d:\n", userName, z.conf.GID)
	for name, text := range map[string]string{
		"passwd": user, "group": group, "hostname": "sandbox\n", "hosts": "127.0.0.1 localhost sandbox\n",
		"nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
	} {
		if err := os.WriteFile(base+"/etc/"+name, []byte(text), 0o644); err != nil {
			return fmt.Errorf("make /etc: %w", err)
		}
	}
	if err := unix.Sethostname([]byte("sandbox")); err != nil {
		return fmt.Errorf("name the host: %w", err)
	}
	return nil
}

// mountProc mounts a /proc in which a process sees its own namespace and nothing of the kernel. If the host's own
// /proc is masked, as in most containers, the mount is omitted.
func mountProc(base string) error {
	err := unix.Mount("proc", base+"/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC|unix.MS_RDONLY, "hidepid=4,subset=pid")
	if err != nil && !errors.Is(err, unix.EPERM) {
		return fmt.Errorf("mount /proc: %w", err)
	}
	return nil
}

// enterRoot makes base the root and unmounts the host's file system.
func enterRoot(base string) error {
	if err := unix.Chdir(base); err != nil {
		return fmt.Errorf("enter the new root: %w", err)
	}
	if err := unix.PivotRoot(".", "."); err != nil {
		return fmt.Errorf("enter the new root: %w", err)
	}
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return fmt.Errorf("leave the old root: %w", err)
	}
	if err := unix.Chdir(Scratch); err != nil {
		return fmt.Errorf("enter the new root: %w", err)
	}
	return setRootWritable(false)
}

// hideMounts moves this thread, and everything that it starts later, to an empty mount namespace. The root remains
// that of the main thread's namespace, whose mounts remain usable. In /proc/self/mountinfo, the kernel lists only
// mounts of a process's own namespace that are below its root. So the list is empty, and does not reveal where
// directories are on the host's disks.
func hideMounts() error {
	root, err := unix.Open("/", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("hide the mounts: %w", err)
	}
	defer unix.Close(root)
	for _, step := range []func() error{
		func() error { return unix.Unshare(unix.CLONE_NEWNS) },
		func() error { return unix.Mount("tmpfs", Scratch, "tmpfs", rootFlags|unix.MS_RDONLY, "") },
		func() error { return unix.Chdir(Scratch) },
		func() error { return unix.PivotRoot(".", ".") },
		func() error { return unix.Unmount(".", unix.MNT_DETACH) },
		func() error { return unix.Fchdir(root) },
		func() error { return unix.Chroot(".") },
		func() error { return unix.Chdir(Scratch) },
	} {
		if err := step(); err != nil {
			return fmt.Errorf("hide the mounts: %w", err)
		}
	}
	return nil
}

func setRootWritable(allowed bool) error {
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
	if allowed {
		attr = unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY}
	}
	if err := unix.MountSetattr(unix.AT_FDCWD, "/", 0, &attr); err != nil {
		return fmt.Errorf("protect the root: %w", err)
	}
	return nil
}

// remount removes the mounts of the previous command and attaches new ones. It runs on the main thread, while no
// program runs.
func (z *zygote) remount(orders []mountOrder, trees []int) error {
	for _, at := range slices.Backward(z.mounts) {
		if err := unix.Unmount(at, unix.MNT_DETACH); err != nil {
			return fmt.Errorf("unmount %s: %w", at, err)
		}
	}
	z.mounts = z.mounts[:0]
	if err := setRootWritable(true); err != nil {
		return err
	}
	for i, o := range orders {
		if err := attach(trees[i], o.at); err != nil {
			return err
		}
		z.mounts = append(z.mounts, o.at)
	}
	return setRootWritable(false)
}
