package csvfile

import (
	"bytes"
	"fmt"
	"io"
)

// filter turns a file into the CSV from which the library's reader loses nothing: a
// field in quotation marks that is empty, or begins with one, has another one before
// it; carriage returns before a line's end within quotation marks are doubled, for the
// library drops one; \" is a doubled mark. It bounds rows.
type filter struct {
	from io.Reader
	dialect
	most Options
	at   state
	// fresh says that nothing of the field in quotation marks has come yet, escaped
	// that a backslash has whose sense the next byte tells, alone that a carriage
	// return ended no line. before is the byte before.
	fresh, escaped, alone bool
	before                byte
	// learns says that \" may still turn out to be a quotation mark of the text, since
	// none has been read yet, and doubtful that one has come whose sense the next byte
	// tells.
	learns, doubtful bool
	// row and now are the lines at which the row began and that is reached, length and
	// fields how many there are of it so far.
	row, now, length, fields int

	// in is the room of what is read, out what is ready, of which so much was taken.
	in    [4096]byte
	out   []byte
	taken int
	err   error
}

// state is where in a row the filter stands.
type state uint8

const (
	// starting is at the beginning of a field, bare in one without quotation marks or
	// behind a fault, within between them, and closing behind one that is the last, or
	// else the first of two.
	starting state = iota
	bare
	within
	closing
)

// special are the bytes that are more than themselves, beside the separator.
var special = [256]bool{'"': true, '\\': true, '\r': true, '\n': true}

// boundFault is that a row goes beyond its bounds, or ends in a way that says nothing.
type boundFault struct {
	line int
	what string
}

// Error returns what is wrong.
func (f *boundFault) Error() string { return f.what }

// Read fills a buffer with what is ready. The error is that of what is read from, or
// a *boundFault.
func (f *filter) Read(into []byte) (int, error) {
	for f.taken == len(f.out) {
		if f.err != nil {
			return 0, f.err
		}
		n, err := f.from.Read(f.in[:])
		f.out, f.taken, f.err = f.out[:0], 0, err
		f.feed(f.in[:n])
		if f.doubtful && f.err == io.EOF {
			f.settle('\n')
		}
	}
	n := copy(into, f.out[f.taken:])
	f.taken += n
	return n, nil
}

// feed takes what was read, up to the first byte that is too many.
func (f *filter) feed(text []byte) {
	for len(text) > 0 {
		run := 0
		for run < len(text) && !special[text[run]] {
			run++
		}
		// A run of ordinary bytes, or one byte that is more than itself.
		next := text[:max(1, run)]
		f.alone = f.before == '\r' && f.at != within && next[0] != '\n'
		f.length += len(next)
		if f.at == within {
			f.inside(next)
		} else {
			f.outside(next)
		}
		f.before = next[len(next)-1]
		text = text[len(next):]
		var what string
		switch {
		case f.alone:
			what = "bare carriage return; expected quotation marks around it or a line feed after it"
		case f.length > f.most.Row:
			what = fmt.Sprintf("the row exceeds %d KiB", f.most.Row>>10)
		case f.fields > f.most.Fields:
			what = fmt.Sprintf("the row exceeds %d fields", f.most.Fields)
		}
		if what != "" {
			f.err = &boundFault{f.row, what}
			return
		}
	}
}

// inside takes what stands between quotation marks.
func (f *filter) inside(text []byte) {
	c := text[0]
	if f.doubtful && f.settle(c) {
		if f.at == closing {
			f.outside(text)
		}
		return
	}
	switch {
	case f.escaped && f.learns && c == '"':
		f.escaped, f.doubtful = false, true
		return
	case f.escaped && f.escapes && (c == '"' || c == '\\'):
		if f.escaped = false; c == '"' {
			f.add('"')
		}
		f.add(c)
		return
	case f.escaped:
		f.escaped = false
		f.add('\\')
	}
	switch {
	case c == '\\' && (f.escapes || f.learns):
		f.escaped = true
		return
	case c == '"':
		f.at = closing
	case c == '\n':
		if f.now++; f.before == '\r' {
			f.add('\r')
		}
	}
	f.add(text...)
}

// settle tells by the byte behind it what the first \" of a file is, and reports whether
// that byte is taken or stands outside: a backslash and the last mark of a field, or a
// backslash and a doubled mark, as RFC 4180 has it; before anything else only a mark of
// the text, in this file from now on.
func (f *filter) settle(c byte) (done bool) {
	f.doubtful, f.learns = false, false
	switch c {
	case '"':
		f.add('\\', '"', '"')
	case f.separator, '\r', '\n':
		f.add('\\', '"')
		f.at = closing
	default:
		f.escapes = true
		f.add('"', '"')
		return false
	}
	return true
}

// add adds to a field in quotation marks.
func (f *filter) add(text ...byte) {
	if f.fresh && text[0] == '"' {
		f.out = append(f.out, `""`...)
	}
	f.fresh = false
	f.out = append(f.out, text...)
}

// outside takes what stands outside of quotation marks.
func (f *filter) outside(text []byte) {
	f.out = append(f.out, text...)
	switch c := text[0]; {
	case c == '\n':
		f.now++
		f.row, f.length, f.fields, f.at = f.now, 0, 1, starting
	case c == '"' && f.at != bare:
		f.at, f.fresh = within, f.at == starting
	case c == '\r':
	case text[len(text)-1] == f.separator:
		f.fields += bytes.Count(text, []byte{f.separator})
		f.at = starting
	default:
		f.fields += bytes.Count(text, []byte{f.separator})
		f.at = bare
	}
}
