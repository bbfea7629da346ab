package jvm

import (
	"encoding/binary"
	"errors"
)

// Class describes a class, as stored in its class file.
type Class struct {
	Name, Super string // with slashes; Super is empty for Object and for modules
	Source      string // name of the file that it was compiled from; empty if unknown
	Public      bool
	Inner       bool // whether it is declared inside another class
	Main        bool // whether it declares a main that the virtual machine can start
}

// Numeric constants of class files.
const (
	accPublic, accPrivate, accStatic = 0x1, 0x2, 0x8

	java25 = 69 // from this class file version on, main need be neither static nor public
)

var errClass = errors.New("not a class file")

// ReadClass reads a class file. It ignores lengths and indexes that are out of range.
func ReadClass(data []byte) (*Class, error) {
	r := &reader{rest: data}
	if r.u4() != 0xcafebabe {
		return nil, errClass
	}
	r.u2()
	version := r.u2()
	pool := r.pool()
	access, this, super := r.u2(), r.u2(), r.u2()
	c := &Class{Name: pool.class(this), Super: pool.class(super), Public: access&accPublic != 0}
	r.take(2 * r.u2())
	for range r.u2() { // fields
		r.take(6)
		r.attributes(func(int, *reader) {})
	}
	for range r.u2() { // methods
		flags, name, form := r.u2(), pool.text(r.u2()), pool.text(r.u2())
		r.attributes(func(int, *reader) {})
		if name != "main" || r.bad {
			continue
		}
		c.Main = c.Main || flags&accPublic != 0 && flags&accStatic != 0 && form == "([Ljava/lang/String;)V" ||
			version >= java25 && flags&accPrivate == 0 && (form == "([Ljava/lang/String;)V" || form == "()V")
	}
	r.attributes(func(name int, body *reader) {
		switch pool.text(name) {
		case "SourceFile":
			c.Source = pool.text(body.u2())
		case "InnerClasses":
			for range body.u2() {
				inner := pool.class(body.u2())
				body.take(6)
				c.Inner = c.Inner || inner == c.Name && !body.bad
			}
		}
	})
	if r.bad || c.Name == "" {
		return nil, errClass
	}
	return c, nil
}

// reader reads numbers from the start of rest. If rest is too short, it returns zeros and sets bad.
type reader struct {
	rest []byte
	bad  bool
}

func (r *reader) take(n int) []byte {
	if n > len(r.rest) {
		r.rest, r.bad = nil, true
		return make([]byte, 4)[:min(n, 4)]
	}
	part := r.rest[:n]
	r.rest = r.rest[n:]
	return part
}

func (r *reader) u2() int { return int(binary.BigEndian.Uint16(r.take(2))) }
func (r *reader) u4() int { return int(binary.BigEndian.Uint32(r.take(4))) }

// attributes calls show for each attribute, with the index of the attribute's name and with its body.
func (r *reader) attributes(show func(name int, body *reader)) {
	for n := r.u2(); n > 0 && !r.bad; n-- {
		name := r.u2()
		show(name, &reader{rest: r.take(r.u4())})
	}
}

// pool contains the texts and class names among the constants of a class file.
type pool struct {
	texts   map[int]string
	classes map[int]int // index of the class name
}

func (p *pool) text(at int) string  { return p.texts[at] }
func (p *pool) class(at int) string { return p.texts[p.classes[at]] }

func (r *reader) pool() *pool {
	p := &pool{map[int]string{}, map[int]int{}}
	for i, n := 1, r.u2(); i < n && !r.bad; i++ {
		switch tag := r.take(1)[0]; tag {
		case 1:
			p.texts[i] = string(r.take(r.u2()))
		case 3, 4, 9, 10, 11, 12, 17, 18:
			r.take(4)
		case 5, 6: // long and double take two entries
			r.take(8)
			i++
		case 7:
			p.classes[i] = r.u2()
		case 8, 16, 19, 20:
			r.take(2)
		case 15:
			r.take(3)
		default:
			r.bad = true
		}
	}
	return p
}
