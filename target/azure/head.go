package azure

import (
	"bufio"
	"bytes"
	"io"
	"strconv"
	"strings"
)

// readHead reads one head: the line with the status, and the fields.
func (r *reply) readHead(in *bufio.Reader) error {
	r.status, r.head, r.fields = 0, r.head[:0], r.fields[:0]
	r.length, r.chunked, r.closing = -1, false, false
	left := maxHead
	line, err := r.readLine(in, &left)
	if err != nil {
		if err != io.EOF {
			return err
		}
		if begun := r.head[:min(len(r.head), len(version))]; !strings.HasPrefix(version, string(begun)) {
			return errNotHTTP
		}
		if len(r.head) > 0 {
			return io.ErrUnexpectedEOF
		}
		return err
	}
	if !r.readStatus(line) {
		return errNotHTTP
	}
	r.head = r.head[:0]
	for {
		from := len(r.head)
		line, err := r.readLine(in, &left)
		switch {
		case err != nil:
			return cutShort(err)
		case len(line) == 0:
			return r.frame()
		case len(r.fields) == maxFields:
			return errHeadTooLong
		case !r.addField(from):
			return errNotHTTP
		}
	}
}

// readLine appends a line to the head and returns it without its end. It subtracts its length from left.
func (r *reply) readLine(in *bufio.Reader, left *int) ([]byte, error) {
	from := len(r.head)
	for {
		part, err := in.ReadSlice('\n')
		if *left -= len(part); *left < 0 {
			return nil, errHeadTooLong
		}
		r.head = append(r.head, part...)
		if err == nil {
			line := r.head[from:]
			line = bytes.TrimSuffix(line, []byte("\n"))
			r.head = r.head[:from+len(bytes.TrimSuffix(line, []byte("\r")))]
			return r.head[from:], nil
		}
		if err != bufio.ErrBufferFull {
			return nil, err
		}
	}
}

// version begins a reply, before a digit.
const version = "HTTP/1."

func (r *reply) readStatus(line []byte) bool {
	const begin = len(version) + len("1 ")
	if len(line) < begin || string(line[:len(version)]) != version || line[begin-1] != ' ' {
		return false
	}
	minor, rest := line[begin-2], bytes.TrimLeft(line[begin:], " ")
	if minor < '0' || minor > '9' || len(rest) < 3 || len(rest) > 3 && rest[3] != ' ' {
		return false
	}
	for _, digit := range rest[:3] {
		if digit < '0' || digit > '9' {
			return false
		}
		r.status = 10*r.status + int(digit-'0')
	}
	// Before HTTP/1.1, a connection was for one request.
	r.closing = minor == '0'
	return r.status >= 100
}

// addField parses the last line of the head, which keeps the name and the value without a separator. A
// line that begins with a blank continues the value of the previous field (obsolete line folding).
func (r *reply) addField(from int) bool {
	line := r.head[from:]
	if line[0] == ' ' || line[0] == '\t' {
		if len(r.fields) == 0 || !isValue(line) {
			return false
		}
		last := &r.fields[len(r.fields)-1]
		more := trimBlanks(line)
		end := from
		if last.value > last.name {
			r.head[end] = ' '
			end++
		}
		r.head = r.head[:end+copy(r.head[end:], more)]
		last.value = len(r.head)
		return true
	}
	colon := bytes.IndexByte(line, ':')
	if colon <= 0 || !isName(line[:colon]) || !isValue(line[colon+1:]) {
		return false
	}
	value := trimBlanks(line[colon+1:])
	copy(line[colon:], value)
	end := from + colon + len(value)
	r.head = r.head[:end]
	r.fields = append(r.fields, field{from, from + colon, end})
	return true
}

// frame finds the end of the body from the fields.
func (r *reply) frame() error {
	old := r.closing // HTTP/1.0, which knows no chunks
	for i := range r.fields {
		f := &r.fields[i]
		name, value := r.head[f.from:f.name], r.head[f.name:f.value]
		switch {
		case sameName(name, "Content-Length"):
			length, err := strconv.ParseUint(view(value), 10, 63)
			if err != nil || r.length >= 0 && r.length != int64(length) {
				return errNotHTTP
			}
			r.length = int64(length)
		case !old && sameName(name, "Transfer-Encoding"):
			if r.chunked || !sameName(value, "chunked") {
				return errNotHTTP
			}
			r.chunked = true
		case sameName(name, "Connection"):
			for one := range bytes.SplitSeq(value, []byte(",")) {
				r.closing = r.closing || sameName(trimBlanks(one), "close")
			}
		}
	}
	// With both headers the end is ambiguous.
	r.closing = r.closing || r.chunked && r.length >= 0
	return nil
}

// sameName reports whether two ASCII texts are equal except for case. The second has only letters, digits
// and dashes.
func sameName(a []byte, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(b) {
		if a[i] != b[i] && (a[i]|0x20 != b[i]|0x20 || a[i] < 'A') {
			return false
		}
	}
	return true
}

// isName reports whether a field can have a name: a token of RFC 9110.
func isName(name []byte) bool {
	for _, c := range name {
		letter := 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && c != '-' && (c < '0' || c > '9') && strings.IndexByte("!#$%&'*+.^_`|~", c) < 0 {
			return false
		}
	}
	return true
}

// isValue reports whether a field can have a value: no control characters but
// tabs.
func isValue(value []byte) bool {
	for _, c := range value {
		if c < ' ' && c != '\t' || c == 0x7F {
			return false
		}
	}
	return true
}

func trimBlanks(b []byte) []byte { return bytes.Trim(b, " \t") }
