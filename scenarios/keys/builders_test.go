package keys_test

import (
	"testing"

	"loadgen/scenarios/keys"
)

// unequal are the sizes that the documents show.
func unequal() []keys.Size {
	return []keys.Size{{Share: 0.7, Weight: 1}, {Share: 0.2, Weight: 2.5}, {Share: 0.1, Weight: 3.5}}
}

// many returns a list of so many values with weights from 1 to 1,000.
func many(given int) keys.ValueList {
	l := keys.ValueList{}
	for i := range given {
		l.Values = append(l.Values, string(rune('a'+i%26)))
		l.Weights = append(l.Weights, int64(i*i%1000+1))
	}
	return l
}

// single returns a generator whose PartitionKey is one attribute, x.
func single(t testing.TB, seed uint64, given keys.Distribution) *keys.Generator {
	t.Helper()
	return generator(t, keys.Options{Seed: seed, PartitionKey: template("{x}"), RowKey: template("r"),
		Attributes: []keys.Attribute{{Name: "x", Values: given}}})
}
