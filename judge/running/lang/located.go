package lang

import (
	"context"

	"assay/judge/running/config"
)

// Located returns the directories of a language's distribution, as its `locate` command prints them. It
// returns none if there is no such command or it does not work.
func (t *Toolbox) Located(ctx context.Context, l *config.Language) []string {
	folders, _, _ := t.tools.locate(ctx, l)
	return folders
}
