package csvfile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

// scanner splits rows. It belongs to one goroutine.
type scanner struct {
	from *bufio.Reader
	dialect
	// learns says that \" may still turn out to be a quotation mark of the text, since none has been read yet.
	learns              bool
	maxBytes, maxFields int
	// lines counts those read, line is the one at which the row begins.
	lines, line int
	// long is a line that is longer than the buffer.
	long []byte
	// row is the text of the row without separators and quotation marks. Each field ends at one of ends, and
	// quoted are those between quotation marks.
	row    []byte
	ends   []int
	quoted []bool
	// text is the row, fields are parts of it.
	text   string
	fields []string
}

// rowFault is what is wrong with a row. A fatal one leaves no sense in the rest of the file.
type rowFault struct {
	what  string
	fatal bool
}

// Error implements error.
func (f *rowFault) Error() string { return f.what }

// bufferBytes is the size of the buffer of a scanner.
const bufferBytes = 16 << 10

func (d dialect) scanner(from io.Reader, o *Options) *scanner {
	return &scanner{from: bufio.NewReaderSize(from, bufferBytes), dialect: d, maxBytes: o.Row, maxFields: o.Fields}
}

// next reads the next row that is not empty. The error is a *rowFault, that of the reader, or io.EOF.
func (s *scanner) next() error {
	s.row, s.ends, s.quoted = s.row[:0], s.ends[:0], s.quoted[:0]
	var line []byte
	for size := 0; len(line) == size; {
		var err error
		s.line = s.lines + 1
		if line, err = s.readLine(0); err != nil {
			return err
		}
		size = endSize(line)
	}
	if err := s.split(line); err != nil {
		return err
	}
	s.text, s.fields = string(s.row), s.fields[:0]
	begin := 0
	for _, end := range s.ends {
		s.fields = append(s.fields, s.text[begin:end])
		begin = end
	}
	return nil
}

// readLine returns a line with its end, in a row that has a number of bytes already. It is valid until the
// next call.
func (s *scanner) readLine(before int) ([]byte, error) {
	line, err := s.from.ReadSlice('\n')
	for s.long = s.long[:0]; errors.Is(err, bufio.ErrBufferFull) && before+len(s.long) <= s.maxBytes; {
		s.long = append(s.long, line...)
		line, err = s.from.ReadSlice('\n')
	}
	if len(s.long) > 0 {
		s.long = append(s.long, line...)
		line = s.long
	}
	s.lines++
	switch {
	case before+len(line) > s.maxBytes:
		return nil, &rowFault{fmt.Sprintf("the row exceeds %d KiB", s.maxBytes>>10), true}
	case err != nil && (!errors.Is(err, io.EOF) || len(line) == 0):
		return nil, err
	}
	return line, nil
}

// endSize returns how many bytes of a line are its end: a carriage return may also end the file.
func endSize(line []byte) int {
	text := bytes.TrimSuffix(line, []byte{'\n'})
	return len(line) - len(bytes.TrimSuffix(text, []byte{'\r'}))
}

// split splits a row that begins with a line.
func (s *scanner) split(line []byte) error {
	text := line[:len(line)-endSize(line)]
	for size := len(line); ; {
		end := bytes.IndexByte(text, s.separator)
		if len(s.ends) == s.maxFields {
			return &rowFault{fmt.Sprintf("the row exceeds %d fields", s.maxFields), true}
		}
		if len(text) > 0 && text[0] == '"' {
			rest, err := s.quotedField(text[1:], line, &size)
			if err != nil {
				return err
			}
			if s.close(true); rest == nil {
				return nil
			}
			line, text = rest, rest[:len(rest)-endSize(rest)]
			continue
		}
		field := text
		if end >= 0 {
			field = text[:end]
		}
		if bytes.IndexByte(field, '"') >= 0 {
			return s.fault("unexpected quotation mark; expected a quoted field with doubled quotation marks")
		}
		if bytes.IndexByte(field, '\r') >= 0 {
			return &rowFault{"bare carriage return; expected quotation marks around it or a line feed after it", false}
		}
		s.row = append(s.row, field...)
		if s.close(false); end < 0 {
			return nil
		}
		text = text[end+1:]
	}
}

// close ends a field.
func (s *scanner) close(quoted bool) {
	s.ends, s.quoted = append(s.ends, len(s.row)), append(s.quoted, quoted)
}

func (s *scanner) fault(what string) error {
	return &rowFault{fmt.Sprintf("field %d: %s", len(s.ends)+1, what), false}
}

// quotedField reads a field behind its first quotation mark, which may go on for several lines. It returns the
// rest of the line behind the separator, nil for the end of the row.
func (s *scanner) quotedField(text, line []byte, size *int) (rest []byte, err error) {
	// From here on a line has its end.
	for text = line[len(line)-endSize(line)-len(text):]; ; {
		at := bytes.IndexAny(text, "\"\\")
		if at < 0 {
			s.row = append(s.row, text...)
			text, err = s.readLine(*size)
			if errors.Is(err, io.EOF) {
				return nil, s.fault("unclosed quotation mark")
			}
			if err != nil {
				return nil, err
			}
			*size += len(text)
			continue
		}
		s.row = append(s.row, text[:at]...)
		behind := text[at+1:]
		if text[at] == '\\' {
			text = s.backslash(behind)
			continue
		}
		switch {
		case len(behind) > 0 && behind[0] == '"':
			s.row, text = append(s.row, '"'), behind[1:]
		case len(behind) > 0 && behind[0] == s.separator:
			return behind[1:], nil
		case len(behind) == endSize(behind):
			return nil, nil
		default:
			return nil, s.fault("text follows a closing quotation mark; expected " + separators[s.separator] + ", or two marks for one")
		}
	}
}

// backslash reads a backslash within quotation marks and returns the rest. The byte after the first \" of a
// file decides what \" means in that file: before a separator, a line end or a quotation mark, the backslash is
// text and the mark follows RFC 4180; before anything else, \" is an escaped quotation mark.
func (s *scanner) backslash(behind []byte) []byte {
	if s.learns && len(behind) > 0 && behind[0] == '"' {
		s.learns = false
		s.escapes = len(behind) > 1 && strings.IndexByte("\"\r\n"+string(s.separator), behind[1]) < 0
	}
	if s.escapes && len(behind) > 0 && (behind[0] == '"' || behind[0] == '\\') {
		s.row = append(s.row, behind[0])
		return behind[1:]
	}
	s.row = append(s.row, '\\')
	return behind
}
