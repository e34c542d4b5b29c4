package wire

import (
	"fmt"
	"strconv"
	"strings"
)

// BatchOutcome is the outcome of a transaction that a client sent.
type BatchOutcome struct {
	// Status is the first failed part's, or else 202. Where the reply is an
	// error without parts, it is that of the error's code.
	Status int
	// Failure and FailedIndex say what failed and where; the index is 0 where
	// the reply does not say. The message is without the index.
	Failure     Failure
	FailedIndex int
	// Parts is how many operations the reply answers.
	Parts int
}

const statusAccepted = 202

// ParseBatchReply reads the body of a 202 reply to a transaction. boundary is
// that of its Content-Type; where it is empty, that of the body's first line is
// taken. A body that is no batch reply, or was cut short, is ErrReply.
func ParseBatchReply(boundary, text string) (BatchOutcome, error) {
	outcome := BatchOutcome{Status: statusAccepted}
	// Some failures come as an ordinary error under the status of success.
	if plain := strings.TrimLeft(text, "\uFEFF \t\r\n"); strings.HasPrefix(plain, "{") {
		outcome.fail(0, plain)
		if outcome.Failure.Code == "" {
			return BatchOutcome{}, notBatchReply("error object expected")
		}
		return outcome, nil
	}
	if boundary == "" {
		line, _ := cutLine(text)
		first, hyphens := strings.CutPrefix(strings.TrimRight(line, " \t"), "--")
		if hyphens && len(first) <= maxBoundary {
			boundary = first
		}
	}
	outer, ok := openMultipart(text, boundary)
	if !ok {
		return BatchOutcome{}, notBatchReply("missing boundary")
	}
	for part, more := outer.next(); more; part, more = outer.next() {
		if err := outcome.addSection(part); err != nil {
			return BatchOutcome{}, err
		}
	}
	if outcome.Parts == 0 {
		return BatchOutcome{}, notBatchReply("no operation answered")
	}
	return outcome, nil
}

// addSection counts a part of the whole: a change set, or a lone read's reply.
func (o *BatchOutcome) addSection(part string) error {
	if isBlank(part) {
		return nil
	}
	boundary, within, nested := partBoundary(part)
	if !nested {
		return o.addPart(part)
	}
	set, ok := openMultipart(within, boundary)
	if !ok {
		return notBatchReply("change set lacks its boundary")
	}
	for part, more := set.next(); more; part, more = set.next() {
		if isBlank(part) {
			continue
		}
		if err := o.addPart(part); err != nil {
			return err
		}
	}
	if !set.closed {
		return notBatchReply("truncated change set")
	}
	return nil
}

// addPart counts one operation's reply. Of several that failed the first one
// counts.
func (o *BatchOutcome) addPart(part string) error {
	line, rest := cutLine(part)
	for ; isBlank(line) || !strings.HasPrefix(line, "HTTP/"); line, rest = cutLine(rest) {
		if _, _, named := cutHeader(line); !named && !isBlank(line) || rest == "" {
			return notBatchReply("part is no HTTP reply")
		}
	}
	_, digits, _ := strings.Cut(line, " ")
	digits, _, _ = strings.Cut(digits, " ")
	status, err := strconv.ParseUint(digits, 10, 16)
	if err != nil || status < 100 || status > 599 {
		return notBatchReply("part without status")
	}
	o.Parts++
	if status >= 200 && status < 300 || o.Status != statusAccepted {
		return nil
	}
	for line != "" {
		line, rest = cutLine(rest)
	}
	o.fail(int(status), strings.TrimSpace(rest))
	return nil
}

// fail notes a failure. A status of 0 is that of its code. The message may begin with the index
// of the failed operation: 3:The specified entity already exists.
func (o *BatchOutcome) fail(status int, body string) {
	o.Failure = ParseError(body)
	digits, message, found := strings.Cut(o.Failure.Message, ":")
	if index, err := strconv.ParseUint(digits, 10, 31); found && err == nil {
		o.FailedIndex, o.Failure.Message = int(index), message
	}
	if o.Status = status; status == 0 {
		o.Status = o.Failure.Code.Status()
	}
}

func notBatchReply(why string) error {
	return fmt.Errorf("%w: batch reply: %s", ErrReply, why)
}
