package lang

import (
	"context"

	"assay/judge/running/config"
)

// Located returns the directories of a language's distribution, as printed by its `locate` command. It returns
// none if there is no such command or the command fails.
func (t *Toolbox) Located(ctx context.Context, l *config.Language) []string {
	folders, _, _ := t.tools.locate(ctx, l)
	return folders
}
