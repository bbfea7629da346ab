// Package assay embeds the bundled files: the default judge.toml, the bundled
// problems with their cases, and the kit's sources. It does not use them;
// cmd/judge does.
package assay

import "embed"

// Files are judge.toml, problems/, testcases/ and judge/kit of this module.
//
//go:embed judge.toml problems testcases judge/kit/*.go judge/kit/*.py judge/kit/*.hpp judge/kit/referee/*.go
var Files embed.FS
