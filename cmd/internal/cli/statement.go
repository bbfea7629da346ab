package cli

import (
	"assay/judge/report"
	"assay/judge/workspace"
)

// StatementPictures returns a function that returns the pictures of a statement by path, for a page that embeds their data.
func StatementPictures(pictures map[string]*workspace.StatementFile) report.PictureFunc {
	return func(path string) *report.Picture {
		f := pictures[path]
		if f == nil {
			return nil
		}
		return &report.Picture{Name: f.Name, URL: report.DataURL(f.Type, f.Data), Width: f.Width, Height: f.Height, Linked: !f.IsPicture()}
	}
}
