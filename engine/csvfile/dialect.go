package csvfile

import (
	"bytes"
	"errors"
	"io"
)

// dialect is the form of a file, where it differs from RFC 4180.
type dialect struct {
	// separator stands between fields.
	separator byte
	// escapes says that a backslash before a quotation mark or another backslash,
	// within quotation marks, makes it one of the text.
	escapes bool
}

// headBytes is the size of the part that decides the dialect.
const headBytes = 64 << 10

// head is the beginning of a file; whole says that there is no more.
type head struct {
	text  []byte
	whole bool
}

// failing is a reader that has failed, and says so again.
type failing struct{ err error }

// Read returns the error.
func (f failing) Read([]byte) (int, error) { return 0, f.err }

// separator returns the separator of the columns: the one that the first line names, as spreadsheets write
// it, or the one whose columns are looked for.
func (h *head) separator(o *Options) byte {
	const mark = "sep="
	if line, rest, found := bytes.Cut(h.text, []byte{'\n'}); found && o.Known != nil && len(bytes.TrimRight(line, "\r")) == len(mark)+1 && bytes.EqualFold(line[:len(mark)], []byte(mark)) {
		separator := line[len(mark)]
		h.text = append([]byte{'\n'}, rest...)
		return separator
	}
	best := byte(',')
	names, fields := h.named(best, o)
	for _, separator := range []byte{';', '\t', '|'} {
		if n, width := h.named(separator, o); n > names || n == 0 && names == 0 && o.Dirty && width > 1 && fields <= 1 {
			best, names, fields = separator, n, width
		}
	}
	return best
}

// named returns how many fields of the first row name a column that is looked for, and how many there are.
func (h *head) named(separator byte, o *Options) (names, fields int) {
	if o.Known == nil {
		return 0, 0
	}
	rows := dialect{separator: separator}.scanner(bytes.NewReader(h.text), o)
	if rows.next() != nil {
		return 0, 0
	}
	for _, name := range rows.fields {
		if o.Known(name) {
			names++
		}
	}
	return names, len(rows.fields)
}

// dropComments leaves out the lines before the header that begin with #, and the sign before the header,
// and reports whether there are any.
func (h *head) dropComments(o *Options) bool {
	var before []byte
	text := h.text
	for len(text) > 0 && (text[0] == '#' || text[0] == '\n' || text[0] == '\r') {
		line, rest, found := bytes.Cut(text, []byte{'\n'})
		header := head{text: bytes.TrimLeft(line, "# ")}
		separator := header.separator(o)
		if plain, _ := (&head{text: line}).named(separator, o); plain > 0 || !found {
			break
		}
		if names, _ := header.named(separator, o); names > 0 {
			text = text[len(line)-len(header.text):]
			break
		}
		before, text = append(before, '\n'), rest
	}
	if len(before) == 0 || len(text) == 0 {
		return false
	}
	h.text = append(before, text...)
	return true
}

// fixLineEnds returns what follows the beginning of a file, after turning carriage returns of both into line
// feeds if no line ends otherwise.
func (h *head) fixLineEnds(rest io.Reader) io.Reader {
	if !bytes.ContainsRune(h.text, '\r') || bytes.ContainsRune(h.text, '\n') {
		return rest
	}
	h.text = bytes.ReplaceAll(h.text, []byte{'\r'}, []byte{'\n'})
	return oldLines{rest}
}

// oldLines turns carriage returns into line feeds.
type oldLines struct{ from io.Reader }

func (o oldLines) Read(into []byte) (int, error) {
	n, err := o.from.Read(into)
	for i, c := range into[:n] {
		if c == '\r' {
			into[i] = '\n'
		}
	}
	return n, err
}

// reads reports whether the beginning of a file can be read so; that its last row is
// cut off is no fault.
func (d dialect) reads(h head, o *Options) bool {
	rows := d.scanner(bytes.NewReader(h.text), o)
	for {
		err := rows.next()
		if err == nil {
			continue
		}
		_, more := rows.from.Peek(1)
		return errors.Is(err, io.EOF) || !h.whole && more != nil
	}
}
