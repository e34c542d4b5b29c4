package results

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
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
	// Throttled is 503, 429, 504 or 500 OperationTimedOut: the service was busy.
	Throttled
	// Failed is everything else, a broken connection included.
	Failed
	classes
)

// String returns the class in the word of the reports.
func (c Class) String() string {
	if c >= classes {
		c = 0
	}
	return [...]string{"unknown", "ok", "throttled", "failed"}[c]
}

// MarshalText implements [encoding.TextMarshaler]: the word of the reports.
func (c Class) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (c *Class) UnmarshalText(text []byte) error {
	for class := Ok; class < classes; class++ {
		if class.String() == string(text) {
			*c = class
			return nil
		}
	}
	return fmt.Errorf("%w: no class of attempts is called %q", ErrCorrupt, text)
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
	// Held says that the rate limit of its client holds it back: Sent is when it was handed
	// over, and its first attempt is told by [Recorder.Again].
	Held bool
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
	// LineWait is how long request and reply together waited for the client's line behind
	// others; 0 where none is modelled.
	LineWait time.Duration
	// Injected is the kind of fault that it met because somebody asked for it, empty for
	// none.
	Injected string
	// Kept says that this fault kept it from the target, which never met it, and bills
	// nothing.
	Kept bool
	// Noted is as in [Scheduled].
	Noted time.Duration
}

// Refused reports whether the target refused an attempt because it was busy: the attempt was
// throttled, or failed with a 5xx status other than 501 and 505.
func Refused(class Class, status int) bool {
	return class == Throttled || class == Failed && status >= 500 && status < 600 && status != 501 && status != 505
}

// HeldByLine reports whether the attempt waited for the client's line rather than for
// anything else: for over [HeldBackAfter], or for more than half of its time.
func (a *Attempt) HeldByLine() bool {
	return a.LineWait > HeldBackAfter || 2*a.LineWait > a.Done-a.Sent
}

// HeldBack reports whether the attempt reached its target so long after its operation was due
// that this met another load, be it for the generator or for the client's line.
func (a *Attempt) HeldBack() bool { return a.Sent-a.Intended+a.LineWait > HeldBackAfter }

// own returns what of Entities the operation does in the partition of its first attempt.
func (a *Attempt) own() int64 {
	own := a.Entities
	for i := range a.Beyond {
		own -= a.Beyond[i].Entities
	}
	return own
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

// Cause is one way in which attempts came to nothing: what was answered, or, with the
// status 0, why there was no answer.
type Cause struct {
	// Class is [Throttled] or [Failed].
	Class    Class  `json:"class"`
	Status   int    `json:"status"`
	Code     string `json:"code"`
	Attempts int64  `json:"attempts"`
	// Injected says that it is a fault that was asked for, and no word of the target's.
	Injected bool `json:"injected,omitempty"`
}

// OtherCauses is the code, with the status 0, of the attempts of a class whose cause is
// not told apart.
const OtherCauses = "other"

const (
	// MostCauses is how many causes are told at most, beside the others of each class.
	MostCauses = 16
	// mostHeard is how many are told apart while they are counted: what comes later than
	// those counts among the others.
	mostHeard = 128
	// longestCode is how much is kept of a code, in bytes: the service's are shorter, and
	// another's can be anything.
	longestCode = 64
)

// Causes count the attempts that were throttled or failed, by what came of them: in the
// order in which they were met while attempts are added, in that of [Causes.Told] where
// they were read. The zero value is none. They are not safe for concurrent use.
type Causes []Cause

// Add counts attempts of a class that came to nothing. Of the code, 64 bytes count.
func (c *Causes) Add(class Class, status int, code string, attempts int64) {
	c.add(Cause{Class: class, Status: status, Code: code, Attempts: attempts})
}

// attempt counts one that came to nothing.
func (c *Causes) attempt(a *Attempt) {
	c.add(Cause{Class: a.Class, Status: a.Status, Code: a.Code, Attempts: 1, Injected: a.Injected != ""})
}

func (c *Causes) add(one Cause) {
	if one.Attempts <= 0 {
		return
	}
	if one.Class != Throttled {
		one.Class = Failed
	}
	if len(one.Code) > longestCode || !utf8.ValidString(one.Code) {
		one.Code = clipped(one.Code)
	}
	if c.count(&one) {
		return
	}
	if len(*c) >= mostHeard {
		if one.Status, one.Code, one.Injected = 0, OtherCauses, false; c.count(&one) {
			return
		}
	}
	one.Code = strings.Clone(one.Code)
	*c = append(*c, one)
}

// clipped returns a code as it is kept: the bytes that a record can hold, no more than
// there is room for, cut between two characters.
func clipped(code string) string {
	code = strings.ToValidUTF8(code[:min(len(code), 2*longestCode)], "\ufffd")
	cut := min(len(code), longestCode)
	for cut > 0 && cut < len(code) && !utf8.RuneStart(code[cut]) {
		cut--
	}
	return code[:cut]
}

// count adds to a cause that was met before, if it was. There are few, and mostly one.
func (c *Causes) count(more *Cause) bool {
	for i := range *c {
		if one := &(*c)[i]; one.Status == more.Status && one.Class == more.Class && one.Injected == more.Injected && one.Code == more.Code {
			one.Attempts += more.Attempts
			return true
		}
	}
	return false
}

// Merge counts what other counts, too: of what is told of it, each where it stands, and
// its others among the others. So the attempts of each class are exact, and those of a
// cause are at least so many where there are others.
func (c *Causes) Merge(other Causes) {
	for i := range other {
		c.add(other[i])
	}
}

// Of returns how many attempts of a class the causes are of.
func (c Causes) Of(class Class) (attempts int64) {
	for i := range c {
		if c[i].Class == class {
			attempts += c[i].Attempts
		}
	}
	return attempts
}

// Injected returns how many attempts of a class met a fault that was asked for.
func (c Causes) Injected(class Class) (attempts int64) {
	for i := range c {
		if c[i].Class == class && c[i].Injected {
			attempts += c[i].Attempts
		}
	}
	return attempts
}

// Only returns the causes of a class, in a slice of the caller's.
func (c Causes) Only(class Class) Causes {
	return slices.DeleteFunc(slices.Clone(c), func(one Cause) bool { return one.Class != class })
}

// Told returns the commonest of the causes, most first, ties by status, code and class, and
// behind them the others of each class together; nil where there are none. The slice is the
// caller's.
func (c Causes) Told() Causes {
	var told Causes
	var others [classes]int64
	for _, one := range c {
		if one.Other() {
			others[one.Class] += one.Attempts
		} else {
			told = append(told, one)
		}
	}
	slices.SortFunc(told, func(a, b Cause) int {
		return cmp.Or(cmp.Compare(b.Attempts, a.Attempts), cmp.Compare(a.Status, b.Status), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Class, b.Class),
			cmp.Compare(fmt.Sprint(a.Injected), fmt.Sprint(b.Injected)))
	})
	for _, one := range told[min(len(told), MostCauses):] {
		others[one.Class] += one.Attempts
	}
	told = told[:min(len(told), MostCauses)]
	for class := Throttled; class < classes; class++ {
		if others[class] > 0 {
			told = append(told, Cause{Class: class, Code: OtherCauses, Attempts: others[class]})
		}
	}
	return told
}

// Other reports whether the cause stands for several that are not told apart.
func (c Cause) Other() bool { return c.Status == 0 && c.Code == OtherCauses }

// String returns the cause as people are told it: by status and code, or by the code alone
// where nothing was answered.
func (c Cause) String() string {
	switch own := c; {
	case c.Injected:
		own.Injected = false
		return "injected " + own.String()
	case c.Other():
		return "other causes"
	case c.Status == 0:
		return cmp.Or(c.Code, "no reply")
	case c.Code == "":
		return strconv.Itoa(c.Status)
	}
	return strconv.Itoa(c.Status) + " " + c.Code
}

// MarshalJSON implements [json.Marshaler]: what is told of them.
func (c Causes) MarshalJSON() ([]byte, error) { return json.Marshal([]Cause(c.Told())) }
