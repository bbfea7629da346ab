package config

import (
	"fmt"
	"slices"

	"assay/judge/internal/strict"
)

// Portable writes what of the configuration decides verdicts and does not belong to one
// machine: the languages and the limits. It is a judge.toml that needs no other below
// it, the same bytes for the same configuration.
func (c *Config) Portable() ([]byte, error) {
	var out form
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

// LoadPortable reads what Portable wrote. What programs may see of the machine, what is
// run outside of the sandbox to find that out, and what prepares its caches are this machine's own: they are taken
// from local. An error of what the file says is a judge.Faults.
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
