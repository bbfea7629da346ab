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

// withAnyCache makes a command that only reports work where the cache cannot be used: on a full or
// read-only disk, or without a home directory. The command then uses a temporary directory and says so.
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

// withSpareCache makes a command leave nothing behind: run uses a temporary directory as its cache.
// It is called with where the cache is, or with why that cannot be used. What the cache knows of
// toolchains is forgotten, because one may just have been installed.
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
