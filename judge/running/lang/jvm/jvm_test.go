package jvm_test

import (
	"encoding/binary"
	"strings"
	"testing"

	"assay/judge/running/lang/jvm"

	"github.com/google/go-cmp/cmp"
)

func TestTypes(t *testing.T) {
	for _, row := range []struct{ it, text, want string }{
		{"takes the public class", "import x;\npublic class Sol {}", "+Sol"},
		{
			"takes every kind of type",
			"class A {}\nenum B {}\ninterface C {}\nrecord D(int x) {}\nrecord E<T>(T t) {}\n@interface F {}",
			"A B C D E F",
		},
		{
			"takes modifiers in any order",
			"final public class A {}\nstrictfp public abstract class B {}\nnon-sealed class C {}\npublic sealed class D permits C {}",
			"+A +B C +D",
		},
		{"takes an annotation before the class", "@SuppressWarnings(\"unchecked\") public class A {}", "+A"},
		{
			"takes an annotation with braces, texts and classes",
			"@a.B(x = {\"}{\", \"class X\"}, c = Foo.class, d = @E({1, 2})) public class A {}", "+A",
		},
		{"takes an annotation behind the name", "class A extends @B({1}) C { class D {} }", "A A$D"},
		{"takes public from before an annotation", "public @Deprecated final class A {}", "+A"},
		{"passes over comments", "// public class A {}\n/* public class B {} */ /** This class\n * class C */\n  public class D {}", "+D"},
		{"passes over texts", "class A { String s = \"public class B {\\\"}{\"; char c = '\"', d = '\\'', e = '{'; class F {} }", "A A$F"},
		{
			"passes over text blocks",
			"class A { String s = \"\"\"\n  }} public class B { \"quoted\" \\\"\"\" \"\"\"; }\npublic class C {}",
			"A +C",
		},
		{"knows lines that end in CR", "// one\rpublic class A {}\r// two\r\npublic class B {}", "+A +B"},
		{"knows everything on one line", "package a.b;import c.d;class A{}public class B{}", "A +B"},
		{"knows inner classes", "public class A { public static class B { class C {} } void f() { class D {} } public enum E { X { int g() { return 1; } } } }\nclass F {}", "+A A$B A$B$C A$D A$E F"},
		{"knows unicode escapes", `pub\u006cic cl\uuu0061ss \u0041 \u007b } // \u000a public class B {}`, "+A +B"},
		{"knows no escape behind a backslash", "// \\\\u000a class A {}\nclass B {}", "B"},
		{"knows that record may be a name", "public class A { int record; Object o = A.class; record(int x) {} void f() { record = record + 1; boolean b = A.class instanceof Object || record instanceof Integer; } }", "+A"},
		{"keeps names of other scripts", "public class Größe$1 {}\nclass \\ud835\\udcb3 {}", "+Größe$1 𝒳"},
		{"reads Latin-1", "// \xe9\npublic class Gr\xf6\xdfe {}", "+Größe"},
		{"does not mind what is not Java", "}}} ) ' \" class", ""},
		{"does not mind what does not end", "class A { /* class B", "A"},
		{"takes public for the next declaration only", "public class A {} class B {}\npublic interface C {}", "+A B +C"},
	} {
		var got []string
		for _, typ := range jvm.Types([]byte(row.text)) {
			if typ.Public {
				typ.Name = "+" + typ.Name
			}
			got = append(got, typ.Name)
		}
		if diff := cmp.Diff(row.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("Types %s: (-want +got)\n%s", row.it, diff)
		}
	}
	if name := jvm.Public([]byte("class A { public class B {} } public class C {}")); name != "C" {
		t.Errorf("Public = %q, want C", name)
	}
}

// method is a method of a class file that a test makes.
type method struct {
	flags      uint16
	name, form string
}

const args = "([Ljava/lang/String;)V"

// made makes a class file.
func made(version uint16, flags uint16, name, super, source string, inner bool, methods ...method) []byte {
	var pool, rest []byte
	n := uint16(1)
	two := binary.BigEndian.AppendUint16
	text := func(s string) uint16 {
		pool = append(two(append(pool, 1), uint16(len(s))), s...)
		n++
		return n - 1
	}
	class := func(s string) uint16 {
		at := text(s)
		pool = two(append(pool, 7), at)
		n++
		return n - 1
	}
	pool = append(pool, 5, 0, 0, 0, 0, 0, 0, 0, 1) // a long has two places
	n += 2
	this := class(name)
	rest = two(two(two(rest, flags), this), class(super))
	rest = two(two(two(rest, 1), class("java/lang/Runnable")), 1)                               // an interface, and a field
	rest = append(two(two(two(two(rest, 0), text("x")), text("I")), 1), 0, 1, 0, 0, 0, 2, 7, 7) // with an attribute
	rest = two(rest, uint16(len(methods)))
	for _, m := range methods {
		rest = two(two(two(two(rest, m.flags), text(m.name)), text(m.form)), 0)
	}
	rest = append(two(two(rest, 2), text("SourceFile")), 0, 0, 0, 2)
	rest = two(rest, text(source))
	rest = append(two(rest, text("InnerClasses")), 0, 0, 0, 10, 0, 1)
	if !inner {
		this = class("other/Thing")
	}
	rest = append(two(rest, this), 0, 0, 0, 0, 0, 9)
	data := two([]byte{0xca, 0xfe, 0xba, 0xbe, 0, 0}, version)
	return append(append(two(data, n), pool...), rest...)
}

func TestReadClass(t *testing.T) {
	const public, private, static = 1, 2, 8
	whole := made(61, public, "a/B", "C", "B.java", false)
	for _, row := range []struct {
		it   string
		file []byte
		want *jvm.Class
	}{
		{"finds main", made(61, public, "a/B", "C", "B.java", false, method{public | static, "f", args}, method{
			public | static, "main", args,
		}), &jvm.Class{Name: "a/B", Super: "C", Source: "B.java", Public: true, Main: true}},
		{"knows inner classes", made(61, public, "A$B", "C", "A.java", true), &jvm.Class{
			Name: "A$B", Super: "C", Source: "A.java", Public: true, Inner: true,
		}},
		{"takes no main of an object", made(
			61, 0, "A", "C", "A.java", false, method{public, "main", args},
		), &jvm.Class{Name: "A", Super: "C", Source: "A.java"}},
		{"takes no main that is not public", made(
			61, 0, "A", "C", "A.java", false, method{static, "main", args},
		), &jvm.Class{Name: "A", Super: "C", Source: "A.java"}},
		{"takes no main without arguments", made(
			61, 0, "A", "C", "A.java", false, method{public | static, "main", "()V"},
		), &jvm.Class{Name: "A", Super: "C", Source: "A.java"}},
		{"takes all of them from Java 25 on", made(
			69, 0, "A", "C", "A.java", false, method{0, "main", "()V"},
		), &jvm.Class{Name: "A", Super: "C", Source: "A.java", Main: true}},
		{"takes no private main even there", made(
			69, 0, "A", "C", "A.java", false, method{private, "main", "()V"},
		), &jvm.Class{Name: "A", Super: "C", Source: "A.java"}},
		{"refuses other files", []byte("PK\x03\x04"), nil},
		{"refuses a file that lacks its end", whole[:len(whole)-13], nil},
		{"refuses a file that was cut", whole[:60], nil},
	} {
		got, err := jvm.ReadClass(row.file)
		if diff := cmp.Diff(row.want, got); diff != "" || (err == nil) != (row.want != nil) {
			t.Errorf("ReadClass %s: %v (-want +got)\n%s", row.it, err, diff)
		}
	}
}

func TestStart(t *testing.T) {
	class := func(name string, how string) *jvm.Class {
		name, super, _ := strings.Cut(name, " < ")
		has := func(c string) bool { return strings.Contains(how, c) }
		source, _, _ := strings.Cut(name[strings.LastIndex(name, "/")+1:], "$")
		return &jvm.Class{
			Name: name, Super: super, Source: source + ".java", Public: has("+"), Main: has("m"),
			Inner: strings.Contains(name, "$"),
		}
	}
	for _, row := range []struct {
		it            string
		classes       []*jvm.Class
		source, entry string
		want          string
	}{
		{"takes the only one with main", []*jvm.Class{class("Main", ""), class("B", "m")}, "", "", "B"},
		{"takes the public one before Main", []*jvm.Class{class("Main", "m"), class("Sum", "+m")}, "", "", "Sum"},
		{"takes Main before the first", []*jvm.Class{class("A", "m"), class("Main", "m")}, "class A {} class Main {}", "", "Main"},
		{"takes the first of the source", []*jvm.Class{class("A", "m"), class("B", "m")}, "class B {} class A {}", "", "B"},
		{"takes outer classes before inner ones", []*jvm.Class{
			class("A$B", "+m"), class("C", "m"),
		}, "class A { public class B {} } class C {}", "", "C"},
		{"takes an inner one where no other has it", []*jvm.Class{
			class("A", "+"), class("A$C", "m"), class("A$B", "m"),
		}, "public class A { class B {} class C {} }", "", "A$B"},
		{"takes an inherited main", []*jvm.Class{class("Base", "m"), class("Sum < Mid", "+"), class("Mid < Base", "")}, "", "", "Sum"},
		{"writes the package with points", []*jvm.Class{class("a/b/Sum", "+m")}, "", "", "a.b.Sum"},
		{"takes the entry file's first", []*jvm.Class{class("Test", "+m"), class("x/Go", "m")}, "", "src/Go.java", "x.Go"},
		{"takes another where the entry file has none", []*jvm.Class{class("Test", "+m"), class("Go", "")}, "", "Go.java", "Test"},
		{"takes what the sources declare before what they do not", []*jvm.Class{class("Odd", "m"), class("A", "m")}, "class A {}", "", "A"},
		{"finds none", []*jvm.Class{class("A", "+")}, "", "", ""},
		{"ends where classes extend each other", []*jvm.Class{class("A < B", "+"), class("B < A", "+")}, "", "", ""},
	} {
		if got := jvm.Start(row.classes, jvm.Types([]byte(row.source)), row.entry); got != row.want {
			t.Errorf("Start %s: %q, want %q", row.it, got, row.want)
		}
	}
}

func FuzzTypes(f *testing.F) {
	f.Add([]byte("@A({1}) public class B { \"\"\" \\u0041 ' // \r } record X<T>(T t) {}"))
	f.Fuzz(func(t *testing.T, source []byte) {
		for _, typ := range jvm.Types(source) {
			if typ.Name == "" || strings.ContainsAny(typ.Name, " \t\r\n/\"'{}@-.\x00") {
				t.Errorf("a type is called %q", typ.Name)
			}
		}
	})
}

func FuzzReadClass(f *testing.F) {
	f.Add(made(61, 1, "a/B", "C", "B.java", true, method{9, "main", args}))
	f.Add(made(69, 0, "A", "C", "A.java", false, method{0, "main", "()V"}))
	f.Fuzz(func(t *testing.T, file []byte) {
		c, err := jvm.ReadClass(file)
		if (c == nil) == (err == nil) {
			t.Fatalf("ReadClass = %+v, %v", c, err)
		}
		if err == nil {
			jvm.Start([]*jvm.Class{c}, nil, "")
		}
	})
}
