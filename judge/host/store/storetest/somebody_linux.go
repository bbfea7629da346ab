package storetest

import (
	"errors"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// somebody is the user that runs the server where the test is root, as which PostgreSQL
// refuses to run.
func somebody() (uid, gid int, err error) {
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.Atoi(u.Uid)
		gid, err2 := strconv.Atoi(u.Gid)
		if err1 == nil && err2 == nil {
			return uid, gid, nil
		}
	}
	return 0, 0, errors.New("PostgreSQL does not run as root, and there is no user postgres or nobody")
}

// giveAway makes the folder that of the user who runs the server.
func giveAway(dir string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	uid, gid, err := somebody()
	if err != nil {
		return err
	}
	return os.Chown(dir, uid, gid)
}

// asSomebody lets a command run as that user, and end with its parent.
func asSomebody(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGQUIT}
	if os.Geteuid() != 0 {
		return nil
	}
	uid, gid, err := somebody()
	if err != nil {
		return err
	}
	cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	return nil
}
