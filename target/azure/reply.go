package azure

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
	"unsafe"

	"loadgen/target"
)

// reply is the reply to a request. Its texts are views into buffers that the next reply overwrites.
type reply struct {
	status int
	// body is the complete body without chunk framing; share limits its memory.
	body  []byte
	share target.ReplyShare

	// head holds the names and values of the fields, one after another.
	head   []byte
	fields []field

	// length is the body's by the head, -1 if unknown.
	length  int64
	chunked bool
	// closing reports that the connection carries no other reply.
	closing bool
}

// field is a header: the start and end of its name, and the end of its value in the head.
type field struct{ from, name, value int }

// The limits of a reply: the head, its fields, interim heads before it, and the body. Pages and transactions
// of the service have at most 4 MiB.
const (
	maxHead    = 64 << 10
	maxFields  = 1000
	maxInterim = 5
	maxReply   = 5 << 20
)

var (
	errReplyTooLong = errors.New("the reply has more than 5 MiB")
	errHeadTooLong  = errors.New("the reply's header exceeds 64 KiB or 1,000 fields")
	errNoRoom       = errors.New("timed out waiting for memory for the reply")
	errNotHTTP      = errors.New("what answers does not speak HTTP")
)

// read reads a complete reply: by its length, in chunks, or to the end of the connection.
func (r *reply) read(in *bufio.Reader) error {
	// The head, after interim ones.
	for heads := 0; heads == 0 || r.status < 200 && r.status != 101; heads++ {
		if heads > maxInterim {
			return errNotHTTP
		}
		if err := r.readHead(in); err != nil {
			return err
		}
	}
	// A new protocol follows.
	r.closing = r.closing || r.status == 101
	r.body = r.body[:0]
	switch {
	case r.status == 204:
		// A body may follow if the head announces one.
		r.closing = r.closing || r.chunked || r.length > 0
		return nil
	case r.status < 200, r.status == 304:
		return nil
	case r.chunked:
		return r.readChunks(in)
	case r.length > maxReply:
		return errReplyTooLong
	case r.length >= 0:
		return r.readBytes(in, int(r.length), int(r.length))
	default:
		r.closing = true
		return r.readToEnd(in)
	}
}

// header returns the first value of a header, and false for none. Case does not matter.
func (r *reply) header(name string) (string, bool) {
	for i := range r.fields {
		if f := &r.fields[i]; sameName(r.head[f.from:f.name], name) {
			return view(r.head[f.name:f.value]), true
		}
	}
	return "", false
}

// firstValue returns the first value of a header, empty for none.
func (r *reply) firstValue(name string) string {
	value, _ := r.header(name)
	return value
}

// text returns a view of the body, only for parsers that copy what they keep.
func (r *reply) text() string { return view(r.body) }

// readToEnd reads the body to the end of the connection.
func (r *reply) readToEnd(in *bufio.Reader) error {
	for len(r.body) < maxReply {
		if err := r.grow(0, maxReply); err != nil {
			return err
		}
		n, err := in.Read(r.body[len(r.body):cap(r.body)])
		r.body = r.body[:len(r.body)+n]
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
	}
	switch _, err := in.ReadByte(); err {
	case nil:
		return errReplyTooLong
	case io.EOF:
		return nil
	default:
		return err
	}
}

// readBytes reads size bytes of a body of at most most bytes.
func (r *reply) readBytes(in *bufio.Reader, size, most int) error {
	for size > 0 {
		if err := r.grow(size, most); err != nil {
			return err
		}
		n, err := in.Read(r.body[len(r.body):min(cap(r.body), len(r.body)+size)])
		r.body = r.body[:len(r.body)+n]
		size -= n
		if err != nil && size > 0 {
			return cutShort(err)
		}
	}
	return nil
}

// grow enlarges a full body.
func (r *reply) grow(expected, most int) error {
	if len(r.body) < cap(r.body) {
		return nil
	}
	var sound bool
	if r.body, sound = r.share.Grow(r.body, expected, most); !sound {
		return target.ErrReplyEnded
	}
	return nil
}

// maxChunkLine is the maximum length of the line before a chunk.
const maxChunkLine = 4 << 10

// readChunks reads a chunked body and its trailer.
func (r *reply) readChunks(in *bufio.Reader) error {
	for {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return cutShort(err)
		}
		// Lenient line ends would let two readers see different replies.
		line, whole := bytes.CutSuffix(line, []byte("\r\n"))
		if !whole || len(line) > maxChunkLine {
			return errNotHTTP
		}
		digits, _, _ := bytes.Cut(line, []byte(";"))
		digits = trimBlanks(digits)
		if len(digits) == 0 || digits[0] == '+' || digits[0] == '-' {
			return errNotHTTP
		}
		size, err := strconv.ParseInt(view(digits), 16, 64)
		if err != nil {
			return errNotHTTP
		}
		if size == 0 {
			return skipTrailer(in)
		}
		if size > maxReply-int64(len(r.body)) {
			return errReplyTooLong
		}
		if err := r.readBytes(in, int(size), maxReply); err != nil {
			return err
		}
		if line, err = in.ReadSlice('\n'); err != nil {
			return cutShort(err)
		}
		if string(line) != "\r\n" {
			return errNotHTTP
		}
	}
}

// skipTrailer reads and ignores the headers after the last chunk.
func skipTrailer(in *bufio.Reader) error {
	for left := maxHead; left > 0; {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return cutShort(err)
		}
		if string(line) == "\r\n" {
			return nil
		}
		name, value, found := bytes.Cut(line, []byte(":"))
		value, whole := bytes.CutSuffix(value, []byte("\r\n"))
		if !found || !whole || len(name) == 0 || !isName(name) || !isValue(value) {
			return errNotHTTP
		}
		left -= len(line)
	}
	return errHeadTooLong
}

// cutShort returns the error of an incomplete reply.
func cutShort(err error) error {
	switch err {
	case io.EOF:
		return io.ErrUnexpectedEOF
	case bufio.ErrBufferFull:
		return errNotHTTP
	default:
		return err
	}
}

// view returns bytes as a string without a copy, which changes with them.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
