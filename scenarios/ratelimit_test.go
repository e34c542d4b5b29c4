package scenarios_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/scenarios"
	"loadgen/scenarios/fields"
)

// readField reads the text of a field.
func readField(text string, into fields.Binding) fields.Faults {
	tree, faults := fields.ReadTree("f", []byte("field: "+text))
	if len(faults) > 0 {
		return faults
	}
	r := &fields.Reader{}
	into.Read(r, "field", tree.Find("field"))
	return r.Faults
}

// writtenField returns the text of a field that was read.
func writtenField(from fields.Binding) string {
	field := &fields.Node{Kind: fields.Dict, Entries: []fields.Entry{{Key: "field", Value: from.Write()}}}
	return string(fields.PrintTree(field)[len("field:"):])
}

func readLimit(text string) (rate scenarios.RateLimit, faults fields.Faults) {
	faults = readField(text, scenarios.RateLimitBinding{Into: &rate})
	return rate, faults
}

func TestLimit(t *testing.T) {
	for _, row := range []struct {
		text, said string
		want       scenarios.RateLimit
	}{
		{"500", "500/s, burst 1", scenarios.RateLimit{PerSecond: 500, Burst: 1}},
		{"{rate: 0.5, burst: 50}", "0.5/s, burst 50", scenarios.RateLimit{PerSecond: 0.5, Burst: 50}},
		{"{rate: 1000000}", "1000000/s, burst 1", scenarios.RateLimit{PerSecond: 1_000_000, Burst: 1}},
	} {
		got, faults := readLimit(row.text)
		assert.Truef(t, len(faults) <= 0 && got == row.want && got.String() == row.said,
			"limit: %s is %q, %v; want %q", row.text, got, faults, row.said)
	}
	if none := (scenarios.RateLimit{}); none.String() != "" || (scenarios.RateLimitBinding{Into: &none}).Write() != nil {
		t.Errorf("no limit is told as %q; want nothing", none)
	}
}

// FuzzLimit: what is read is written as what reads as the same.
func FuzzLimit(f *testing.F) {
	for _, text := range []string{"500", "0.001", "{rate: 500, burst: 50}", "{burst: 5}", "{rate: 0}", "[500]", "500/s"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		rate, faults := readLimit(text)
		if len(faults) > 0 {
			return
		}
		if rate.PerSecond < fields.MinRate || rate.PerSecond > fields.MaxRate || rate.Burst < 1 {
			t.Fatalf("limit: %q is %+v; want a rate within its bounds", text, rate)
		}
		written := writtenField(scenarios.RateLimitBinding{Into: &rate})
		if again, faults := readLimit(written); again != rate || len(faults) > 0 {
			t.Fatalf("limit: %q is written as %q, which reads as %+v, %v; want %+v", text, written, again, faults, rate)
		}
	})
}
