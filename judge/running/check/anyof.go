package check

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"assay/judge"
)

// The checker any-of reads an .ans file with several answers, and accepts each of them:
//
//	3 4
//	---
//	4 3
//
// A line that contains only the separator, and perhaps trailing blanks, separates two answers. Each answer is
// compared by the rules of tokens. If there are several answers, an answer without a token is a judge error,
// because a superfluous separator must not make the checker accept empty output.
var anyOfOptions = []Option{
	{"separator", "WORD", "the line between two answers, if it is not ---"},
}

func newAnyOf(o options) (comparer, error) {
	t, err := tokensFrom("any-of", o)
	if err != nil {
		return nil, err
	}
	separator := cmp.Or(o["separator"], "---")
	if len(separator) > 100 || strings.ContainsAny(separator, " \t\n\v\f\r") {
		return nil, &judge.ProblemError{
			Text: fmt.Sprintf("checker any-of: separator %q is not one word of at most 100 bytes", separator),
			Hint: "leave it out to use ---",
		}
	}
	return func(ctx context.Context, r Request, b *buffers) (judge.Outcome, error) {
		list := b.open("the answer", r.Ans, &b.list)
		return anyOf(ctx, r, b, &answers{list: list, separator: []byte(separator)}, t.compare)
	}, nil
}

// anyOf compares the output with each answer. If no answer matches, it reports the difference that is farthest
// from the start of the output.
func anyOf(ctx context.Context, r Request, b *buffers, list *answers, compare comparer) (judge.Outcome, error) {
	var closest judge.Outcome
	number := 0
	for !list.done {
		answer, empty, err := list.next(ctx)
		if err != nil {
			return judge.Outcome{}, err
		}
		if empty && (list.count > 1 || !list.done) {
			return judge.Outcome{
				Verdict: judge.JudgeError,
				Message: fmt.Sprintf("answer %d of the .ans file is empty: is there a line %s too many?", list.count, list.separator),
			}, nil
		}
		one := r
		one.Ans = io.NewSectionReader(r.Ans, answer.start, answer.end-answer.start)
		o, err := compare(ctx, one, b)
		if err != nil || o.Verdict == judge.Accepted {
			return o, err
		}
		o.Place.AnsOffset += answer.start
		if number == 0 || o.Place.OutOffset > closest.Place.OutOffset {
			closest, number = o, list.count
		}
	}
	if list.count > 1 {
		closest.Message = fmt.Sprintf("none of %d answers; nearest is answer %d: %s", list.count, number, closest.Message)
	}
	return closest, nil
}

// answers reads an .ans file, one answer at a time.
type answers struct {
	list      *stream
	separator []byte
	count     int  // answers read so far
	done      bool // there are no more answers
}

// next returns the span of the next answer in the list, and whether the answer contains no token.
func (a *answers) next(ctx context.Context) (answer span, empty bool, err error) {
	a.count++
	answer.start, empty = a.list.offset(), true
	for {
		l, ok, err := a.list.nextLine(ctx)
		switch {
		case err != nil:
			return span{}, false, err
		case !ok:
			a.done = true
			answer.end = a.list.size
			return answer, empty, nil
		case bytes.Equal(l.text, a.separator):
			answer.end = l.start
			return answer, empty, nil
		}
		empty = empty && l.empty()
	}
}
