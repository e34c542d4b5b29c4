package wire_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/wire"
)

func TestTheFirstRuleThatMatchesDecides(t *testing.T) {
	rules := []wire.CORSRule{
		{Origins: []string{"http://a", "http://b"}, Methods: []string{"GET", "PUT"}, MaxAge: 1, Allowed: []string{"x-ms-*", "Accept"}},
		{Origins: []string{"http://a"}, Methods: []string{"GET"}, MaxAge: 2, Allowed: []string{"*"}},
		{Origins: []string{"*"}, Methods: []string{"HEAD", "GET"}, MaxAge: 3},
	}
	for _, row := range []struct {
		name, origin, method, headers string
		want                          int
	}{
		{"the first", "http://a", "GET", "", 1},
		{"the other of its origins, and of its methods", "http://b", "PUT", "", 1},
		{"a header by its prefix, in another case", "http://a", "GET", "X-MS-Date, x-ms-version", 1},
		{"a header by its name", "http://a", "GET", "accept", 1},
		{"a header that only begins like one", "http://a", "GET", "accept-language", 2},
		{"whatever headers, but not by that method", "http://a", "PUT", "if-match", 0},
		{"any origin", "http://c", "GET", "", 3},
		{"any origin, with a header", "http://c", "GET", "accept", 0},
		{"an origin in another case", "http://A", "PUT", "", 0},
		{"a method in another case", "http://a", "put", "", 0},
		{"blanks and nothing", "http://a", "PUT", " , ", 1},
	} {
		got := 0
		if rule := wire.FindCORSRule(rules, row.origin, row.method, row.headers); rule != nil {
			got = rule.MaxAge
		}
		assert.Equalf(t, row.want, got, "%s: FindRule(%s, %s, %q) = rule", row.name, row.origin, row.method, row.headers)
	}
	assert.True(t, !rules[0].ForAnyOrigin() && rules[2].ForAnyOrigin(),
		"ForAnyOrigin() = true of the first or false of the last; want the opposite")
}
