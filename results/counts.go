package results

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

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
	// Offered are the entities that the Scheduled operations mean to touch, Served those
	// counted for successes. Counted follows the documented rule (every entity scanned),
	// Returned is what replies held.
	Offered  int64 `json:"offered_entities"`
	Served   int64 `json:"served_entities"`
	Counted  int64 `json:"counted_entities"`
	Returned int64 `json:"returned_entities"`
	// BytesOut and BytesIn are the sizes of requests and replies, where they are known.
	// Stored is the bytes, as the service bills them, of the entities written; see [Attempt].
	BytesOut int64 `json:"bytes_out,omitempty"`
	BytesIn  int64 `json:"bytes_in,omitempty"`
	Stored   int64 `json:"stored_bytes,omitempty"`
	// LineHeld of the Attempts waited for the client's line, see [Attempt.HeldByLine].
	LineHeld int64 `json:"attempts_held_by_line,omitempty"`
	// LimitHeld is the number of attempts that a rate limit of the client delayed, including
	// those that the end of the run kept from being sent.
	LimitHeld int64 `json:"attempts_held_by_limit,omitempty"`
	// Kept of the Attempts, throttled ones apart, never reached the target because of an
	// injected fault, see [Attempt.Kept].
	Kept int64 `json:"attempts_kept_from_target,omitempty"`
	// FirstThrottled are the first attempts that were throttled, of as many as Sent.
	FirstThrottled int64 `json:"first_attempts_throttled"`
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

// Within reports whether every count is from 0 to a bound.
func (c *Counts) Within(bound int64) bool {
	of := reflect.ValueOf(c).Elem()
	for i := range of.NumField() {
		if field := of.Field(i); field.Kind() == reflect.Int64 && (field.Int() < 0 || field.Int() > bound) {
			return false
		}
	}
	for i := range c.Causes {
		if n := c.Causes[i].Attempts; n < 0 || n > bound {
			return false
		}
	}
	return true
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
			to.SetInt(to.Int() + from.Int())
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
}

// Layout is the JSON form of a struct that embeds [Counts]: its fields in their order. It is immutable and safe
// for concurrent use.
type Layout struct {
	// form is a struct of these fields, whose indexes in the original are fields.
	form   reflect.Type
	fields [][]int
}

// firstCounts are the counts that records had before layouts: a layout leaves out those that it does not name.
const firstCounts = "scheduled sent dropped late operations succeeded cut attempts ok handled throttled failed causes retries " +
	"offered_entities served_entities counted_entities returned_entities bytes_out bytes_in stored_bytes " +
	"attempts_held_by_line attempts_held_by_limit attempts_kept_from_target first_attempts_throttled"

// LayoutOf returns the layout of T with the named JSON fields, in that order. name=other writes a field under
// another name. Fields that are not named follow where they are not empty, but for the counts that records had
// before layouts: so a count that is added to [Counts] is in every layout. It panics if T has no such field.
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
