package report

import (
	"testing"

	"assay/judge"
)

// TestEveryVerdictHasALook checks that each verdict has a color, a unique mark, and words.
func TestEveryVerdictHasALook(t *testing.T) {
	marks := map[string]judge.Verdict{}
	for _, v := range append(judge.Verdicts(), judge.NotJudged) {
		l, ok := verdictLooks[v]
		if !ok {
			t.Errorf("looks[%q] is missing", v)
			continue
		}
		if len(l.attrs) == 0 || l.class == "" || len(l.mark) != 1 {
			t.Errorf("looks[%q] = %+v, want a color, a class and a mark of one character", v, l)
		}
		if other, taken := marks[l.mark]; taken {
			t.Errorf("%q and %q have the same mark %q", v, other, l.mark)
		}
		marks[l.mark] = v
		if v.Words() == "" || v != judge.NotJudged && v.Words() == judge.NotJudged.Words() {
			t.Errorf("%q.Words() = %q", v, v.Words())
		}
	}
	if len(verdictLooks) != len(judge.Verdicts())+1 {
		t.Errorf("%d looks for %d verdicts", len(verdictLooks), len(judge.Verdicts()))
	}
	if got := lookOf("XX"); got.mark != "?" {
		t.Errorf("lookOf(XX).mark = %q, want a question mark", got.mark)
	}
}
