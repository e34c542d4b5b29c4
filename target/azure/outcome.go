package azure

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/engine/invariants"
	"loadgen/engine/wire"
	"loadgen/target"
)

// The headers of replies, in the spelling of the service's documents.
const (
	codeHeader       = "x-ms-error-code"
	etagHeader       = "ETag"
	typeHeader       = "Content-Type"
	nextPartitionKey = "x-ms-continuation-NextPartitionKey"
	nextRowKey       = "x-ms-continuation-NextRowKey"
	serverHeader     = "Server"
	dateHeader       = "Date"
	requestIDHeader  = "x-ms-request-id"
	challengeHeader  = "WWW-Authenticate"
)

// maxCodeBytes is the greatest length of a code, in bytes.
const maxCodeBytes = 100

func (t *Target) outcome(a *attempt, op *target.Operation) target.Outcome {
	r := &a.reply
	outcome := target.Outcome{Status: r.status, RetryAfter: t.retryAfter(r)}
	part := false
	if r.status >= 200 && r.status < 300 {
		detail := ""
		if part, detail = t.success(&outcome, a, op); detail != "" {
			// The status alone would count an invalid reply as a success.
			unfit := target.Outcome{Status: outcome.Status, Fault: outcome.Fault, Detail: t.line(detail)}
			if op.Verb == entity.Batch {
				// Its result is unknown, as without a reply.
				unfit.Status, unfit.Fault = 0, target.Unreadable
				unfit.Counted = t.counted(op, &target.Outcome{Status: r.status}, false, r)
			}
			return unfit
		}
	} else {
		outcome.Code, outcome.Detail = t.refusal(r, string(r.body))
	}
	outcome.Counted = t.counted(op, &outcome, part, r)
	return outcome
}

// success fills in the contents of a 2xx, or returns why it cannot, for reads with the fault. part reports
// that the outcome is that of a part of a transaction.
func (t *Target) success(o *target.Outcome, a *attempt, op *target.Operation) (part bool, unfit string) {
	r := &a.reply
	switch op.Verb {
	case entity.Get:
		row, err := wire.ParseEntity(r.text())
		if err != nil {
			o.Fault = target.Unreadable
			return false, "the reply cannot be read: " + err.Error()
		}
		if row.Key != op.Change.Key && comesThrough(op.Change.Key) {
			o.Fault = target.WrongEntity
			return false, "the reply contains a different entity: " + named(row.Key)
		}
		o.Entity, o.Returned = row.Entity, 1
		// The body repeats the tag of the header, which matters only if the body lacks it or if the
		// style is unknown.
		if o.Version = row.Entity.Timestamp(); o.Version%tickStep == 0 {
			o.Version = max(o.Version, t.etags.read(r.firstValue(etagHeader)))
		}
	case entity.Query:
		return false, t.page(o, a, &op.Query.Range)
	case entity.Batch:
		return t.transaction(o, op, r, string(r.body))
	default:
		o.Version = t.etags.read(r.firstValue(etagHeader))
	}
	return false, ""
}

// comesThrough reports whether a key is UTF-8, which the wire does not change.
func comesThrough(k entity.Key) bool { return utf8.ValidString(k.Partition) && utf8.ValidString(k.Row) }

// named returns a key for a person, cut to what is enough to find it.
func named(k entity.Key) string {
	const most = 60
	return fmt.Sprintf("PartitionKey %.*q, RowKey %.*q", most, k.Partition, most, k.Row)
}

func (t *Target) page(o *target.Outcome, a *attempt, asked *filter.Range) (unfit string) {
	r := &a.reply
	var err error
	if a.rows, err = wire.ParsePage(a.rows[:0], r.text()); err != nil {
		o.Fault = target.Unreadable
		return "the reply cannot be read: " + err.Error()
	}
	// Most pages are of one whole partition: there is one key to compare.
	only, alone := asked.Partition()
	whole := alone && asked.From.Row == "" && asked.To.Partition != only
	for i := range a.rows {
		if k := a.rows[i].Key; (!whole || k.Partition != only) && outside(asked, k) {
			o.Fault = target.WrongEntity
			return "the reply contains an entity outside the query: " + named(k)
		}
	}
	t.etags.learn(r.text(), a.rows)
	o.Rows, o.Returned = append([]target.Row(nil), a.rows...), int64(len(a.rows))
	partition, more := r.header(nextPartitionKey)
	row, further := r.header(nextRowKey)
	o.Next = target.Token{Present: more || further,
		NextPartitionKey: strings.Clone(partition), NextRowKey: strings.Clone(row)}
	return ""
}

// outside reports whether a key is outside of a range. A service may order keys by UTF-16 code units, as
// documented, or by bytes: a key is accepted by either order. A page always has both keys: they are in
// each $select.
func outside(asked *filter.Range, k entity.Key) bool {
	if asked.Contains(k) || !comesThrough(asked.From) || !comesThrough(asked.To) {
		return false
	}
	bytewise := func(a, b entity.Key) int {
		return cmp.Or(cmp.Compare(a.Partition, b.Partition), cmp.Compare(a.Row, b.Row))
	}
	return bytewise(k, asked.From) < 0 || asked.Bounded && bytewise(k, asked.To) >= 0
}

// transaction fills in the outcome of a transaction. A failed one is also a 202, with the failure in its
// only part, or with some services an error body instead of parts.
func (t *Target) transaction(o *target.Outcome, op *target.Operation, r *reply, text string) (part bool, fault string) {
	boundary, multipart := wire.Boundary(r.firstValue(typeHeader))
	if !multipart || strings.HasPrefix(text, "{") {
		if o.Code, o.Detail = t.refusal(r, text); o.Code == entity.OK {
			return false, "the reply to a transaction is not multipart/mixed"
		}
		o.Status = o.Code.Status()
		return false, ""
	}
	came, err := wire.ParseBatchReply(boundary, text)
	if err != nil {
		return false, "the reply cannot be read: " + err.Error()
	}
	if came.Status < 200 || came.Status >= 300 {
		o.Status, o.FailedIndex = came.Status, came.FailedIndex
		o.Code, o.Detail = t.described(came.Status, came.Failure)
		return true, ""
	}
	if came.Parts != len(op.Changes) {
		return false, "the reply to a transaction lacks some of its writes"
	}
	return true, ""
}

// refusal returns the code and the detail of an error reply. The code of the header comes first, as in
// Azure's SDKs.
func (t *Target) refusal(r *reply, text string) (entity.Code, string) {
	failure := wire.ParseError(text)
	if failure.Code == entity.OK && isPage(r, text) {
		failure.Message = "" // markup, of a proxy most likely
	}
	if code := r.firstValue(codeHeader); code != "" {
		failure.Code = entity.Code(code)
	}
	return t.described(r.status, failure)
}

// described returns the printable code and message of a failure.
func (t *Target) described(status int, failure wire.Failure) (entity.Code, string) {
	code := failure.Code
	if len(code) > maxCodeBytes || !visible(string(code)) {
		code = ""
	}
	detail := cmp.Or(t.line(failure.Message), http.StatusText(status), "no message")
	// Copies, since both may be views into a long reply.
	return entity.Code(strings.Clone(t.hide(string(code)))), strings.Clone(detail)
}

// attempt is the reusable memory of one request and its reply. It belongs to one goroutine, except for
// watched, which the lock of the watch guards.
type attempt struct {
	target  *Target
	watched watched
	sending

	// line and content are the buffers of the request line and the body.
	line, content []byte
	// message is the request as sent; a body that does not fit follows it.
	message []byte
	reply   reply
	rows    []wire.Row
}

// sending is the state of one request.
type sending struct {
	method string
	// timeout limits the service's time, in seconds; 0 is no limit.
	timeout int
	// values are those of the headers that differ between requests.
	values [headerSlots]string
	// token is the credential, nil with a key or a signature.
	token *Token
	// sent is the time of the connection, first that of the first byte of the reply if answered.
	sent     clock.Instant
	answered bool
	first    clock.Instant
	// came is the size of the reply with its head, in bytes.
	came int64
}

func (t *Target) attempt() *attempt {
	a := t.attempts.Get().(*attempt)
	a.sending = sending{}
	a.reply.share.Begin()
	return a
}

// newAttempt returns an attempt whose reply uses the target's budget.
func (t *Target) newAttempt() *attempt {
	return &attempt{target: t, reply: reply{share: t.budget.Share()}}
}

// The maximum sizes of buffers that are kept for the next request: rows, the request's body, the reply's
// head.
const (
	maxRows        = 2 * maxTop
	maxContentKept = 1 << 20
	maxHeadKept    = 16 << 10
)

// end returns the attempt to the pool, without buffers that are too large to keep.
func (a *attempt) end() {
	a.reply.body = a.reply.share.Drop(a.reply.body)
	if cap(a.reply.head) > maxHeadKept {
		a.reply.head = nil
	}
	if cap(a.content) > maxContentKept {
		a.content = nil
	}
	clear(a.rows)
	if cap(a.rows) > maxRows {
		a.rows = nil
	}
	invariants.Poison(a, "target", "watched", "line", "content", "message", "reply", "rows")
	invariants.Poison(&a.reply, "body", "share", "head", "fields")
	a.target.attempts.Put(a)
}
