package check

// floatsOptions lists the options of floats, which is like tokens with a default tolerance. If only one tolerance
// is given, the other one does not apply: a setter who wants to check only the absolute error writes abs.
var floatsOptions = []Option{
	{"abs", "EPSILON", "numbers may differ by this much; without rel there is no relative tolerance"},
	{"rel", "EPSILON", "numbers may differ by this much times the answer; without abs there is no absolute tolerance"},
	{"case_sensitive", "", "upper and lower case differ in words that are not numbers"},
}

const defaultEpsilon = "1e-6"

func newFloats(o options) (comparer, error) {
	t := &tokens{caseSensitive: o.has("case_sensitive"), near: &tolerance{}}
	if !o.has("abs") && !o.has("rel") {
		o = options{"abs": defaultEpsilon, "rel": defaultEpsilon}
	}
	var err error
	if o.has("abs") {
		if t.near.abs, err = parseEpsilon("floats", "abs", o["abs"]); err != nil {
			return nil, err
		}
	}
	if o.has("rel") {
		if t.near.rel, err = parseEpsilon("floats", "rel", o["rel"]); err != nil {
			return nil, err
		}
	}
	return t.compare, nil
}
