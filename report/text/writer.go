package text

import (
	"bytes"
	"io"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Writer escapes control characters in what it passes on, except tabs and line ends, so that no
// text of a user, a file or a server can control a terminal. It is safe for concurrent use.
type Writer struct {
	to io.Writer

	mu sync.Mutex
	// rest is the start of a character, or of a line end, that the next call completes.
	rest []byte
}

// NewWriter returns a writer to another one.
func NewWriter(to io.Writer) *Writer { return &Writer{to: to} }

// Unwrap returns the writer below, for text that is already [Harmless] and has colours, and for
// questions about the terminal.
func Unwrap(w io.Writer) io.Writer {
	if safe, is := w.(*Writer); is {
		return safe.to
	}
	return w
}

// Write implements [io.Writer]. It may keep up to three bytes until the next call.
func (w *Writer) Write(text []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	written := len(text)
	text = append(w.rest, text...)
	safe := make([]byte, 0, len(text))
	for len(text) > 0 && utf8.FullRune(text) && string(text) != "\r" {
		_, size := utf8.DecodeRune(text)
		switch one := text[:size]; {
		case isLineControl(text) || isVisible(one):
			safe = append(safe, one...)
		default:
			safe = append(safe, Harmless(string(one))...)
		}
		text = text[size:]
	}
	w.rest = bytes.Clone(text)
	if _, err := w.to.Write(safe); err != nil {
		return 0, err
	}
	return written, nil
}

// isLineControl reports whether a text begins with a tab or a line end.
func isLineControl(text []byte) bool {
	return text[0] == '\n' || text[0] == '\t' || bytes.HasPrefix(text, []byte("\r\n"))
}

// isVisible reports whether a character is valid, and neither controls a terminal nor changes the direction of text.
func isVisible(one []byte) bool {
	c, size := utf8.DecodeRune(one)
	return (c != utf8.RuneError || size > 1) && !unicode.IsControl(c) && !unicode.Is(unicode.Bidi_Control, c)
}
