package rest

import (
	"bytes"
	"strconv"
)

// framing follows the bytes of one request as far as it takes to know where the
// request ends. Where a head leaves that to interpretation it doubts, so that
// nobody takes for a request what another would take for a body. net/http cannot
// be asked: it takes Content-Length out of a head that has Transfer-Encoding too.
//
// Chunks are a reason to doubt as well: what they cost is a connection for each
// such request, and what is gained is that no second reader of chunks has to agree
// with net/http's about extensions, trailers and line ends. No known client of the
// service sends them.
type framing struct {
	stage stage
	// rest is how much of the body has not come.
	rest int64

	// Of the head: whether its first line has come, and what it says of the
	// length.
	started, hasLength bool
	length             int64
	// line is the beginning of a line that has not ended, lineLength all that has
	// come of it, lineEnd its last byte.
	line       [lineKept]byte
	lineLength int
	lineEnd    byte
}

// stage is how far a request has come.
type stage uint8

const (
	inHead stage = iota
	inBody
	// whole: every byte has come. doubtful: where the request ends is unclear, now
	// and for all that follows.
	whole
	doubtful
)

// lineKept is how much of a line is kept until it ends: a length with its name fits.
const lineKept = 64

// follow takes bytes that have come, and returns how many of them belong to the
// request: fewer than all only once it is whole. In doubt it may return anything.
func (f *framing) follow(p []byte) (taken int) {
	for taken < len(p) {
		switch f.stage {
		case inHead:
			line, _, ended := bytes.Cut(p[taken:], []byte{'\n'})
			taken += len(line)
			if !ended {
				f.keep(line)
				return taken
			}
			taken++
			if f.lineLength > 0 {
				f.keep(line)
				line = f.line[:min(f.lineLength, lineKept)]
			}
			if f.lineLength > lineKept {
				// Its end is known by the last byte alone, which is all that matters of a
				// line that says nothing of the length.
				line[lineKept-1] = f.lineEnd
			}
			f.read(line, f.lineLength > lineKept)
			f.lineLength = 0
		case inBody:
			n := min(f.rest, int64(len(p)-taken))
			taken += int(n)
			if f.rest -= n; f.rest == 0 {
				f.stage = whole
			}
		default:
			return taken
		}
	}
	return taken
}

// keep keeps the beginning of a line.
func (f *framing) keep(p []byte) {
	if len(p) == 0 {
		return
	}
	if f.lineLength < lineKept {
		copy(f.line[f.lineLength:], p)
	}
	f.lineLength += len(p)
	f.lineEnd = p[len(p)-1]
}

const (
	lengthName = "Content-Length:"
	codingName = "Transfer-Encoding:"
)

// read takes a line of the head, without its LF. Cut says that its middle is missing.
func (f *framing) read(line []byte, cut bool) {
	if len(line) == 0 || line[len(line)-1] != '\r' {
		f.stage = doubtful
		return
	}
	line = line[:len(line)-1]
	switch {
	case len(line) == 0 && f.started:
		f.rest, f.stage = f.length, inBody
		if f.length == 0 {
			f.stage = whole
		}
	case len(line) == 0:
		f.stage = doubtful
	case !f.started:
		f.started = true
	case line[0] == ' ' || line[0] == '\t', begins(line, codingName):
		// A line may go on in the next, of which a reader may know nothing.
		f.stage = doubtful
	case begins(line, lengthName):
		// The one length of a head: digits, and blanks around them.
		length, err := strconv.ParseUint(string(bytes.Trim(line[len(lengthName):], " \t")), 10, 63)
		if f.hasLength || cut || err != nil {
			f.stage = doubtful
			return
		}
		f.hasLength, f.length = true, int64(length)
	}
}

// begins reports whether a line begins with a name in whatever case.
func begins(line []byte, name string) bool {
	return line[0]|0x20 == name[0]|0x20 && len(line) >= len(name) && bytes.EqualFold(line[:len(name)], []byte(name))
}
