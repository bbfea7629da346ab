package desk

import (
	"errors"
	"io"
	"net/http"
	"os"
)

// BodyRefusal converts an error of reading a request's body into the Refusal for its sender. It
// returns nil if the sender neither stalled nor hung up.
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
