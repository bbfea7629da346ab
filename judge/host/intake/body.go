package intake

import (
	"errors"
	"io"
	"net/http"
	"os"
)

// BodyRefusal converts an error from reading a request body to the Refusal for the sender. It returns nil unless
// the sender stalled or disconnected.
func BodyRefusal(err error) *Refusal {
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return &Refusal{
			Code: http.StatusRequestTimeout, Text: "the upload stopped before its end",
			Hint: "check the connection, and send it again",
		}
	case errors.Is(err, io.ErrUnexpectedEOF):
		return &Refusal{Code: http.StatusBadRequest, Text: "the connection closed before the upload ended", Hint: "send it again"}
	}
	return nil
}
