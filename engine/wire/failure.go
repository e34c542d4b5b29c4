package wire

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"loadgen/engine/entity"
)

// Failure is what an error reply says.
type Failure struct {
	Code entity.Code
	// Message is the text without the lines RequestId and Time.
	Message string
	// RequestID and Time are what those lines say.
	RequestID string
	Time      entity.Ticks
}

// AppendError appends the JSON body of an error reply, on one line. Empty fields
// leave out their lines of the message.
func AppendError(dst []byte, f *Failure) []byte {
	dst = append(dst, `{"odata.error":{"code":`...)
	dst = jsonASCII.appendString(dst, string(f.Code))
	dst = append(dst, `,"message":{"lang":"en-US","value":"`...)
	dst = jsonASCII.appendEscaped(dst, f.Message)
	if f.RequestID != "" {
		dst = append(dst, `\nRequestId:`...)
		dst = jsonASCII.appendEscaped(dst, f.RequestID)
	}
	if f.Time != 0 {
		dst = append(dst, `\nTime:`...)
		dst = appendStamp(dst, f.Time)
	}
	return append(dst, `"}}}`...)
}

// ParseError reads what can be read of an error body, JSON or XML (either form):
// fields that are not there stay empty. The message is one line, of bounded
// length, with control characters replaced. A body of any other kind becomes the
// message, as far as it fits.
func ParseError(text string) Failure {
	text = strings.TrimLeft(strings.TrimPrefix(text, byteOrderMark), " \t\r\n")
	var e errorText
	switch {
	case len(text) > maxErrorText:
	case strings.HasPrefix(text, "{"):
		e.readJSON(text)
	case strings.HasPrefix(text, "<"):
		e.readXML(text)
	}
	if !e.found {
		return Failure{Message: oneLine(text, maxErrorMessage)}
	}
	var f Failure
	if len(e.code) <= maxErrorCode && !strings.ContainsFunc(e.code, func(c rune) bool { return c <= ' ' || c >= 0x7F }) {
		f.Code = entity.Code(e.code)
	}
	// The first line is text in any case.
	message, rest, _ := strings.Cut(e.message, "\n")
	for line := range strings.SplitSeq(rest, "\n") {
		line = strings.TrimSuffix(line, "\r")
		if id, is := strings.CutPrefix(line, "RequestId:"); is && f.RequestID == "" {
			f.RequestID = oneLine(id, maxErrorID)
		} else if at, is := strings.CutPrefix(line, "Time:"); is && f.Time == 0 {
			f.Time, _ = entity.ParseTicks(at)
		} else if len(message) < maxErrorMessage {
			message += " " + line
		}
	}
	f.Message = oneLine(message, maxErrorMessage)
	return f
}

const (
	// errorMember is what a JSON error is called.
	errorMember = "odata.error"
	// maxErrorText is the longest body in which an error is looked for.
	maxErrorText = 64 << 10
	// maxErrorMessage, maxErrorID and maxErrorCode bound what is kept, in
	// bytes.
	maxErrorMessage = 1024
	maxErrorID      = 128
	maxErrorCode    = 128
)

// errorText is what an error body says, as it says it.
type errorText struct {
	code, message string
	// found says that the body has the form of an error.
	found bool
}

// readJSON reads up to the first fault: the body may have been cut off. Some
// services call the object error, and give the message without a language.
func (e *errorText) readJSON(text string) {
	s := jsonScanner{text: text}
	s.members(func(name string) {
		if name == errorMember || name == "error" && s.peek() == '{' {
			s.members(func(name string) { e.readMember(&s, name) })
		} else {
			s.skip()
		}
	})
}

func (e *errorText) readMember(s *jsonScanner, name string) {
	switch {
	case name == "code" && s.peek() == '"':
		e.code, _ = s.str()
		e.found = true
	case name == "message" && s.peek() == '"':
		e.message, _ = s.str()
		e.found = true
	case name == "message" && s.peek() == '{':
		s.members(func(name string) {
			if name == "value" && s.peek() == '"' {
				e.message, _ = s.str()
				e.found = true
			} else {
				s.skip()
			}
		})
	default:
		s.skip()
	}
}

// oneLine returns a copy of the text on one line of at most most bytes: unprintable characters become blanks, invalid
// UTF-8 U+FFFD, and blanks at both ends are removed.
func oneLine(text string, most int) string {
	// Only invalid UTF-8 takes more bytes afterwards, three for one, so there is the second cut.
	text = strings.Map(func(r rune) rune {
		if !unicode.IsGraphic(r) {
			return ' '
		}
		return r
	}, cutText(text, most))
	return strings.Clone(strings.TrimSpace(cutText(text, most)))
}

// cutText returns the characters of text that fit into most bytes.
func cutText(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}
