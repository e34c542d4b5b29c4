package csvfile

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// The first bytes of a file tell how its text is packed and written.
const (
	gzipMark       = "\x1F\x8B"
	utf8Mark       = "\xEF\xBB\xBF"
	utf16LittleEnd = "\xFF\xFE"
	utf16BigEnd    = "\xFE\xFF"
)

// Text returns what yields the text of a file as UTF-8, without a mark of the byte
// order: unpacked where it is gzip, and turned around where a mark says UTF-16. What the
// file is not that it begins as is a [*Damage].
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

// Damage is that a file is not what it begins as: a fault of the file, and not of whoever
// reads it.
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
		text.Discard(len(utf16LittleEnd))
		return &wide{from: text, order: binary.LittleEndian}
	case begins(text, utf16BigEnd):
		text.Discard(len(utf16BigEnd))
		return &wide{from: text, order: binary.BigEndian}
	default:
		return text
	}
}

// begins reports whether a file begins so. What keeps it from being read shows where it is.
func begins(text *bufio.Reader, mark string) bool {
	start, _ := text.Peek(len(mark))
	return bytes.Equal(start, []byte(mark))
}

// wide turns UTF-16 into UTF-8. Half of a pair alone comes out as bytes that are none, so
// that who wants text refuses it as any other that is none.
type wide struct {
	from  *bufio.Reader
	order binary.ByteOrder
	// in is the room of what is read, of which kept bytes are left from before; out is
	// ready, of which so much was taken.
	in    [4096]byte
	kept  int
	out   []byte
	taken int
	err   error
}

// Read fills a buffer with what is ready. The error is that of what is read from, or says
// that the text ends within a character.
func (w *wide) Read(into []byte) (int, error) {
	const unit = 2
	for w.taken == len(w.out) {
		if w.err != nil {
			return 0, w.err
		}
		n, err := w.from.Read(w.in[w.kept:])
		w.out, w.taken, w.err = w.out[:0], 0, err
		text := w.in[:w.kept+n]
		at := 0
		for ; at+unit <= len(text); at += unit {
			r := rune(w.order.Uint16(text[at:]))
			if !utf16.IsSurrogate(r) {
				w.out = utf8.AppendRune(w.out, r)
				continue
			}
			if at+2*unit > len(text) && err == nil {
				// The first half of a pair waits for the second, unless the text ends with it.
				break
			}
			pair := rune(utf8.RuneError)
			if at+2*unit <= len(text) {
				pair = utf16.DecodeRune(r, rune(w.order.Uint16(text[at+unit:])))
			}
			if pair == utf8.RuneError {
				w.out = append(w.out, 0xED, 0x80|byte(r>>6)&0x3F, 0x80|byte(r)&0x3F)
				continue
			}
			w.out = utf8.AppendRune(w.out, pair)
			at += unit
		}
		w.kept = copy(w.in[:], text[at:])
		if err == io.EOF && w.kept > 0 {
			w.err = &Damage{"the UTF-16 text ends within a character"}
		}
	}
	n := copy(into, w.out[w.taken:])
	w.taken += n
	return n, nil
}
