package intake

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"path"
	"strings"

	"assay/judge/host/job"
)

// ReadZip reads the files of a submission from a ZIP archive. The limit is the total size of the files in bytes.
// It returns a *Refusal if the archive is not valid.
func ReadZip(data []byte, maxBytes int64) (names []string, texts [][]byte, err error) {
	refuse := func(format string, args ...any) ([]string, [][]byte, error) {
		return nil, nil, &Refusal{Code: http.StatusBadRequest, Text: fmt.Sprintf(format, args...)}
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return refuse("the files are not a zip archive: %v", err)
	}
	for _, f := range z.File {
		if f.FileInfo().IsDir() {
			continue
		}
		if !f.Mode().IsRegular() {
			return refuse("%.200q in the archive is not a file", f.Name)
		}
		r, err := f.Open()
		if err != nil {
			return refuse("the archive cannot be read: %v", err)
		}
		text, err := io.ReadAll(io.LimitReader(r, maxBytes+1))
		if err != nil {
			return refuse("the archive cannot be read: %v", err)
		}
		if maxBytes -= int64(len(text)); maxBytes < 0 || len(texts) >= job.MaxFiles {
			return nil, nil, &Refusal{Code: http.StatusRequestEntityTooLarge, Text: "the submission is too large"}
		}
		names, texts = append(names, f.Name), append(texts, text)
	}
	return names, texts, nil
}

// ProgramName returns the display name of a submission with these files, and whether it is a directory.
func ProgramName(names []string) (program string, dir bool) {
	if len(names) > 1 || strings.Contains(names[0], "/") {
		return fmt.Sprintf("%s and %d more", path.Base(names[0]), len(names)-1), true
	}
	return names[0], false
}
