//go:build invariants

package invariants

import (
	"reflect"
	"testing"
)

// A field that a reset leaves out is found since none is as it was, but for those that
// are named.
func TestPoisonFillsEveryFieldButThoseKept(t *testing.T) {
	type inner struct {
		text string
		on   bool
	}
	type pooled struct {
		Number  int8
		count   uint64
		share   float32
		inner   inner
		list    []inner
		row     [2]int64
		next    *inner
		kept    []byte
		changed map[string]int
	}
	p := pooled{kept: []byte("kept"), changed: map[string]int{"last": 1}}
	Poison(&p, "kept")
	v := reflect.ValueOf(p)
	for i := range v.NumField() {
		if v.Field(i).IsZero() {
			t.Errorf("%s is still %v; want it poisoned", v.Type().Field(i).Name, v.Field(i))
		}
	}
	if string(p.kept) != "\xdb\xdb\xdb\xdb" || !p.inner.on || p.inner.text == "" || p.list[0].text == "" || p.row[1] == 0 ||
		p.count == 0 || p.share == 0 || p.next == nil {
		t.Errorf("Poison left %+v; want all poisoned, and of what is kept the room of bytes", p)
	}
}
