package lang

import (
	"context"

	"assay/judge/running/config"
)

// Located returns the directories of a language's distribution, as printed by the language's `locate` command. It
// returns none if the language has no such command or the command fails.
func (t *Toolbox) Located(ctx context.Context, l *config.Language) []string {
	folders, _, _ := t.tools.locate(ctx, l)
	return folders
}
