package protocol

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"loadgen/results"
)

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
