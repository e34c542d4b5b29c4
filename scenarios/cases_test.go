package scenarios_test

import (
	_ "embed"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/scenarios"
	"loadgen/scenarios/fields"
)

// casesFolder holds scenarios, and files of cases: what differs from one of them, and where
// faults are then found.
const casesFolder = "testdata/cases/"

// race is a small scenario that the tests change, one thing at a time.
//
//go:embed testdata/cases/race.yaml
var race string

// edited returns a scenario of the folder of cases with texts replaced in pairs, each where
// it stands first.
func edited(t testing.TB, base string, pairs ...string) string {
	t.Helper()
	file, err := os.ReadFile(casesFolder + base)
	require.NoError(t, err)
	text := string(file)
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(text, pairs[i]) {
			t.Fatalf("%s has no %q", base, pairs[i])
		}
		text = strings.Replace(text, pairs[i], pairs[i+1], 1)
	}
	return text
}

// textCase is one case of a file. In the file, a line "base F" names the scenario that the
// cases behind it change, "== N" begins the case N, lines with a minus are replaced by those
// with a plus, lines with a bar are a file that the scenario reads, "$P V" sets the path P to
// the value V, and each line with an angle is a fault, as faultPlaces writes it.
type textCase struct {
	name, text string
	contested  bool
	file       string
	set        []string
	want       []string
}

// textCases returns the cases of all files.
func textCases(t testing.TB) []textCase {
	t.Helper()
	files, err := filepath.Glob(casesFolder + "*.txt")
	require.Truef(t, err == nil && len(files) != 0, "the folder of cases has %d files, %v", len(files), err)
	var all []textCase
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		base := ""
		for block := range strings.SplitSeq(string(text), "\n== ") {
			lines := strings.Split(block, "\n")
			if !strings.HasPrefix(block, "base ") {
				all = append(all, newTextCase(t, base, lines))
			}
			if last := lines[len(lines)-1]; strings.HasPrefix(last, "base ") {
				base = strings.TrimPrefix(last, "base ")
			}
		}
	}
	return all
}

// newTextCase reads the lines of one case.
func newTextCase(t testing.TB, base string, lines []string) textCase {
	t.Helper()
	c := textCase{name: lines[0], contested: base == "contested.yaml"}
	var edits [][2][]string
	for i, line := range lines[1:] {
		mark, rest := line[:min(1, len(line))], line[min(1, len(line)):]
		switch mark {
		case "-", "+":
			if mark == "-" && !strings.HasPrefix(lines[i], "-") {
				edits = append(edits, [2][]string{})
			}
			side := strings.Index("-+", mark)
			edits[len(edits)-1][side] = append(edits[len(edits)-1][side], rest)
		case "|":
			c.file += rest + "\n"
		case "$":
			c.set = strings.SplitN(rest, " ", 2)
		case ">":
			c.want = append(c.want, strings.TrimSpace(rest))
		}
	}
	var pairs []string
	for _, edit := range edits {
		pairs = append(pairs, strings.Join(edit[0], "\n"), strings.Join(edit[1], "\n"))
	}
	c.text = edited(t, base, pairs...)
	return c
}

// faults returns where something is wrong with the case.
func (c textCase) faults(t *testing.T) []string {
	t.Helper()
	parse := scenarios.Parse
	if c.contested {
		parse = scenarios.ParseContested
	}
	s, err := parse("own.yaml", []byte(c.text))
	if err != nil {
		assert.Falsef(t, s != nil && !c.contested, "Parse returns a scenario beside %v; want none", err)
		return faultPlaces(t, err)
	}
	switch {
	case c.file != "":
		err = s.ReadFiles(opened(c.file))
	case c.set != nil:
		before := string(s.Text())
		if err = s.Set(c.set[0], c.set[1]); err != nil && string(s.Text()) != before {
			t.Errorf("Set fails and changes the scenario to\n%s", s.Text())
		}
	}
	return faultPlaces(t, err)
}

// mentioned are the names and the numbers of a message.
var mentioned = regexp.MustCompile(`"[^"]*"|\b[0-9][0-9a-zA-Z.]*`)

// faultPlaces returns of each fault its place, the path of its field, and the names and the
// numbers in what is wrong: the field and what it is nearest to, a value, a bound.
func faultPlaces(t testing.TB, err error) []string {
	t.Helper()
	if err == nil {
		return nil
	}
	var faults fields.Faults
	require.Truef(t, errors.As(err, &faults) && errors.Is(err, fields.ErrInvalid),
		"the error is %v; want Faults that wrap ErrInvalid", err)
	var places []string
	for _, fault := range faults {
		place, _, _ := strings.Cut(fault.Error(), ": ")
		place = strings.TrimPrefix(place, "own.yaml:")
		what, _, _ := strings.Cut(fault.What, "; expected")
		words := append([]string{place, fault.Path}, mentioned.FindAllString(what, -1)...)
		if fault.Path == "" {
			words[1] = "."
		}
		places = append(places, strings.Join(words, " "))
	}
	return places
}

// opened returns a file of the given text.
func opened(text string) func(string) (io.ReadCloser, error) {
	return func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }
}

// Each case has the faults that its file lists, and no other.
func TestCases(t *testing.T) {
	for _, c := range textCases(t) {
		t.Run(c.name, func(t *testing.T) {
			assert.Equalf(t, c.want, c.faults(t), "faults in\n%s", c.text)
		})
	}
}

// Texts that are large, or hold what no file of cases should.
func TestFaultsOfTexts(t *testing.T) {
	longList := strings.Repeat("  - throttled < 1%\n", 50)
	filters := "- {verb: query, class: partition-scan, where: 'A eq {age}" + strings.Repeat(" and B eq {b}", 41) + "'}"
	for _, row := range []struct{ name, text, want string }{
		{"nothing", "", "1:1 ."},
		{"comments alone", "# nothing\n", "1:1 ."},
		{"a list", "- name: race\n", "1:1 ."},
		{"a single value", "race\n", "1:1 ."},
		{"a tab as indentation", edited(t, "race.yaml", "  size: 600", "\tsize: 600"), "12:1 ."},
		{"a control character", edited(t, "race.yaml", "name: race", "name: ra\x01ce"), "1:9 . 0001"},
		{"a quote too many", edited(t, "race.yaml", `"{event}"`, `"{event}""`), "17:27 ."},
		{"a duration below zero", edited(t, "race.yaml", "each: 2s", "each: -2s"), "26:13 phases.1.peak.each 2s"},
		{"text that is not UTF-8", edited(t, "race.yaml", "name: race", "name: räce\nabout: \"\xff\""), "2:9 . 0xff"},
		{"lists nested on one line", strings.Repeat("- ", 3000), "1:41 ."},
		{"more than a mebibyte", strings.Repeat("#\n", 1<<19) + "#", "1:1 ."},
		{"too many fields", strings.Repeat("a: 1\n", 20_000), "10000:2 ."},
		{"far too many faults", "name: a\n" + strings.Repeat("x: 1\n", 5000), "501:1 . 9001"},
		{"a key that can become too long", edited(t, "race.yaml", "Berlin", strings.Repeat("x", 513)),
			`7:17 attributes.event.list.1 1 "` + strings.Repeat("x", 60) + `" 513 16 512`},
		{"a check that is too long", edited(t, "expect.yaml", "throttled < 1%", `"`+strings.Repeat(" ", 2000)+`p99 < 1s"`),
			`31:5 expect.0 0 "` + strings.Repeat(" ", 60) + `…"`},
		{"a check too many", race + "expect:\n" + longList + "  - throttled < 1%\n", "31:3 expect 51"},
		{"filters that take long to try", edited(t, "race.yaml", "{uniform: [18, 79]}", "{uniform: [1, 60]}\n  b: {uniform: [1, 60]}",
			"- {verb: get", filters+"\n        "+strings.Replace(filters, "verb", "name: second, verb", 1)+
				"\n        "+strings.Replace(filters, "verb", "name: third, verb", 1)+"\n        - {verb: get"),
			"31:68 phases.1.peak.operations.2.where 4"},
	} {
		_, err := scenarios.Parse("own.yaml", []byte(row.text))
		places := faultPlaces(t, err)
		assert.Falsef(t, len(places) == 0 || places[len(places)-1] != row.want || len(places) > 1 && row.name != "far too many faults",
			"%s: faults %.300q; want %q", row.name, places, row.want)
	}
}

func TestFaultsAsOneError(t *testing.T) {
	assert.NoError(t, fields.FaultsOf(nil), "FaultsOf(nil)")
	err := fields.FaultsOf([]error{fields.Fault{Path: "seed", What: "is x"}, errors.New("no model")})
	var faults fields.Faults
	assert.Truef(t, errors.As(err, &faults) && len(faults) == 2 && faults[0].Path == "seed" && err.Error() == "seed: is x\nno model",
		"FaultsOf(…) = %q; want both as faults", err)
}
