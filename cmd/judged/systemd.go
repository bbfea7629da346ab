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

// units are what systemd is told of a server and of a worker. The Debian package has the same.
//
//go:embed systemd/judged.service systemd/judged-worker.service
var units embed.FS

// systemdFlag gives a command --systemd, which prints a unit and does nothing else.
func systemdFlag(cmd *cobra.Command, c *console, unit string) {
	print := cmd.Flags().Bool("systemd", false, "print a unit for systemd, and end: judged "+cmd.Name()+" --systemd >/etc/systemd/system/"+unit)
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *print {
			return printUnit(c.out, unit)
		}
		return run(cmd, args)
	}
}

// printUnit prints a unit that runs this program, wherever it lies.
func printUnit(to io.Writer, unit string) error {
	text, err := units.ReadFile("systemd/" + unit)
	if err != nil {
		return err
	}
	program, err := os.Executable()
	if err == nil {
		program, err = filepath.EvalSymlinks(program)
	}
	if err != nil {
		return fmt.Errorf("find out where this program lies: %w", err)
	}
	_, err = io.WriteString(to, strings.ReplaceAll(string(text), "/usr/bin/judged", program))
	return err
}
