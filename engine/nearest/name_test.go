package nearest_test

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

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
		t.Run(tt.name, func(t *testing.T) {
			got, near := nearest.Name(tt.typed, tt.known)
			if got != tt.want || near != tt.near {
				t.Errorf("Name(%.20q, %.60q) = %.20q, %t; want %.20q, %t", tt.typed, tt.known, got, near, tt.want, tt.near)
			}
		})
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
		want  string
	}{
		{"a typo is answered with what was meant", "evnt", []string{"event", "bib"}, `unknown attribute "evnt"; did you mean "event"?`},
		{"anything else with what there is", "speed", []string{"event", "bib", "sex"}, `unknown attribute "speed"; expected event, bib or sex`},
		{"where there is one, it is named", "speed", []string{"bib"}, `unknown attribute "speed"; expected bib`},
		{"where there is none, that is said", "speed", nil, `unknown attribute "speed"; expected none, for there are none`},
		{"a long name is cut", strings.Repeat("é", 150), nil, `unknown attribute "` + strings.Repeat("é", 30) + `"…; expected none, for there are none`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := nearest.Unknown("attribute", tt.typed, tt.known); got != tt.want {
				t.Errorf("Unknown(%.20q, %q) = %s; want %s", tt.typed, tt.known, got, tt.want)
			}
		})
	}
	many := strings.Split("abcdefghijklmno", "")
	if got, want := nearest.Choice(many), "a, b, c, d, e, f, g, h, i, j, k, l or one of 3 more"; got != want {
		t.Errorf("Choice(%q) = %q; want %q", many, got, want)
	}
}

// A fault is told with its kind and without it; what is wrapped or joined is told whole.
func TestFault(t *testing.T) {
	kind := errors.New("model: impossible value")
	fault := nearest.Faultf(kind, "%s is %d", "x", 7)
	for _, row := range []struct {
		phrase    string
		err       error
		all, what string
	}{
		{"a fault", fault, "model: impossible value: x is 7", "x is 7"},
		{"one that is wrapped", fmt.Errorf("phase: %w", fault), "phase: model: impossible value: x is 7", "phase: model: impossible value: x is 7"},
		{"another error", io.EOF, "EOF", "EOF"},
	} {
		if got := nearest.What(row.err); row.err.Error() != row.all || got != row.what {
			t.Errorf("%s: %q and %q; want %q and %q", row.phrase, row.err, got, row.all, row.what)
		}
	}
	if !errors.Is(fault, kind) {
		t.Errorf("%v does not wrap its kind", fault)
	}
}
