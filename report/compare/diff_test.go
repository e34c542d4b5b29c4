package compare_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report/compare"
)

func TestDiff(t *testing.T) {
	for _, row := range []struct {
		name, was, is string
		want          []string
	}{
		{"the same", `{"a":1,"b":[1,"x",null,true]}`, `{"b":[1,"x",null,true],"a":1}`, nil},
		{"a number", `{"throttled":100}`, `{"throttled":125}`, []string{"throttled: was 100, is 125 (+25.0%)"}},
		{"a number that falls", `{"a":{"p99":200}}`, `{"a":{"p99":150}}`, []string{"a.p99: was 200, is 150 (−25.0%)"}},
		{"the last digit of many", `9007199254740993`, `9007199254740992`, []string{".: was 9007199254740993, is 9007199254740992"}},
		{"a change too small for tenths", `{"n":1000000}`, `{"n":1000001}`, []string{"n: was 1000000, is 1000001 (+0.0001%)"}},
		{"from nothing there is no relative change", `{"n":0}`, `{"n":7}`, []string{"n: was 0, is 7"}},
		{"from a negative number up", `{"n":-4}`, `{"n":-2}`, []string{"n: was -4, is -2 (+50.0%)"}},
		{"a word", `{"v":"holds"}`, `{"v":"fails"}`, []string{`v: was "holds", is "fails"`}},
		{"another kind of value", `{"v":1}`, `{"v":"1"}`, []string{`v: was 1, is "1"`}},
		{"null is not nothing", `{"v":null}`, `{}`, []string{"v: was null, is no longer there"}},
		{"null is not false", `{"v":null}`, `{"v":false}`, []string{"v: was null, is false"}},
		{"an object for an array", `{"v":{}}`, `{"v":[]}`, []string{"v: was {}, is []"}},
		{"an object for a word", `{"v":{}}`, `{"v":"a"}`, []string{`v: was {}, is "a"`}},
		{"a word for an object", `{"v":"a"}`, `{"v":{}}`, []string{`v: was "a", is {}`}},
		{"a branch more", `{}`, `{"new":{"b":1,"a":[2]}}`, []string{`new: was not there, is {"a":[2],"b":1}`}},
		{"by position", `[1,2,3]`, `[1,5]`, []string{"[1]: was 2, is 5 (+150.0%)", "[2]: was 3, is no longer there"}},
		{"one more at the end", `{"r":["a"]}`, `{"r":["a","b"]}`, []string{`r[1]: was not there, is "b"`}},
		{"by name, whatever comes before", `{"phases":[{"name":"peak","n":1}]}`, `{"phases":[{"name":"load"},{"name":"peak","n":2}]}`,
			[]string{"phases[peak].n: was 1, is 2 (+100.0%)", `phases[load]: was not there, is {"name":"load"}`}},
		{"a name that is gone", `[{"name":"a"},{"name":"b"}]`, `[{"name":"b"}]`, []string{`[a]: was {"name":"a"}, is no longer there`}},
		{"names in another order", `[{"name":"a"},{"name":"b"}]`, `[{"name":"b"},{"name":"a"}]`, []string{`.: the order was ["a","b"], is ["b","a"]`}},
		{"a name twice: by position", `[{"name":"a","n":1},{"name":"a","n":2}]`, `[{"name":"a","n":1},{"name":"a","n":3}]`,
			[]string{"[1].n: was 2, is 3 (+50.0%)"}},
		{"a renamed element alone", `[{"name":"a"}]`, `[{"name":"b"}]`,
			[]string{`[a]: was {"name":"a"}, is no longer there`, `[b]: was not there, is {"name":"b"}`}},
		{"an empty array and one of names", `[]`, `[{"name":"b"}]`, []string{`[b]: was not there, is {"name":"b"}`}},
		{"odd keys stand in quotes", `{"p99.9":1,"":2," a":3,"peak 2000/s":4}`, `{}`, []string{`"": was 2, is no longer there`,
			`" a": was 3, is no longer there`, `"p99.9": was 1, is no longer there`, `peak 2000/s: was 4, is no longer there`}},
		{"a line end does not break a line", `{"a\nb":"x\ny"}`, `{"a\nb":"z"}`, []string{`"a\nb": was "x\ny", is "z"`}},
		{"beyond every float", `1e400`, `2e400`, []string{".: was 1e400, is 2e400"}},
		{"exponents beyond adding up", `1e99999999999999999999`, `1e99999999999999999998`,
			[]string{".: was 1e99999999999999999999, is 1e99999999999999999998"}},
	} {
		got, err := compare.Diff([]byte(row.was), []byte(row.is))
		if lines := got.Lines(50); err != nil || !slices.Equal(lines, row.want) || got.Total != len(row.want) || got.Same() != (len(row.want) == 0) {
			t.Errorf("%s: Diff(%s, %s) = %q, %d in all, %v; want %q", row.name, row.was, row.is, lines, got.Total, err, row.want)
		}
	}
}

func TestDiffIsBounded(t *testing.T) {
	was, is := map[string]int{}, map[string]int{}
	for i := range 1200 {
		was[fmt.Sprintf("k%04d", i)], is[fmt.Sprintf("k%04d", i)] = i, i+1
	}
	before, _ := json.Marshal(was)
	after, _ := json.Marshal(is)
	bounded, err := compare.Diff(before, after)
	assert.Truef(t, err == nil && bounded.Total == 1200 && len(bounded.Entries) == 1000,
		"Diff = %d entries of %d, %v; want 1000 of 1200", len(bounded.Entries), bounded.Total, err)
	for _, row := range []struct {
		most int
		last string
	}{{0, "and 1200 more"}, {1, "and 1199 more"}, {1000, "and 200 more"}, {2000, "and 200 more"}} {
		lines := bounded.Lines(row.most)
		if want := min(row.most, 1000) + 1; len(lines) != want || lines[want-1] != row.last {
			t.Errorf("Lines(%d) = %d lines, ending %q; want %d, ending %q", row.most, len(lines), lines[len(lines)-1], want, row.last)
		}
	}
	long := strings.Repeat("ä", 5000)
	got, err := compare.Diff([]byte(`"`+long+`"`), []byte(`{"`+long+`":1}`))
	if line := got.Lines(50)[0]; err != nil || len(line) > 300 || !strings.Contains(line, "ä…") {
		t.Errorf("Diff of long values = %q, %v; want it cut off at a letter", line, err)
	}
}

func TestTextsThatAreNoTree(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for _, row := range []struct{ name, text string }{
		{"nothing", ""}, {"half of it", `{"a":`}, {"two values", `{} {}`}, {"something behind", `{}x`},
		{"no JSON", "a: 1"}, {"far too deep", deep(20_000)}, {"no number", "NaN"},
	} {
		if _, err := compare.Diff([]byte(row.text), []byte("{}")); !errors.Is(err, compare.ErrTree) || !strings.Contains(err.Error(), "what was") {
			t.Errorf("%s: Diff(%.20q, {}): %v; want ErrTree of what was", row.name, row.text, err)
		}
		if _, err := compare.Diff([]byte("{}"), []byte(row.text)); !errors.Is(err, compare.ErrTree) || !strings.Contains(err.Error(), "what is") {
			t.Errorf("%s: Diff({}, %.20q): %v; want ErrTree of what is", row.name, row.text, err)
		}
	}
}

func TestLinesInTheirOrder(t *testing.T) {
	changed := func(paths ...string) compare.Difference {
		d := compare.Difference{Total: len(paths)}
		for _, path := range paths {
			d.Entries = append(d.Entries, compare.Entry{Path: path, Kind: compare.Added})
		}
		return d
	}
	for _, row := range []struct {
		name        string
		of          compare.Difference
		later, want []string
	}{
		{"as they come", changed("phases", "seconds", "where"), nil, []string{"phases", "seconds", "where"}},
		{"the whole first, the heat map last", changed("events", "phases[a]", "phases[b]", "seconds", "where", "zones"),
			[]string{"phases", "where"}, []string{"events", "seconds", "zones", "phases[a]", "phases[b]", "where"}},
		{"no digest beside others", changed("a", "b.digest"), nil, []string{"a", "and 1 more"}},
		{"digests alone", changed("a.digest", "b.digest"), nil, []string{"a.digest", "b.digest"}},
	} {
		got := row.of.Lines(10, row.later...)
		for i := range got {
			got[i], _, _ = strings.Cut(got[i], ":")
		}
		assert.Truef(t, slices.Equal(got, row.want), "%s: Lines = %q; want %q", row.name, got, row.want)
	}
}

func FuzzDiff(f *testing.F) {
	f.Add([]byte(`{"phases":[{"name":"peak","p99":1.5}],"n":1e3}`), []byte(`{"phases":[{"name":"load"},{"name":"peak","p99":2}]}`))
	f.Add([]byte(`[{"name":"a"},{"name":"b"}]`), []byte(`[{"name":"b"},{"name":"a"}]`))
	f.Add([]byte(`-0.0e5`), []byte(`"\ud800"`))
	f.Fuzz(func(t *testing.T, was, is []byte) {
		d, err := compare.Diff(was, is)
		if err != nil {
			require.ErrorIsf(t, err, compare.ErrTree, "Diff(%q, %q): %v; want ErrTree or none", was, is, err)
			return
		}
		back, err := compare.Diff(is, was)
		require.Truef(t, err == nil && back.Total == d.Total,
			"Diff(%q, %q) = %d and the other way %d, %v; want as many", was, is, d.Total, back.Total, err)
		for _, text := range [][]byte{was, is} {
			if same, err := compare.Diff(text, text); err != nil || !same.Same() {
				t.Fatalf("Diff(%q) with itself = %q, %v; want none", text, same.Lines(50), err)
			}
			var spaced bytes.Buffer
			require.NoError(t, json.Indent(&spaced, text, "", "\t"))
			if same, err := compare.Diff(text, spaced.Bytes()); err != nil || !same.Same() {
				t.Fatalf("Diff(%q) with itself over several lines = %q, %v; want none", text, same.Lines(50), err)
			}
		}
		for _, line := range d.Lines(50) {
			require.Falsef(t, strings.ContainsAny(line, "\r\n"), "Diff(%q, %q): the line %q is several", was, is, line)
		}
	})
}
