package survey

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// mostRow is the longest row in bytes. It holds two keys at their longest in
// quotes, and room for columns that are not looked at.
const mostRow = 64 << 10

// What is wrong with how a row is written.
var (
	errTooLong = errors.New("the row has more than 65,536 bytes; expected a shorter one")
	errBare    = errors.New("a quotation mark stands in a field without; " +
		"expected the field in quotation marks, and its own doubled")
	errAfter = errors.New("text follows a closing quotation mark; expected a comma, or two marks for one")
	errOpen  = errors.New("a quotation mark is never closed; expected another")
)

// records cuts CSV into rows of fields, as RFC 4180 has it: a line is a row, but
// for line ends within quotation marks; empty lines are none.
type records struct {
	from *bufio.Reader
	// fields are those of the row, good until the next. They lie in the reader's
	// own room, or, where there are quotation marks, in the text, in which ends is
	// where each field ends.
	fields [][]byte
	text   []byte
	ends   []int
	// first and line are the first and the last line of the row, from 1.
	first, line int64
}

func newRecords(from io.Reader) *records {
	return &records{from: bufio.NewReaderSize(from, mostRow+2)}
}

// next moves to the next row. The error is io.EOF after the last one, that of the
// reader, or one that says what is wrong with the row, after which the next may be
// asked for.
func (r *records) next() error {
	for {
		line, err := r.read()
		r.first = r.line
		switch {
		case err != nil:
			return err
		case len(line) == 0:
			continue
		case bytes.IndexByte(line, '"') < 0:
			r.split(line)
			return nil
		}
		return r.quoted(line)
	}
}

// read returns the next line without its end.
func (r *records) read() ([]byte, error) {
	line, err := r.from.ReadSlice('\n')
	r.line++
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return nil, r.skip()
	case errors.Is(err, io.EOF):
		if len(line) == 0 {
			return nil, io.EOF
		}
	case err != nil:
		return nil, err
	default:
		line = line[:len(line)-1]
	}
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	if len(line) > mostRow {
		return nil, errTooLong
	}
	if r.line == 1 {
		line = bytes.TrimPrefix(line, []byte("\uFEFF"))
	}
	return line, nil
}

// skip passes over the rest of a line that is too long.
func (r *records) skip() error {
	for {
		switch _, err := r.from.ReadSlice('\n'); {
		case err == nil || errors.Is(err, io.EOF):
			return errTooLong
		case !errors.Is(err, bufio.ErrBufferFull):
			return err
		}
	}
}

// split takes a line without quotation marks apart.
func (r *records) split(line []byte) {
	r.fields = r.fields[:0]
	for {
		end := bytes.IndexByte(line, ',')
		if end < 0 {
			r.fields = append(r.fields, line)
			return
		}
		r.fields = append(r.fields, line[:end])
		line = line[end+1:]
	}
}

// quoted takes a row apart that has quotation marks, and may go on over several
// lines.
func (r *records) quoted(line []byte) error {
	r.text, r.ends = r.text[:0], r.ends[:0]
	for open := false; ; {
		var err error
		if open, err = r.feed(line, open); err != nil {
			return err
		}
		if !open {
			break
		}
		switch line, err = r.read(); {
		case errors.Is(err, io.EOF):
			return errOpen
		case err != nil:
			return err
		}
		r.text = append(r.text, '\n')
		if len(r.text)+len(line) > mostRow {
			return errTooLong
		}
	}
	r.fields = r.fields[:0]
	from := 0
	for _, end := range r.ends {
		r.fields = append(r.fields, r.text[from:end])
		from = end
	}
	return nil
}

// feed takes a line of such a row, and returns whether it ends between quotation
// marks, as the one before did where open is set.
func (r *records) feed(line []byte, open bool) (bool, error) {
	for {
		if !open && (len(line) == 0 || line[0] != '"') {
			end := bytes.IndexByte(line, ',')
			field := line[:max(end, 0)]
			if end < 0 {
				field = line
			}
			if bytes.IndexByte(field, '"') >= 0 {
				return false, errBare
			}
			r.text = append(r.text, field...)
			r.ends = append(r.ends, len(r.text))
			if end < 0 {
				return false, nil
			}
			line = line[end+1:]
			continue
		}
		if !open {
			line, open = line[1:], true
		}
		end := bytes.IndexByte(line, '"')
		if end < 0 {
			r.text = append(r.text, line...)
			return true, nil
		}
		r.text = append(r.text, line[:end]...)
		line = line[end+1:]
		switch {
		case len(line) == 0:
			r.ends = append(r.ends, len(r.text))
			return false, nil
		case line[0] == '"':
			r.text = append(r.text, '"')
			line = line[1:]
		case line[0] == ',':
			r.ends = append(r.ends, len(r.text))
			line, open = line[1:], false
		default:
			return false, errAfter
		}
	}
}
