package config

import (
	"fmt"
	"slices"

	"assay/judge/internal/strict"
)

// Portable returns the part of the configuration that affects verdicts and does not depend on the machine: the
// languages and the limits. It is a complete judge.toml. The same configuration always gives the same bytes.
func (c *Config) Portable() ([]byte, error) {
	var out fileForm
	out.Limits.Solution, out.Limits.Build, out.Limits.Setter = formOf(c.Solution), formOf(c.Build), formOf(c.Setter)
	out.Limits.Source.Size, out.Limits.Source.Files = strict.Size(c.Source.Size), c.Source.Files
	out.Limits.Built = fileLimits{strict.Size(c.Built.Size), c.Built.Files}
	out.Sandbox.Require = "any"
	out.Env, out.Hello, out.CodePages = c.Env, c.Hello, c.CodePages
	for _, l := range c.Languages {
		portable := *l
		portable.Visible, portable.Locate, portable.Prepare, portable.Prepares = nil, nil, nil, PreparedParts{}
		out.Languages = append(out.Languages, &portable)
	}
	data, err := strict.Encode(out)
	if err != nil {
		return nil, fmt.Errorf("write the configuration: %w", err)
	}
	return data, nil
}

// LoadPortable reads the output of Portable. Settings that depend on the machine are taken from local: the paths
// that programs may see, commands that run outside the sandbox, and the preparation of caches. If data has errors,
// the error is a judge.ProblemErrors.
func LoadPortable(file string, data []byte, local *Config) (*Config, error) {
	c, err := Load(file, data, nil)
	if err != nil {
		return nil, err
	}
	c.Headers, c.Isolation, c.Visible, c.Server = local.Headers, local.Isolation, local.Visible, local.Server
	for _, l := range c.Languages {
		l.Visible, l.Locate, l.Prepare, l.Prepares = nil, nil, nil, PreparedParts{}
		if at := slices.IndexFunc(local.Languages, func(own *Language) bool { return own.ID == l.ID }); at >= 0 {
			own := local.Languages[at]
			l.Visible, l.Locate = own.Visible, own.Locate
			if l.Cache != "" {
				l.Prepare, l.Prepares = own.Prepare, own.Prepares
			}
		}
	}
	return c, nil
}
