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

// withAnyCache lets a command that only reports work without a usable cache: on a full or read-only disk, or
// without a home directory. The command then uses a temporary directory and says so.
func (c *console) withAnyCache(run func(*cobra.Command, []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		dir, unusable := cli.CacheDir()
		if unusable == nil {
			unusable = workspace.CheckCache(dir)
		}
		if unusable == nil {
			return run(cmd, args)
		}
		spare, done, err := workspace.SpareCache()
		if err != nil {
			return unusable
		}
		fmt.Fprintf(c.err, "note: the cache cannot be used: %v\n", unusable)
		return errors.Join(os.Setenv("ASSAY_CACHE", spare), run(cmd, args), done())
	}
}

// withSpareCache lets a command use a temporary directory as its cache, so that it leaves nothing behind. Run
// is called with the place of the real cache, or with why it cannot be used. What the cache remembers about
// toolchains is dropped, because one may just have been installed.
func (c *console) withSpareCache(run func(cmd *cobra.Command, cache string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, _ []string) error {
		dir, unusable := cli.CacheDir()
		if unusable == nil {
			unusable = workspace.ProbeCache(dir)
		}
		if unusable == nil {
			unusable = lang.Forget(dir)
		}
		if unusable != nil {
			dir = fmt.Sprintf("cannot be used: %v", unusable)
		}
		spare, done, err := workspace.SpareCache()
		if err != nil {
			return err
		}
		return errors.Join(os.Setenv("ASSAY_CACHE", spare), run(cmd, dir), done())
	}
}
