package main

import (
	"github.com/spf13/cobra"
)

func arenaReplayCommand(c *console) *cobra.Command {
	return &cobra.Command{Use: "replay", Hidden: true}
}
func arenaCheckCommand(c *console) *cobra.Command { return &cobra.Command{Use: "check", Hidden: true} }
