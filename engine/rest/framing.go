package rest

import (
	"bytes"
	"strconv"
)

// framing finds the end of one request in the bytes of a connection. A head that is ambiguous about it makes it
// doubtful, so that a body is never read as a request. net/http cannot do this: it removes Content-Length from a head
// with Transfer-Encoding.
//
// Chunked requests are doubtful as well: each costs a connection, but this reader need not agree with net/http's about
// extensions, trailers and line ends. No known client of the service sends them.
type framing struct {
	stage stage
	// rest is the unread length of the body.
	rest int64

	// Of the head: whether its first line was read, and the length.
	started, hasLength bool
	length             int64
	// line is the beginning of an incomplete line, lineLength its length so far, lineEnd its last byte.
	line       [lineKept]byte
	lineLength int
	lineEnd    byte
}

// stage is the state of a request.
type stage uint8

const (
	inHead stage = iota
	inBody
	// whole: the request is complete. doubtful: its end is ambiguous, also for all that follows.
	whole
	doubtful
)

// lineKept is the kept length of an incomplete line: a length with its name fits.
const lineKept = 64

// follow reads bytes, and returns how many of them belong to the request: fewer than all only if it is whole. If
// doubtful it may return any number.
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
				// Only the last byte of a line without a length matters.
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

// read parses a line of the head without its LF. cut reports that its middle is missing.
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
		// Line folding, which not every reader supports.
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
