package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"assay/cmd/internal/cli"
	"assay/judge/workspace"
)

// withAnyCache makes a command that only tells what there is work where the cache cannot
// be used: on a full or read-only disk, or without a home folder. It then keeps what it
// must in a temporary folder, and says so.
func (c *console) withAnyCache(run func(*cobra.Command, []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) (err error) {
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
		defer func() { err = errors.Join(err, done()) }()
		fmt.Fprintf(c.err, "note: the cache cannot be used: %v\n", unusable)
		if err := os.Setenv("ASSAY_CACHE", spare); err != nil {
			return err
		}
		return run(cmd, args)
	}
}
