package archive

import (
	"bufio"
	"errors"
	"io"
	"strings"
)

// cell is one value of a row. Quoted tells "" from nothing at all: the one is an
// empty string, the other says that there is no value, as PostgreSQL has it in
// its CSV. The library's reader of CSV shows no difference between them, and
// drops carriage returns inside of quotes; hence this one.
type cell struct {
	text   string
	quoted bool
}

// absent reports whether the cell holds nothing at all.
func (c cell) absent() bool { return c.text == "" && !c.quoted }

// rows reads CSV by RFC 4180, strictly but for line ends, which may lack the
// carriage return.
type rows struct {
	from *bufio.Reader
	// line is where the present row begins, now where the reader stands.
	line, now int

	text  []byte
	spans []span
	cells []cell
	err   error
}

// span is a cell's place in the text of its row.
type span struct {
	from, to int
	quoted   bool
}

// end is what next returns after the last byte.
const end = -1

func newRows(from io.Reader) *rows {
	r := &rows{from: bufio.NewReaderSize(from, 64<<10), now: 1}
	if mark, err := r.from.Peek(len(byteOrderMark)); err == nil && string(mark) == byteOrderMark {
		_, _ = r.from.Discard(len(byteOrderMark))
	}
	return r
}

// next returns the next row that is not blank, whose slice the one after it
// reuses, or io.EOF after the last. Other errors wrap [ErrForm] or are the
// reader's.
func (r *rows) next() ([]cell, error) {
	for {
		if err := r.row(); err != nil {
			return nil, err
		}
		text := string(r.text)
		r.cells = r.cells[:0]
		for _, s := range r.spans {
			r.cells = append(r.cells, cell{text[s.from:s.to], s.quoted})
		}
		if len(r.cells) > 1 || !r.cells[0].absent() {
			return r.cells, nil
		}
	}
}

// row reads the cells of one row.
func (r *rows) row() error {
	r.text, r.spans, r.line = r.text[:0], r.spans[:0], r.now
	if _, err := r.from.Peek(1); errors.Is(err, io.EOF) {
		return io.EOF
	}
	for more := true; more && r.err == nil; {
		if len(r.spans) == mostColumns {
			r.fail("expected at most %d cells", mostColumns)
			break
		}
		s := span{from: len(r.text)}
		after := r.get()
		if after == '"' {
			s.quoted = true
			after = r.quoted()
		} else {
			after = r.plain(after)
		}
		s.to = len(r.text)
		r.spans = append(r.spans, s)
		more = r.separated(after)
	}
	return r.err
}

// quoted reads what is inside of quotes and returns what comes after them.
func (r *rows) quoted() int {
	for {
		c := r.get()
		if c == '"' {
			if c = r.get(); c != '"' {
				return c
			}
		} else if c == end {
			r.fail("expected a quote at the end of a quoted cell")
			return end
		}
		if c == '\n' {
			r.now++
		}
		if !r.keep(c) {
			return end
		}
	}
}

// plain reads a cell without quotes that begins with c, and returns what comes
// after it.
func (r *rows) plain(c int) int {
	for ; c != ',' && c != '\n' && c != '\r' && c != end; c = r.get() {
		if c == '"' {
			r.fail("expected quotes around a whole cell that holds one")
			return end
		}
		if !r.keep(c) {
			return end
		}
	}
	return c
}

// separated looks at what comes after a cell and reports whether another cell of
// the row follows.
func (r *rows) separated(after int) bool {
	switch after {
	case ',':
		return true
	case '\r':
		if r.get() != '\n' {
			r.fail("expected a line feed after a carriage return outside of quotes")
			return false
		}
		r.now++
	case '\n':
		r.now++
	case end:
	default:
		r.fail("expected a comma or the end of the line after a quoted cell")
	}
	return false
}

// keep appends a byte to the row, as far as there is room for it.
func (r *rows) keep(c int) bool {
	if len(r.text) >= longestLine {
		r.fail("expected at most %d MiB", longestLine>>20)
		return false
	}
	r.text = append(r.text, byte(c))
	return true
}

// get returns the next byte, or end.
func (r *rows) get() int {
	c, err := r.from.ReadByte()
	if err == nil {
		return int(c)
	}
	if !errors.Is(err, io.EOF) && r.err == nil {
		r.err = visited(r.now, err)
	}
	return end
}

// fail keeps the first fault of the row.
func (r *rows) fail(format string, details ...any) {
	if r.err == nil {
		r.err = fault(r.line, format, details...)
	}
}

// appendCell appends a text as a cell: in quotes where it is empty or holds what
// would end a cell.
func appendCell(dst []byte, text string) []byte {
	if text != "" && !strings.ContainsAny(text, "\",\r\n") {
		return append(dst, text...)
	}
	dst = append(dst, '"')
	for i := range len(text) {
		if text[i] == '"' {
			dst = append(dst, '"')
		}
		dst = append(dst, text[i])
	}
	return append(dst, '"')
}
