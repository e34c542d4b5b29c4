package csvfile

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// The first bytes of a file tell how its text is packed and written.
const (
	gzipMark       = "\x1F\x8B"
	utf8Mark       = "\xEF\xBB\xBF"
	utf16LittleEnd = "\xFF\xFE"
	utf16BigEnd    = "\xFE\xFF"
)

// Text returns a reader of a file's text as UTF-8 without a byte order mark: decompressed if it is gzip, and converted
// from UTF-16 if it has such a mark. Its errors are [*Damage] or the reader's.
func Text(from io.Reader) io.Reader {
	packed := &countedReader{from: from}
	start := bufio.NewReader(packed)
	if !begins(start, gzipMark) {
		return unmarked(start)
	}
	text, err := gzip.NewReader(start)
	if err != nil {
		return failing{damaged(err)}
	}
	return unmarked(bufio.NewReader(&unpacked{text: text, packed: packed}))
}

// Damage is a fault of a file that does not match its first bytes.
type Damage struct{ what string }

// Error implements error.
func (d *Damage) Error() string { return d.what }

// damaged returns what is wrong with a packed file, or the error of what it is read from.
func damaged(err error) error {
	var corrupt flate.CorruptInputError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return &Damage{"the gzip ends within its text"}
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, gzip.ErrHeader), errors.As(err, &corrupt):
		return &Damage{"the gzip is damaged"}
	default:
		return err
	}
}

// countedReader counts the bytes that were read.
type countedReader struct {
	from  io.Reader
	bytes int64
}

func (c *countedReader) Read(into []byte) (int, error) {
	n, err := c.from.Read(into)
	c.bytes += int64(n)
	return n, err
}

// unpacked reads the text of a gzip and bounds how far it expands.
type unpacked struct {
	text   io.Reader
	packed *countedReader
	bytes  int64
}

// A gzip that exceeds both limits is refused.
const (
	maxUnpacked = 64 << 20
	maxRatio    = 200
)

func (u *unpacked) Read(into []byte) (int, error) {
	n, err := u.text.Read(into)
	if u.bytes += int64(n); u.bytes > maxUnpacked && u.bytes/maxRatio > u.packed.bytes {
		return 0, &Damage{fmt.Sprintf("the gzip unpacks to over %d times its size", maxRatio)}
	}
	return n, damaged(err)
}

func unmarked(text *bufio.Reader) io.Reader {
	switch {
	case begins(text, utf8Mark):
		text.Discard(len(utf8Mark))
		return text
	case begins(text, utf16LittleEnd):
		return newWide(text, unicode.LittleEndian)
	case begins(text, utf16BigEnd):
		return newWide(text, unicode.BigEndian)
	default:
		return text
	}
}

// begins reports whether a file begins so. What keeps it from being read shows where it is.
func begins(text *bufio.Reader, mark string) bool {
	start, _ := text.Peek(len(mark))
	return bytes.Equal(start, []byte(mark))
}

// wide is a text that was UTF-16. Broken characters are U+FFFD.
type wide struct{ io.Reader }

func newWide(text io.Reader, order unicode.Endianness) *wide {
	return &wide{transform.NewReader(text, unicode.UTF16(order, unicode.UseBOM).NewDecoder())}
}
