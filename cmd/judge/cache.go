package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"assay/cmd/internal/cli"
	"assay/judge/running/lang"
	"assay/judge/workspace"
)

// withAnyCache lets a command that only reports run without a usable cache, for example on a full or read-only
// disk or without a home directory. The command then prints a note and uses a temporary directory.
func (c *console) withAnyCache(run func(*cobra.Command, []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		dir, unusable := cli.CacheDir()
		if unusable == nil {
			unusable = workspace.CheckCache(dir)
		}
		if unusable == nil {
			return run(cmd, args)
		}
		spare, done, err := workspace.TempCache()
		if err != nil {
			return unusable
		}
		fmt.Fprintf(c.err, "note: the cache cannot be used: %v\n", unusable)
		return errors.Join(os.Setenv("ASSAY_CACHE", spare), run(cmd, args), done())
	}
}

// withSpareCache lets a command use a temporary directory as its cache, so that it leaves nothing behind. It calls
// run with the path of the real cache, or with the reason why that cache is unusable. Cached toolchain data is
// dropped, because a toolchain may just have been installed.
func (c *console) withSpareCache(run func(cmd *cobra.Command, cache string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, _ []string) error {
		dir, unusable := cli.CacheDir()
		if unusable == nil {
			unusable = workspace.ProbeCache(dir)
		}
		if unusable == nil {
			unusable = lang.ForgetToolOutput(dir)
		}
		if unusable != nil {
			dir = fmt.Sprintf("cannot be used: %v", unusable)
		}
		spare, done, err := workspace.TempCache()
		if err != nil {
			return err
		}
		return errors.Join(os.Setenv("ASSAY_CACHE", spare), run(cmd, dir), done())
	}
}
