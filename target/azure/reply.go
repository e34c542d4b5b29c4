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

// reply is what came back for a request. Its texts are views into room that the
// next reply takes.
type reply struct {
	status int
	// body is what followed the head, whole, chunks put together; share is where its
	// room is from.
	body  []byte
	share target.ReplyShare

	// head holds the names and values of the fields, one after another.
	head   []byte
	fields []field

	// length is what the head says of the body's, -1 where it says nothing.
	length  int64
	chunked bool
	// closing says that the connection has no other reply to give.
	closing bool
}

// field is a header: the ends of its name and of its value in the head; the name
// begins where the field before ends.
type field struct{ from, name, value int }

// The bounds of a reply: its head, how many fields that has, the heads that may come
// before it, and its body. A page of the service has at most 4 MiB, a transaction the
// same.
const (
	mostHead    = 64 << 10
	mostFields  = 1000
	mostInterim = 5
	mostReply   = 5 << 20
)

var (
	errReplyTooLong = errors.New("the reply has more than 5 MiB")
	errHeadTooLong  = errors.New("the reply's header exceeds 64 KiB or 1,000 fields")
	errNoRoom       = errors.New("timed out waiting for memory for the reply")
	errNotHTTP      = errors.New("what answers does not speak HTTP")
)

// read takes in a reply, whole: where it is told how long it is, in chunks, or to
// the end of the connection.
func (r *reply) read(in *bufio.Reader) error {
	// The head, and before it those of what is only news of the way there.
	for heads := 0; heads == 0 || r.status < 200 && r.status != 101; heads++ {
		if heads > mostInterim {
			return errNotHTTP
		}
		if err := r.readHead(in); err != nil {
			return err
		}
	}
	// After a change of protocols, what comes next is no HTTP.
	r.closing = r.closing || r.status == 101
	r.body = r.body[:0]
	switch {
	case r.status == 204:
		// Where the head says that there is a body all the same, one may come.
		r.closing = r.closing || r.chunked || r.length > 0
		return nil
	case r.status < 200, r.status == 304:
		return nil
	case r.chunked:
		return r.readChunks(in)
	case r.length > mostReply:
		return errReplyTooLong
	case r.length >= 0:
		return r.take(in, int(r.length), int(r.length))
	default:
		r.closing = true
		return r.takeAll(in)
	}
}

// header returns the first value of a header, and false for none. The case of
// names does not matter.
func (r *reply) header(name string) (string, bool) {
	for i := range r.fields {
		if f := &r.fields[i]; sameName(r.head[f.from:f.name], name) {
			return view(r.head[f.name:f.value]), true
		}
	}
	return "", false
}

// first returns the first value of a header, empty for none.
func (r *reply) first(name string) string {
	value, _ := r.header(name)
	return value
}

// text returns the body. Only a parser that copies what it keeps may have it.
func (r *reply) text() string { return view(r.body) }

// takeAll takes in what comes until the connection ends.
func (r *reply) takeAll(in *bufio.Reader) error {
	for len(r.body) < mostReply {
		if err := r.grow(0, mostReply); err != nil {
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

// take takes in so many bytes, of a body that will not have more than most.
func (r *reply) take(in *bufio.Reader, size, most int) error {
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

// grow makes room where there is none.
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

// mostChunkLine is the greatest length of the line before a chunk.
const mostChunkLine = 4 << 10

// readChunks takes in a body in chunks, and what follows them.
func (r *reply) readChunks(in *bufio.Reader) error {
	for {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return cutShort(err)
		}
		// The line ends with both characters: where one would do, two readers could see two replies.
		line, whole := bytes.CutSuffix(line, []byte("\r\n"))
		if !whole || len(line) > mostChunkLine {
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
		if size > mostReply-int64(len(r.body)) {
			return errReplyTooLong
		}
		if err := r.take(in, int(size), mostReply); err != nil {
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

// skipTrailer reads the headers after the last chunk, which say nothing here.
func skipTrailer(in *bufio.Reader) error {
	for left := mostHead; left > 0; {
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

// cutShort returns the error for a reply of which there should be more.
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

// view returns bytes as a text without a copy: it changes with them.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
