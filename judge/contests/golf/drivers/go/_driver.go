package main

import (
	golffmt "fmt"
	golfio "io"
	golfos "os"
	golfreflect "reflect"
	golfconv "strconv"
	golfstrings "strings"
)

// golfArgument makes an argument of type t from numbers. The result all reports whether the argument takes all
// numbers, and ok reports whether the argument can be made.
func golfArgument(t golfreflect.Type, numbers []int, text string) (v golfreflect.Value, all, ok bool) {
	v = golfreflect.New(t).Elem()
	number := func(to golfreflect.Value, n int) bool {
		from := golfreflect.ValueOf(n)
		if to.Kind() == golfreflect.String || !from.Type().ConvertibleTo(to.Type()) {
			return false
		}
		to.Set(from.Convert(to.Type()))
		return true
	}
	switch t.Kind() {
	case golfreflect.Slice, golfreflect.Array:
		if t.Kind() == golfreflect.Slice {
			v.Set(golfreflect.MakeSlice(t, len(numbers), len(numbers)))
		}
		for k, n := range numbers {
			if k >= v.Len() || !number(v.Index(k), n) {
				return v, true, false
			}
		}
		return v, true, v.Len() == len(numbers)
	case golfreflect.Struct:
		for k, n := range numbers {
			if k >= t.NumField() || !v.Field(k).CanSet() || !number(v.Field(k), n) {
				return v, true, false
			}
		}
		return v, true, t.NumField() == len(numbers)
	case golfreflect.String:
		v.SetString(text)
		return v, true, true
	case golfreflect.Pointer:
		to, all, ok := golfArgument(t.Elem(), numbers, text)
		if ok {
			v.Set(golfreflect.New(t.Elem()))
			v.Elem().Set(to)
		}
		return v, all, ok
	}
	return v, false, len(numbers) > 0 && number(v, numbers[0])
}

// golfShow formats values as Println does.
func golfShow(values []golfreflect.Value) string {
	var all []any
	for _, v := range values {
		for v.Kind() == golfreflect.Pointer && !v.IsNil() {
			v = v.Elem()
		}
		all = append(all, v.Interface())
	}
	return golfstrings.TrimSuffix(golffmt.Sprintln(all...), "\n")
}

func golfInvoke(f golfreflect.Value, a []int, line string) (kind, text string) {
	var in []golfreflect.Value
	rest, t := a, f.Type()
	for k := range t.NumIn() {
		v, all, ok := golfArgument(t.In(k), rest, line)
		if !ok {
			panic("the function takes something else: " + t.String())
		}
		if in = append(in, v); all {
			rest = nil
		} else {
			rest = rest[1:]
		}
	}
	before := golfShow(in)
	call := f.Call
	if t.IsVariadic() {
		call = f.CallSlice
	}
	out := call(in)
	if len(rest) > 0 && len(out) == 1 && out[0].Kind() == golfreflect.Func {
		return golfInvoke(out[0], rest, line)
	}
	if len(rest) > 0 {
		panic("the function takes less: " + t.String())
	}
	if len(out) > 0 {
		return "v", golfShow(out)
	}
	if after := golfShow(in); after != before {
		return "c", after
	}
	return "u", before
}

func golfCall(a []int, line string) (kind, text string) {
	defer func() {
		if r := recover(); r != nil {
			kind, text = "e", golffmt.Sprint(r)
		}
	}()
	return golfInvoke(golfreflect.ValueOf(golfFunction), a, line)
}

func main() {
	in, _ := golfio.ReadAll(golfos.Stdin)
	lines := golfstrings.Split(string(in), "\n")
	mark := lines[0]
	golfos.Stdout.WriteString(mark + "l" + mark + "\n")
	for _, line := range lines[1:] {
		a := []int{}
		for _, w := range golfstrings.Fields(line) {
			n, _ := golfconv.Atoi(w)
			a = append(a, n)
		}
		if len(a) > 0 {
			kind, text := golfCall(a, line)
			golfos.Stdout.WriteString(mark + kind + text + mark + "\n")
		}
	}
}
