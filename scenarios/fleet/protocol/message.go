package protocol

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"time"

	"loadgen/engine/clock"
	"loadgen/results"
)

// SchemaVersion is the version of the messages. The ends of a fleet must have the same.
const SchemaVersion = 2

// The sizes of messages.
const (
	// MaxBytes is the maximum size of a message: the default of NATS.
	MaxBytes = 1 << 20
	// partBytes is the size of a part of a record or an assignment, before it is written as JSON.
	partBytes = 512 << 10
	// maxParts is the maximum number of parts, 64 MiB together.
	maxParts = 128
)

// ErrMalformed is wrapped by the error about a message that the schema does not allow.
var ErrMalformed = errors.New("not a message of a fleet")

// The tag `allow` of a field is its schema, see [check].

// Request is a message of a member. Exactly one of the pointers is set.
type Request struct {
	SchemaVersion int `json:"schema_version" allow:"2 2"`
	// Epoch identifies the member's process, Run the run of a series, from 0; Number counts the requests of the member
	// in a run.
	Epoch  string        `json:"epoch" allow:"1 1024"`
	Run    uint64        `json:"run,omitempty"`
	Number uint64        `json:"number"`
	Join   *Join         `json:"join,omitempty"`
	Probe  *Probe        `json:"probe,omitempty"`
	Fetch  *Fetch        `json:"fetch,omitempty"`
	Beat   *Heartbeat    `json:"heartbeat,omitempty"`
	Second *SecondReport `json:"second,omitempty"`
	Result *StepResult   `json:"step_result,omitempty"`
	Record *RecordPart   `json:"record,omitempty"`
	Leave  *Leave        `json:"leave,omitempty"`
}

// Join describes a member that asks for a place.
type Join struct {
	Name    string            `json:"name" allow:"1 1024"`
	Version string            `json:"version"`
	Labels  map[string]string `json:"labels,omitempty" allow:"0 32"`
}

// Probe measures the difference of the clocks: the reply has the leader's time.
type Probe struct{}

// Fetch asks for a part of the assignment, from 0.
type Fetch struct {
	Part int `json:"part" allow:"0 127"`
}

// Heartbeat renews a member's lease and asks for directives.
type Heartbeat struct {
	// Ready says that the member's share is prepared; the other fields are valid from then on.
	Ready   bool   `json:"ready"`
	Planned uint64 `json:"planned_operations"`
	// Offset is the leader's clock minus the member's, with an error of at most Bound.
	Offset time.Duration `json:"clock_offset_ns" allow:"-400000000000000000 400000000000000000"`
	Bound  time.Duration `json:"clock_bound_ns"`
}

// SecondReport is a second of the run, numbered from 0 without a gap.
type SecondReport struct {
	Sequence uint64 `json:"sequence"`
	Second   Second `json:"second"`
}

// Second is a second of a member's run.
type Second struct {
	Interval results.Interval `json:"interval"`
	// Response are the response times of the operations that succeeded, by kind in their order.
	Response Histograms `json:"response"`
	// BeganLate is the delay of the member's start after the agreed instant, in the second in which it started; Stall is
	// the longest time of the second for which its process did not run.
	BeganLate *time.Duration `json:"began_late_ns,omitempty"`
	Stall     time.Duration  `json:"stall_ns,omitempty"`
}

// StepResult is what a member measured of a step.
type StepResult struct {
	Step   int             `json:"step" allow:"1 1000000"`
	Result json.RawMessage `json:"result" allow:"1 1048576"`
}

// RecordPart is a part of a member's record. All parts of a record have the same other fields.
type RecordPart struct {
	Part   int    `json:"part" allow:"0 127"`
	Parts  int    `json:"parts" allow:"1 128"`
	SHA256 string `json:"sha256" allow:"64 64"`
	Bytes  []byte `json:"bytes" allow:"0 524288"`
	// Reported is the number of seconds that the member reported, Unreported that of seconds that its full queue dropped.
	Reported   uint64 `json:"seconds_reported"`
	Unreported uint64 `json:"seconds_unreported"`
	// Counts are the counts of the record.
	Counts results.Counts `json:"counts"`
	// Partial is why the record does not have the whole share, empty if it does.
	Partial string `json:"partial,omitempty"`
}

// Leave says that a member leaves the run: with its work done, or for a reason.
type Leave struct {
	Reason string `json:"reason,omitempty"`
}

// Reply is the leader's message to a request. At most one of the pointers is set.
type Reply struct {
	SchemaVersion int    `json:"schema_version" allow:"2 2"`
	Run           uint64 `json:"run,omitempty"`
	Number        uint64 `json:"number"`
	// At is the time of the reply by the leader's clock.
	At clock.Instant `json:"at_ns" allow:"0 400000000000000000"`
	// Refused is why the member has to leave, empty if it may stay.
	Refused string `json:"refused,omitempty"`
	// Over says that no run of the series follows.
	Over       bool            `json:"over,omitempty"`
	Joined     *Joined         `json:"joined,omitempty"`
	Part       *AssignmentPart `json:"part,omitempty"`
	Directives *Directives     `json:"directives,omitempty"`
}

// Joined is a member's place, and the size of its assignment.
type Joined struct {
	Index  int    `json:"index"`
	Of     int    `json:"of" allow:"1 10000"`
	Parts  int    `json:"assignment_parts" allow:"1 128"`
	SHA256 string `json:"assignment_sha256" allow:"64 64"`
}

// AssignmentPart is a part of the assignment.
type AssignmentPart struct {
	Part  int    `json:"part" allow:"0 127"`
	Bytes []byte `json:"bytes" allow:"0 524288"`
}

// Directives are what a member has to do now.
type Directives struct {
	// Prepare says that all have joined; Start is when the run starts by the leader's clock.
	Prepare bool           `json:"prepare"`
	Start   *clock.Instant `json:"start_ns,omitempty" allow:"0 400000000000000000"`
	// Step is the current step of a search, nil if the run has none.
	Step *SearchStep `json:"step,omitempty"`
	// Stop is why the run ends early.
	Stop string `json:"stop,omitempty"`
}

// SearchStep is a step of a search: all members send it at the same time, and report what they measured.
type SearchStep struct {
	// Number counts from 1. What is written by the caller, and nil after the last step.
	Number int             `json:"number" allow:"1 1000000"`
	What   json.RawMessage `json:"what,omitempty" allow:"0 1048576"`
	// Start is when it starts, by the clock of its sender.
	Start clock.Instant `json:"start_ns" allow:"-400000000000000000 400000000000000000"`
}

// header is what messages of all versions have.
type header struct {
	SchemaVersion int    `json:"schema_version"`
	Run           uint64 `json:"run"`
	Number        uint64 `json:"number"`
}

// headerOf returns the header of a message, zero if it has none.
func headerOf(text []byte) (h header) {
	if len(text) > MaxBytes || json.Unmarshal(text, &h) != nil {
		return header{}
	}
	return h
}

// ErrOtherVersion is wrapped by the error about a message of another version.
var ErrOtherVersion = fmt.Errorf("%w of this build: use the same build everywhere", ErrMalformed)

// Decode reads a [Request] or a [Reply]. Errors wrap [ErrMalformed], and [ErrOtherVersion] for a message of
// another version.
func Decode[T Request | Reply](text []byte) (*T, error) {
	if len(text) > MaxBytes {
		return nil, fmt.Errorf("%w: %d bytes; expected at most %d", ErrMalformed, len(text), MaxBytes)
	}
	message := new(T)
	v := reflect.ValueOf(message).Elem()
	err := decodeStrictly(text, message)
	version := int(v.FieldByName("SchemaVersion").Int())
	if err != nil {
		version = headerOf(text).SchemaVersion
	}
	switch {
	case version > 0 && version != SchemaVersion:
		return nil, fmt.Errorf("%w: the message version %d differs from the peer's %d", ErrOtherVersion, version, SchemaVersion)
	case err != nil:
		return nil, err
	}
	if err = check(v, ""); err == nil {
		err = checkRelations(any(message))
	}
	if err != nil {
		return nil, fmt.Errorf("%w: message%w", ErrMalformed, err)
	}
	return message, nil
}

// decodeStrictly reads one JSON value with known fields only.
func decodeStrictly(text []byte, into any) error {
	reader := json.NewDecoder(bytes.NewReader(text))
	reader.DisallowUnknownFields()
	if err := reader.Decode(into); err != nil {
		return fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	if _, err := reader.Token(); err != io.EOF {
		return fmt.Errorf("%w: more than one value", ErrMalformed)
	}
	return nil
}

// digest returns a SHA-256 hash in hexadecimal digits.
func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// split returns bytes as parts for one message each, none without bytes.
func split(text []byte) [][]byte { return slices.Collect(slices.Chunk(text, partBytes)) }

// collector collects parts that arrive in any order, and more than once. The zero value misses none.
type collector struct {
	parts   [][]byte
	had     []bool
	missing int
}

func newCollector(parts int) collector {
	return collector{parts: make([][]byte, parts), had: make([]bool, parts), missing: parts}
}

// put keeps a part, unless it has it.
func (c *collector) put(part int, text []byte) {
	if part < len(c.parts) && !c.had[part] {
		c.parts[part], c.had[part] = text, true
		c.missing--
	}
}

// join returns all bytes, and whether they have the digest. No part may be missing.
func (c *collector) join(sha256 string) (text []byte, intact bool) {
	text = bytes.Join(c.parts, nil)
	return text, digest(text) == sha256
}

// The bounds of fields without a tag, from 0.
const (
	// maxCount bounds a number, so that sums over members and seconds do not overflow.
	maxCount = 1_000_000_000_000
	// maxDuration bounds a duration.
	maxDuration = 24 * time.Hour
	// maxTextBytes bounds a text: a key has up to 512 characters.
	maxTextBytes = 4096
	// maxLength bounds a list or a map.
	maxLength = 4096
)

// check returns an error about the first field of a value that its schema does not allow. The tag `allow:"min max"` of a
// field bounds a number, or the length of a text, list or map. The elements have the default bounds; lists have no null.
func check(v reflect.Value, allow string) error {
	switch {
	case v.Kind() == reflect.Pointer && !v.IsNil():
		return check(v.Elem(), allow)
	case v.Kind() == reflect.Struct:
		return checkFields(v)
	case v.Kind() == reflect.String:
		return checkBounds(float64(v.Len()), maxTextBytes, allow)
	case v.Type() == reflect.TypeFor[time.Duration]():
		return checkBounds(float64(v.Int()), float64(maxDuration), allow)
	case v.CanInt():
		return checkBounds(float64(v.Int()), maxCount, allow)
	case v.CanUint():
		return checkBounds(float64(v.Uint()), maxCount, allow)
	case v.CanFloat():
		return checkBounds(v.Float(), maxCount, allow)
	case slices.Contains([]reflect.Kind{reflect.Array, reflect.Slice, reflect.Map}, v.Kind()):
		return cmp.Or(checkBounds(float64(v.Len()), maxLength, allow), checkElements(v))
	}
	return nil
}

func checkFields(v reflect.Value) error {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		if !field.IsExported() {
			continue
		}
		err := check(v.Field(i), field.Tag.Get("allow"))
		if err != nil && !field.Anonymous {
			key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			err = fmt.Errorf(".%s%w", key, err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func checkElements(v reflect.Value) error {
	if v.Type().Elem().Kind() == reflect.Uint8 {
		return nil
	}
	for key, element := range v.Seq2() {
		err := cmp.Or(check(key, ""), check(element, ""))
		if element.Kind() == reflect.Pointer && element.IsNil() {
			err = errors.New(": null")
		}
		if err != nil {
			return fmt.Errorf("[%v]%w", key, err)
		}
	}
	return nil
}

// checkBounds returns an error if a number or a length is not within the bounds of a tag, by default from 0.
func checkBounds(n, to float64, allow string) error {
	from := 0.0
	if allow != "" {
		if _, err := fmt.Sscan(allow, &from, &to); err != nil {
			return fmt.Errorf(": invalid tag: %w", err)
		}
	}
	if n >= from && n <= to {
		return nil
	}
	return fmt.Errorf(": %.0f; expected %.0f to %.0f", n, from, to)
}

// maxKinds is the maximum number of kinds of operation in a second.
const maxKinds = 256

// Histograms are the response times of a second by kind.
type Histograms []*results.Histogram

// UnmarshalJSON implements json.Unmarshaler. It bounds the memory that a short text can require.
func (h *Histograms) UnmarshalJSON(text []byte) error {
	var encoded []json.RawMessage
	if err := json.Unmarshal(text, &encoded); err != nil {
		return err
	}
	if len(encoded) > maxKinds {
		return fmt.Errorf("%d histograms; expected at most %d", len(encoded), maxKinds)
	}
	*h = make(Histograms, len(encoded))
	for i := range encoded {
		if err := json.Unmarshal(encoded[i], &(*h)[i]); err != nil {
			return fmt.Errorf("response[%d]: %w", i, err)
		}
	}
	return nil
}

// checkRelations returns an error if fields of a message contradict each other.
func checkRelations(message any) error {
	switch m := message.(type) {
	case *Reply:
		if j := m.Joined; j != nil && j.Index >= j.Of {
			return fmt.Errorf(".joined.index: %d of %d", j.Index, j.Of)
		}
	case *Request:
		switch _, bodies := m.body(); {
		case bodies != 1:
			return fmt.Errorf(": %d bodies; expected one", bodies)
		case m.Record != nil && m.Record.Part >= m.Record.Parts:
			return fmt.Errorf(".record.part: %d of %d", m.Record.Part, m.Record.Parts)
		case m.Second != nil:
			return m.Second.Second.checkCounts()
		}
	}
	return nil
}

// checkCounts returns an error if the counts of a second do not reconcile.
func (s *Second) checkCounts() error {
	i := &s.Interval
	var kinds results.Counts
	for k := range i.Kinds {
		kinds.Add(&i.Kinds[k].Counts)
	}
	succeeded := int64(0)
	for _, histogram := range s.Response {
		succeeded += histogram.Count()
	}
	switch {
	case len(s.Response) != len(i.Kinds):
		return fmt.Errorf(".second.second.response: %d histograms; expected %d, one for each kind", len(s.Response), len(i.Kinds))
	case len(i.Kinds) > 0 && (kinds.Attempts != i.Attempts || kinds.Throttled != i.Throttled || kinds.Failed != i.Failed):
		return fmt.Errorf(".second.second.interval: %d attempts; its operations have %d", i.Attempts, kinds.Attempts)
	case i.Attempts != i.Ok+i.Throttled+i.Failed:
		return fmt.Errorf(".second.second.interval: %d attempts; expected %d, the sum of ok, throttled and failed", i.Attempts, i.Ok+i.Throttled+i.Failed)
	case succeeded != i.Succeeded:
		return fmt.Errorf(".second.second.response: %d times; expected %d, one for each success", succeeded, i.Succeeded)
	}
	return nil
}
