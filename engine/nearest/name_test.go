package nearest_test

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/nearest"
)

func TestName(t *testing.T) {
	known := []string{"load", "count", "peak", "partition_key", "row_key"}
	for _, tt := range []struct {
		name  string
		typed string
		known []string
		want  string
		near  bool
	}{
		{"one letter missing", "partition_ky", known, "partition_key", true},
		{"two letters swapped", "laod", known, "load", true},
		{"letter case does not count", "PEAK", known, "peak", true},
		{"another way to write it", "partitionKey", known, "partition_key", true},
		{"nothing alike is near, yet one is nearest", "zzzzzzzzzz", known, "load", false},
		{"a name that shares nothing is not suggested", "ab", []string{"cd"}, "cd", false},
		{"the first of equals is taken", "ccat", []string{"cat", "ccats"}, "cat", true},
		{"the name itself is nearest", "row_key", known, "row_key", true},
		{"nothing is near where nothing is known", "x", nil, "", false},
		{"the empty name is near to nothing", "", []string{"a"}, "a", false},
		{"a long name is compared by its beginning", strings.Repeat("x", 100_000), []string{strings.Repeat("x", 200)}, strings.Repeat("x", 200), true},
	} {
		if got, near := nearest.Name(tt.typed, tt.known); got != tt.want || near != tt.near {
			t.Errorf("%s: Name(%.20q, %.60q) = %.20q, %t; want %.20q, %t", tt.name, tt.typed, tt.known, got, near, tt.want, tt.near)
		}
	}
}

// TestNearestIsNearest holds the choice against a distance computed by the
// recursive definition.
func TestNearestIsNearest(t *testing.T) {
	const seed = 11
	rng := rand.New(rand.NewPCG(seed, 0))
	word := func() string {
		letters := make([]byte, rng.IntN(7))
		for i := range letters {
			letters[i] = "abc"[rng.IntN(3)]
		}
		return string(letters)
	}
	for range 2000 {
		typed, known := word(), []string{word(), word(), word()}
		got, _ := nearest.Name(typed, known)
		for _, other := range known {
			if a, b := distance(typed, got), distance(typed, other); a > b {
				t.Fatalf("seed %d: Name(%q, %q) = %q at distance %d; %q is at %d", seed, typed, known, got, a, other, b)
			}
		}
	}
}

func distance(a, b string) int {
	if a == "" || b == "" {
		return len(a) + len(b)
	}
	m, n := len(a)-1, len(b)-1
	replaced := distance(a[:m], b[:n])
	if a[m] != b[n] {
		replaced++
	}
	least := min(replaced, distance(a[:m], b)+1, distance(a, b[:n])+1)
	if m > 0 && n > 0 && a[m] == b[n-1] && a[m-1] == b[n] {
		least = min(least, distance(a[:m-1], b[:n-1])+1)
	}
	return least
}

func TestUnknown(t *testing.T) {
	for _, tt := range []struct {
		name  string
		typed string
		known []string
		// words are those that it has beside the name.
		words []string
	}{
		{"a typo is answered with what was meant", "evnt", []string{"event", "bib"}, []string{`"event"?`}},
		{"anything else with what there is", "speed", []string{"event", "bib", "sex"}, []string{"event, bib or sex"}},
		{"where there is one, it is named", "speed", []string{"bib"}, []string{"expected bib"}},
		{"where there is none, that is said", "speed", nil, []string{"none"}},
		{"a long name is cut", strings.Repeat("é", 150), nil, []string{`"` + strings.Repeat("é", 30) + `"…`}},
	} {
		got := nearest.Unknown("attribute", tt.typed, tt.known)
		for _, word := range append(tt.words, "attribute \""+tt.typed[:4]) {
			assert.Containsf(t, got, word, "%s: Unknown(%.20q, %q)", tt.name, tt.typed, tt.known)
		}
	}
	many := strings.Split("abcdefghijklmno", "")
	if got := nearest.Choice(many); !strings.HasPrefix(got, "a, b, c") || strings.Contains(got, "m,") || !strings.Contains(got, "3") {
		t.Errorf("Choice(%q) = %q; want twelve, and that there are 3 more", many, got)
	}
}

// A fault is said with its kind and without it; what is wrapped is said whole.
func TestFault(t *testing.T) {
	kind := errors.New("kind")
	fault := nearest.Faultf(kind, "%s is %d", "x", 7)
	wrapped := fmt.Errorf("phase: %w", fault)
	assert.Truef(t, errors.Is(fault, kind) && fault.Error() == "kind: x is 7" && nearest.What(fault) == "x is 7",
		"a fault is %q and %q; want it with its kind, and without", fault, nearest.What(fault))
	assert.Truef(t, nearest.What(wrapped) == wrapped.Error() && nearest.What(io.EOF) == "EOF",
		"other errors are %q and %q; want them whole", nearest.What(wrapped), nearest.What(io.EOF))
}
