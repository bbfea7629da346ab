package main

import (
	"embed"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

// units are the systemd units of a server and of a worker. The Debian package has the same.
//
//go:embed systemd/judged.service systemd/judged-worker.service
var units embed.FS

// systemdFlag adds the flag --systemd, which prints a unit and exits.
func systemdFlag(cmd *cobra.Command, c *console, unit string) {
	print := cmd.Flags().
		Bool("systemd", false, "print a systemd unit, and exit: judged "+cmd.Name()+" --systemd >/etc/systemd/system/"+unit)
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *print {
			return printUnit(c.out, unit)
		}
		return run(cmd, args)
	}
}

// printUnit prints a unit that runs this program from its current path.
func printUnit(out io.Writer, unit string) error {
	text, err := units.ReadFile("systemd/" + unit)
	if err != nil {
		return err
	}
	program, err := os.Executable()
	if err == nil {
		program, err = filepath.EvalSymlinks(program)
	}
	if err != nil {
		return fmt.Errorf("find the path of this program: %w", err)
	}
	_, err = io.WriteString(out, strings.ReplaceAll(string(text), "/usr/bin/judged", program))
	return err
}
