package results

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
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

// Scheduled is an operation that became due. It is recorded when its first attempt is sent, or when it is dropped.
type Scheduled struct {
	// Phase and Kind index the record's phases and operations.
	Phase, Kind int
	// Intended is when it was due, Sent when its first attempt was sent.
	Intended, Sent time.Duration
	// Entities is the number of entities that it is due to touch, by the documented rule.
	Entities int64
	// Dropped reports that it was never sent.
	Dropped bool
	// Held reports that the rate limit of its client delays it: Sent is when it was handed over, and [Recorder.FurtherRequest]
	// records its first attempt.
	Held bool
	// Noted is when the event became known, if that may be after its second was written; it then counts in the second
	// of Noted. 0 means at once.
	Noted time.Duration
}

// Attempt is one request and its result.
type Attempt struct {
	Phase, Kind int
	// Number is the operation's, Try counts its attempts from 0.
	Number uint64
	Try    int
	// Retry reports that it repeats a request that did not succeed; it is false for the first or next request of an
	// operation.
	Retry bool
	// Sequence is the number of the attempt among all attempts of the run in the order in which they were sent, from
	// 0.
	Sequence uint64
	// Intended is when the operation was due; Sent and Done frame the attempt.
	Intended, Sent, Done time.Duration
	Class                Class
	Status               int
	Code                 string
	// PartitionKey is the partition of the request, if HasPartition, and Account the number of its account, from 0.
	PartitionKey string
	HasPartition bool
	// Table is the suffix that the name of the table adds to that of the test table, empty for the test table itself.
	Table   string
	Account int
	// Entities is the number of entities that its operation is due to touch, as in [Scheduled]; Beyond has the parts
	// of them in partitions other than that of the first attempt, which alone has it.
	Entities int64
	Beyond   []Part
	// Due is the number of entities that this request is due to touch. 0 means that only its operation is known; it is
	// then Entities without Beyond.
	Due int64
	// Counted is the number of entities by the documented rule, Returned that of entities in the reply.
	Counted, Returned int64
	// BytesOut and BytesIn are the sizes of request and reply, 0 if unknown. Stored is the size, as billed, of the
	// entities that an ok attempt wrote: of each inserted or replaced one all, of each merged one its key and the
	// merged properties.
	BytesOut, BytesIn, Stored int64
	// LineWait is the total time that request and reply waited for the client's line behind others; 0 if no line is
	// modelled.
	LineWait time.Duration
	// Injected is the kind of the injected fault that it met, empty for none.
	Injected string
	// Kept reports that this fault prevented it from reaching the target, which does not bill it.
	Kept bool
	// Untimed reports that its duration is unknown, as in a log without such a column: Done is then Sent.
	Untimed bool
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

// ownEntities returns the part of Entities in the partition of the first attempt.
func (a *Attempt) ownEntities() int64 {
	own := a.Entities
	for i := range a.Beyond {
		own -= a.Beyond[i].Entities
	}
	return own
}

// Part is the number of entities that an operation is due to touch by one of its requests.
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
	// Entities is the number of scheduled entities, Served of those counted for successes.
	Entities, Served int64
	// Cut reports that it was waiting to retry when the run ended, Untimed that the duration of its last attempt is
	// unknown.
	Cut, Untimed bool
	// Noted is as in [Scheduled].
	Noted time.Duration
}

// Cause is a reason why attempts were throttled or failed: the answer, or, with the status 0, the reason for no
// answer.
type Cause struct {
	// Class is [Throttled] or [Failed].
	Class    Class  `json:"class"`
	Status   int    `json:"status"`
	Code     string `json:"code"`
	Attempts int64  `json:"attempts"`
	// Injected reports that it is an injected fault and no answer of the target.
	Injected bool `json:"injected,omitempty"`
}

// OtherCauses is the code, with the status 0, of attempts whose cause is not listed.
const OtherCauses = "other"

const (
	// MaxCauses is the maximum number of listed causes, besides the others of each class.
	MaxCauses = 16
	// maxCountedCauses is the maximum number of causes that are counted separately; later ones count as others.
	maxCountedCauses = 128
	// maxCodeLength is the maximum length of a code in bytes: the service's are shorter, and
	// another's can be anything.
	maxCodeLength = 64
)

// Causes count the attempts that were throttled or failed by cause: in the order of their first attempts while
// attempts are added, in that of [Causes.Frequent] after reading. The zero value is none. They are not safe for concurrent
// use.
type Causes []Cause

// attempt counts an attempt that was throttled or failed.
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
	if len(one.Code) > maxCodeLength || !utf8.ValidString(one.Code) {
		one.Code = clipCode(one.Code)
	}
	if c.count(&one) {
		return
	}
	if len(*c) >= maxCountedCauses {
		if one.Status, one.Code, one.Injected = 0, OtherCauses, false; c.count(&one) {
			return
		}
	}
	one.Code = strings.Clone(one.Code)
	*c = append(*c, one)
}

// clipCode returns a code as a record stores it: valid text of bounded length, cut between two characters.
func clipCode(code string) string {
	code = strings.ToValidUTF8(code[:min(len(code), 2*maxCodeLength)], "\ufffd")
	cut := min(len(code), maxCodeLength)
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

// Merge adds the counts of other; its others count among the others. The attempts of each class are exact, and the
// counts of a cause are lower bounds if there are others.
func (c *Causes) Merge(other Causes) {
	for i := range other {
		c.add(other[i])
	}
}

// ClassAttempts returns the number of attempts of a class.
func (c Causes) ClassAttempts(class Class) int64 {
	return c.sum(func(one *Cause) bool { return one.Class == class })
}

// Injected returns the number of attempts of a class that met an injected fault.
func (c Causes) Injected(class Class) int64 {
	return c.sum(func(one *Cause) bool { return one.Class == class && one.Injected })
}

func (c Causes) sum(is func(*Cause) bool) (attempts int64) {
	for i := range c {
		if is(&c[i]) {
			attempts += c[i].Attempts
		}
	}
	return attempts
}

// Only returns the causes of a class, in a slice of the caller's.
func (c Causes) Only(class Class) Causes {
	return slices.DeleteFunc(slices.Clone(c), func(one Cause) bool { return one.Class != class })
}

// Frequent returns the most frequent causes in descending order of attempts, ties by status, code and class, followed by
// the others of each class; nil if there are none. It is a new slice.
func (c Causes) Frequent() Causes {
	var told Causes
	var others [classes]int64
	for _, one := range c {
		if one.IsOther() {
			others[one.Class] += one.Attempts
		} else {
			told = append(told, one)
		}
	}
	slices.SortFunc(told, func(a, b Cause) int {
		return cmp.Or(cmp.Compare(b.Attempts, a.Attempts), cmp.Compare(a.Status, b.Status), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Class, b.Class),
			cmp.Compare(fmt.Sprint(a.Injected), fmt.Sprint(b.Injected)))
	})
	for _, one := range told[min(len(told), MaxCauses):] {
		others[one.Class] += one.Attempts
	}
	told = told[:min(len(told), MaxCauses)]
	for class := Throttled; class < classes; class++ {
		if others[class] > 0 {
			told = append(told, Cause{Class: class, Code: OtherCauses, Attempts: others[class]})
		}
	}
	return told
}

// IsOther reports whether the cause represents several that are not listed.
func (c Cause) IsOther() bool { return c.Status == 0 && c.Code == OtherCauses }

// String returns the cause for people: status and code, or the code alone if there was no answer.
func (c Cause) String() string {
	switch own := c; {
	case c.Injected:
		own.Injected = false
		return "injected " + own.String()
	case c.IsOther():
		return "other causes"
	case c.Status == 0:
		return cmp.Or(c.Code, "no reply")
	case c.Code == "":
		return strconv.Itoa(c.Status)
	}
	return strconv.Itoa(c.Status) + " " + c.Code
}

// MarshalJSON implements [json.Marshaler]: the causes that Frequent returns.
func (c Causes) MarshalJSON() ([]byte, error) { return json.Marshal([]Cause(c.Frequent())) }

// Counts are the counts of operations and their attempts. They are embedded in kinds of operation, seconds, cohorts,
// members of a fleet and baselines, so that a new count reaches all of them.
type Counts struct {
	// Scheduled = Sent + Dropped; Late of Sent were sent more than [LateAfter] after they
	// were due.
	Scheduled int64 `json:"scheduled"`
	Sent      int64 `json:"sent"`
	Dropped   int64 `json:"dropped"`
	Late      int64 `json:"late"`
	// Operations ended; of them Succeeded ended with an ok attempt and Cut were still
	// waiting to retry when the run ended.
	Operations int64 `json:"operations"`
	Succeeded  int64 `json:"succeeded"`
	Cut        int64 `json:"cut"`
	// Attempts = Ok + Throttled + Failed. Handled of the Ok ones were answered
	// with a 404, 409 or 412 that the operation expects; a target's own counts have them
	// as failed.
	Attempts  int64 `json:"attempts"`
	Ok        int64 `json:"ok"`
	Handled   int64 `json:"handled"`
	Throttled int64 `json:"throttled"`
	Failed    int64 `json:"failed"`
	// Causes are the Throttled and the Failed by status and code, most first.
	Causes Causes `json:"causes,omitempty"`
	// Retries of the Attempts repeated a request.
	Retries int64 `json:"retries"`
	// Offered is the number of entities that the Scheduled operations are due to touch, Served of those counted for
	// successes. Counted follows the documented rule (every entity scanned), Returned is the number of entities in
	// replies.
	Offered  int64 `json:"offered_entities"`
	Served   int64 `json:"served_entities"`
	Counted  int64 `json:"counted_entities"`
	Returned int64 `json:"returned_entities"`
	// BytesOut and BytesIn are the sizes of requests and replies, if known. Stored is the size, as billed, of the
	// entities written; see [Attempt].
	BytesOut int64 `json:"bytes_out,omitempty"`
	BytesIn  int64 `json:"bytes_in,omitempty"`
	Stored   int64 `json:"stored_bytes,omitempty"`
	// LineHeld of the Attempts waited for the client's line, see [Attempt.HeldByLine].
	LineHeld int64 `json:"attempts_held_by_line,omitempty"`
	// LimitHeld is the number of attempts that a rate limit of the client delayed, including those that were not sent
	// before the end of the run.
	LimitHeld int64 `json:"attempts_held_by_limit,omitempty"`
	// Kept of the Attempts, without throttled ones, never reached the target because of an
	// injected fault, see [Attempt.Kept].
	Kept int64 `json:"attempts_kept_from_target,omitempty"`
	// FirstThrottled are the first attempts that were throttled, of as many as Sent.
	FirstThrottled int64 `json:"first_attempts_throttled"`
	// Untimed of the Attempts and UntimedOperations of the Operations have no known duration: histograms lack them.
	Untimed           int64 `json:"attempts_untimed,omitempty"`
	UntimedOperations int64 `json:"operations_untimed,omitempty"`
}

// Add adds every count of other.
func (c *Counts) Add(other *Counts) {
	AddTimes(c, other, 1)
	c.Causes.Merge(other.Causes)
}

// Sub subtracts every count of other, an earlier state of c. Causes are dropped.
func (c *Counts) Sub(other *Counts) {
	AddTimes(c, other, -1)
	c.Causes = nil
}

// Equal reports whether every count equals that of other. It ignores causes.
func (c Counts) Equal(other *Counts) bool {
	c.Sub(other)
	return reflect.ValueOf(c).IsZero()
}

// AddTimes adds times × each int64 field of more to the same field of to. It finds the fields by reflection, so that
// none is forgotten.
func AddTimes[T any](to, more *T, times int64) {
	sum, from := reflect.ValueOf(to).Elem(), reflect.ValueOf(more).Elem()
	for i := range sum.NumField() {
		if field := sum.Field(i); field.Kind() == reflect.Int64 {
			field.SetInt(field.Int() + times*from.Field(i).Int())
		}
	}
}

// combine adds more to sum by the tag of each field that key names: sum, max, min, or each for a struct with such tags.
// Other fields stay as they are. A nil pointer is not known: nor is a sum or a maximum with it, while a minimum is of what
// is known.
func combine[T any](sum, more *T, key string) {
	combineFields(reflect.ValueOf(sum).Elem(), reflect.ValueOf(more).Elem(), key)
}

func combineFields(sum, more reflect.Value, key string) {
	for i := range sum.NumField() {
		to, from, how := sum.Field(i), more.Field(i), sum.Type().Field(i).Tag.Get(key)
		if how != "" && to.Kind() == reflect.Pointer {
			if to.IsNil() || from.IsNil() {
				if to.IsNil() == (how == "min") {
					to.Set(from)
				}
				continue
			}
			own := reflect.New(to.Type().Elem())
			own.Elem().Set(to.Elem())
			to.Set(own)
			to, from = to.Elem(), from.Elem()
		}
		switch how {
		case "sum":
			if to.CanFloat() {
				to.SetFloat(to.Float() + from.Float())
			} else {
				to.SetInt(to.Int() + from.Int())
			}
		case "max":
			to.SetInt(max(to.Int(), from.Int()))
		case "min":
			to.SetInt(min(to.Int(), from.Int()))
		case "each":
			combineFields(to, from, key)
		}
	}
}

// CountDue counts an operation that became due: sent later, which [Counts.CountSent] counts, or dropped.
func (c *Counts) CountDue(s *Scheduled) {
	c.Scheduled++
	c.Offered += s.Entities
	if s.Dropped {
		c.Dropped++
	}
}

// CountSent counts an operation that is sent.
func (c *Counts) CountSent(s *Scheduled) {
	c.Sent++
	if s.Sent-s.Intended > LateAfter {
		c.Late++
	}
}

// CountAttempt counts an attempt that ended, except for Causes and Served.
func (c *Counts) CountAttempt(a *Attempt) {
	c.Attempts++
	if a.Retry {
		c.Retries++
	}
	switch a.Class {
	case Ok:
		c.Ok++
		if a.Status >= 400 {
			c.Handled++
		}
	case Throttled:
		c.Throttled++
		if a.Try == 0 {
			c.FirstThrottled++
		}
	default:
		c.Failed++
	}
	c.Counted += a.Counted
	c.Returned += a.Returned
	c.BytesOut += a.BytesOut
	c.BytesIn += a.BytesIn
	c.Stored += a.Stored
	if a.HeldByLine() {
		c.LineHeld++
	}
	if a.Kept && a.Class != Throttled {
		c.Kept++
	}
	if a.Untimed {
		c.Untimed++
	}
}

// countWithCause counts an attempt that ended and the cause if it was throttled or failed.
func (c *Counts) countWithCause(a *Attempt) {
	c.CountAttempt(a)
	if a.Class != Ok {
		c.Causes.attempt(a)
	}
}

// CountCompleted counts an operation that ended, except for Served.
func (c *Counts) CountCompleted(o *Completed) {
	c.Operations++
	if o.Class == Ok {
		c.Succeeded++
	}
	if o.Cut {
		c.Cut++
	}
	if o.Untimed {
		c.UntimedOperations++
	}
}

// Layout is the JSON form of a struct that embeds [Counts]: its fields in their order. It is immutable and safe
// for concurrent use.
type Layout struct {
	// form is a struct of these fields, whose indexes in the original are fields.
	form   reflect.Type
	fields [][]int
}

// firstCounts are the counts that records had before layouts: a layout leaves them out unless it names them.
const firstCounts = "scheduled sent dropped late operations succeeded cut attempts ok handled throttled failed causes retries " +
	"offered_entities served_entities counted_entities returned_entities bytes_out bytes_in stored_bytes " +
	"attempts_held_by_line attempts_held_by_limit attempts_kept_from_target first_attempts_throttled"

// LayoutOf returns the layout of T with the named JSON fields, in that order. name=other writes a field under another
// name. Other fields follow if they are not empty, except for [firstCounts]: a count that is added to [Counts] is in
// every layout. It panics if T has no such field.
func LayoutOf[T any](names string) Layout {
	fields := make(map[string]reflect.StructField)
	var others []string
	for _, field := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.Anonymous || !field.IsExported() || name == "-" {
			continue
		}
		fields[name] = field
		if !slices.Contains(strings.Fields(firstCounts), name) {
			others = append(others, name)
		}
	}
	var l Layout
	var form []reflect.StructField
	add := func(field reflect.StructField, tag string) {
		l.fields = append(l.fields, field.Index)
		form = append(form, reflect.StructField{Name: field.Name, Type: field.Type, Tag: reflect.StructTag(`json:"` + tag + `"`)})
	}
	for _, one := range strings.Fields(names) {
		name, written, _ := strings.Cut(one, "=")
		field, known := fields[name]
		if !known {
			panic(fmt.Sprintf("results: %v has no field %s", reflect.TypeFor[T](), name))
		}
		others = slices.DeleteFunc(others, func(other string) bool { return other == name })
		tag := field.Tag.Get("json")
		add(field, cmp.Or(written, name)+tag[len(name):])
	}
	for _, name := range others {
		add(fields[name], name+",omitempty")
	}
	l.form = reflect.StructOf(form)
	return l
}

// Encode returns the JSON form of a struct, which must be of the layout's type, by value.
func (l Layout) Encode(of any) ([]byte, error) {
	from, to := reflect.ValueOf(of), reflect.New(l.form).Elem()
	for i, index := range l.fields {
		to.Field(i).Set(from.FieldByIndex(index))
	}
	return json.Marshal(to.Interface())
}
