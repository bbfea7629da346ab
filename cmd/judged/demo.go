package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"assay/cmd/internal/cli"
	"assay/judge/host/client"
	"assay/judge/host/demo"
	"assay/judge/host/intake"
	"assay/judge/host/server"
	"assay/judge/running/config"
)

// serveDemo serves a running contest. It uses the current directory if that is empty, and otherwise a temporary one.
func (c *console) serveDemo(ctx context.Context, override func(*config.Server)) (err error) {
	entries, err := os.ReadDir(".")
	if err != nil {
		return err
	}
	if len(entries) > 0 {
		dir, failed := os.MkdirTemp("", "assay-demo-")
		if failed != nil {
			return fmt.Errorf("create a directory for the demo: %w", failed)
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
		if err := os.Chdir(dir); err != nil {
			return err
		}
	}
	o, err := c.serveOptions(override)
	if err != nil {
		return err
	}
	o.PublishCommand = nil // all problems are published before the start
	if err := c.publishDemo(ctx, o); err != nil {
		return err
	}
	logins, err := demo.Fill(ctx, demo.Options{
		Data: o.Data, Database: o.Database, Version: o.Version, Class: server.Class, Admin: intake.AdminLogin,
		Now: time.Now(),
	})
	if err != nil {
		return err
	}
	return c.serve(ctx, o, logins)
}

// publishDemo publishes the bundled problems through a server at a private address.
func (c *console) publishDemo(ctx context.Context, o server.Options) (err error) {
	o.Listen, o.URL, o.TLS, o.Cert, o.Key, o.Metrics, o.Workers = "127.0.0.1:0", "", "", "", "", "", 0
	s, err := server.Start(ctx, o)
	if err != nil {
		return err
	}
	defer s.Stop()
	address, err := client.ParseAddress(s.Address())
	if err != nil {
		return err
	}
	api, err := client.New(client.Options{Address: address, Token: s.AdminToken, Version: o.Version})
	if err != nil {
		return err
	}
	contest, err := cli.FindContest()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, contest.Close()) }()
	return c.publishAll(ctx, api, contest)
}
