package lang

import (
	"context"

	"assay/judge/running/config"
)

// Located returns the folders in which a language's distribution stands, as its
// `locate` command prints them; none where it has no such command, or it does not work.
func (t *Toolbox) Located(ctx context.Context, l *config.Language) []string {
	folders, _, _ := t.tools.locate(ctx, l)
	return folders
}
