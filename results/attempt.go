package results

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Class is the fate of an attempt, and of an operation by its last attempt.
type Class uint8

// The three classes. Every attempt has exactly one; the zero value is none of them.
const (
	// Ok is a 2xx, or a 404, 409 or 412 that the operation expects.
	Ok Class = iota + 1
	// Refused is 503, 429, 504 or 500 OperationTimedOut: the service was busy.
	Refused
	// Failed is everything else, a broken connection included.
	Failed
	classes
)

// String returns the class in the word of the reports.
func (c Class) String() string {
	if c >= classes {
		c = 0
	}
	return [...]string{"unknown", "ok", "refused", "failed"}[c]
}

// LateAfter is how long after its intended instant a first attempt may be sent
// without being counted late.
const LateAfter = 5 * time.Millisecond

// Scheduled is one operation that became due, told when its first attempt is
// sent or when it is dropped.
type Scheduled struct {
	// Phase and Kind index the record's phases and operations.
	Phase, Kind int
	// Intended is when it was due, Sent when its first attempt was sent.
	Intended, Sent time.Duration
	// Entities is what it means to touch by the documented rule.
	Entities int64
	// Dropped says that it was never sent.
	Dropped bool
	// Noted is when it became known, where that may be after its own second was
	// written: it then counts in the second of this instant. 0 is at once.
	Noted time.Duration
}

// Attempt is one request and what came of it.
type Attempt struct {
	Phase, Kind int
	// Number is the operation's, Try counts its attempts from 0.
	Number uint64
	Try    int
	// Retry says that it sends once more a request that did not succeed, rather
	// than the first or the next one of its operation.
	Retry bool
	// Sequence is the attempt's place among all of the run in the order in
	// which they were sent, from 0.
	Sequence uint64
	// Intended is when the operation was due; Sent and Done frame the attempt.
	Intended, Sent, Done time.Duration
	Class                Class
	Status               int
	Code                 string
	// PartitionKey is where it went, if HasPartition, and Account to which account,
	// from 0.
	PartitionKey string
	HasPartition bool
	// Table is what the name of the table adds to that of the test table, empty for the
	// test table itself.
	Table   string
	Account int
	// Entities is what its operation means to touch, as in [Scheduled], Beyond what of
	// that it does in partitions other than that of its first attempt, with which alone
	// it is told.
	Entities int64
	Beyond   []Part
	// Due is what this very request means to touch, 0 where only its operation is known:
	// it is then taken for all that the operation does not do beyond.
	Due int64
	// Counted is in entities, by the documented rule; Returned is what the
	// reply held.
	Counted, Returned int64
	// BytesOut and BytesIn are the sizes of request and reply, 0 where unknown. Stored
	// are the bytes, as the service bills them, of what it wrote if it was ok: of each
	// entity inserted or replaced all, of each merged its key and what was merged.
	BytesOut, BytesIn, Stored int64
	// Noted is as in [Scheduled].
	Noted time.Duration
}

// Part is what an operation means to touch by one of its requests, in entities.
type Part struct {
	Table        string
	PartitionKey string
	Account      int
	Entities     int64
}

// Completed is an operation after its last attempt.
type Completed struct {
	Phase, Kind    int
	Number         uint64
	Intended, Done time.Duration
	Class          Class
	Attempts       int
	// Entities is what was scheduled, Served what was counted for successes.
	Entities, Served int64
	// Cut says that it was still waiting to retry when the run ended.
	Cut bool
	// Noted is as in [Scheduled].
	Noted time.Duration
}

// Refusal is one way in which attempts were refused. An answer that never came has the
// status 0, and so have those of [OtherRefusals] together.
type Refusal struct {
	Status   int    `json:"status"`
	Code     string `json:"code"`
	Attempts int64  `json:"attempts"`
}

// OtherRefusals is the code of the refused attempts of a second that were answered in
// none of the ways told apart.
const OtherRefusals = "other"

const (
	// mostRefusals is how many ways a second tells, mostHeard how many are kept until it
	// is over: what comes later than those counts among the others.
	mostRefusals = 8
	mostHeard    = 32
	// longestCode is how much is kept of a code, in bytes: the service's are shorter, and
	// another's can be anything.
	longestCode = 64
)

// refusals are the ways in which attempts of a second were refused, in the order in which
// they were met.
type refusals []Refusal

// add counts a refused attempt. There are few ways, and mostly one.
func (r *refusals) add(status int, code string) {
	if len(code) > longestCode {
		cut := longestCode
		for cut > 0 && !utf8.RuneStart(code[cut]) {
			cut--
		}
		code = code[:cut]
	}
	for i := range *r {
		if one := &(*r)[i]; one.Status == status && one.Code == code {
			one.Attempts++
			return
		}
	}
	if len(*r) > mostHeard {
		(*r)[mostHeard].Attempts++
		return
	}
	if len(*r) == mostHeard {
		status, code = 0, OtherRefusals
	}
	*r = append(*r, Refusal{status, strings.Clone(code), 1})
}

// most returns what a second tells of them, nil where there were none. The slice is the
// caller's.
func (r refusals) most() []Refusal {
	if len(r) == 0 {
		return nil
	}
	told, other := slices.Clone(r), Refusal{Code: OtherRefusals}
	if len(told) > mostHeard {
		other.Attempts, told = told[mostHeard].Attempts, told[:mostHeard]
	}
	slices.SortFunc(told, func(a, b Refusal) int {
		return cmp.Or(cmp.Compare(b.Attempts, a.Attempts), cmp.Compare(a.Status, b.Status), cmp.Compare(a.Code, b.Code))
	})
	for _, one := range told[min(len(told), mostRefusals):] {
		other.Attempts += one.Attempts
	}
	told = told[:min(len(told), mostRefusals)]
	if other.Attempts > 0 {
		told = append(told, other)
	}
	return told
}
