package scenarios_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/entity"
)

// An operation that reads first offers two entities, keeps that when it is written
// down, and asks for a store that keeps what is written.
func TestReadingFirst(t *testing.T) {
	for _, row := range []struct {
		name, operation string
		counter         string
		offers          int
	}{
		{"a merge of properties", `{verb: merge, read_first: true, properties: [{name: Paid, value: "yes"}]}`, "", 2},
		{"a merge of a counter alone", "{verb: merge, counter: Laps}", "Laps", 2},
		{"a replace", "{verb: replace, read_first: true}", "", 2},
		{"a replace with a counter", "{verb: insert-or-replace, counter: Laps}", "Laps", 2},
		{"a delete", "{verb: delete, read_first: true}", "", 2},
		{"a delete that does not", "{verb: delete}", "", 1},
	} {
		text := strings.Replace(race, "{verb: get, weight: 3}", "{name: write, "+row.operation[1:], 1)
		s := reread(t, text)
		op := &s.Phases[1].Traffic.Operations[0]
		assert.Equalf(t, row.offers == 2, op.ReadFirst, "%s: reads first", row.name)
		assert.Equalf(t, row.counter, op.Counter, "%s: counter", row.name)
		assert.Equalf(t, row.offers, op.Offers(), "%s: offers", row.name)
		s.Phases[1].Traffic.Operations = s.Phases[1].Traffic.Operations[:1]
		assert.Equalf(t, op.ReadFirst, s.Reads(), "%s: Reads()", row.name)
		assert.Truef(t, op.Writes().IsChange() && op.Verb != entity.Get, "%s: %v is no write", row.name, op.Verb)
	}
}
