package wire

import "loadgen/engine/entity"

// Failure is what an error reply says.
type Failure struct {
	Code entity.Code
	// Message is the text without the lines RequestId and Time.
	Message string
	// RequestID and Time are what those lines say.
	RequestID string
	Time      entity.Ticks
}

// AppendError appends the JSON body of an error reply, on one line.
func AppendError(dst []byte, f *Failure) []byte { panic("contract") }

// AppendErrorXML appends the XML body of an error reply.
func AppendErrorXML(dst []byte, f *Failure) []byte { panic("contract") }

// ParseError reads what can be read of an error body, JSON or XML (either form):
// fields that are not there stay empty. The message is one line, of bounded
// length, with control characters replaced.
func ParseError(text string) Failure { panic("contract") }

// Message returns the service's text for a code, and a general one for a code
// that has none of its own.
func Message(code entity.Code) string { panic("contract") }
