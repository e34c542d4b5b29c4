package scenarios_test

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/scenarios"
)

// mutation is one way to break a scenario file.
type mutation struct {
	// name says what is done to a line.
	name string
	// at matches the lines that it can be done to.
	at *regexp.Regexp
	// alter returns what takes the place of the line.
	alter func(line string) string
	// structural says that the schema refuses what comes of it.
	structural bool
}

// The lines that can be broken. What stands two blanks deep and has more below it is
// the name of an attribute, which may be any.
var (
	field      = regexp.MustCompile(`^( *(?:- )?)([a-z_]+): +([^ #].*)$`)
	opening    = regexp.MustCompile(`^(?:    +(?:- )?)?(?:[a-z_]+):$`)
	listed     = regexp.MustCompile(`^[^#]*: *\[[^\]{]*\]$`)
	mapped     = regexp.MustCompile(`^( *- )\{.*\}$`)
	indented   = regexp.MustCompile(`^  +(?:- )?[a-z_]+: +[^ #].*$`)
	numeral    = regexp.MustCompile(`^ *(?:- )?(?:size|workers|entities|lanes|transaction|rate|weight|seed|partitions|constant|poisson|clients): +[0-9.]+$`)
	duration   = regexp.MustCompile(`^ *(?:- )?(?:each|for|think|warm_up): +[0-9a-z.]+$`)
	chosen     = regexp.MustCompile(`^ *(?:- )?(?:verb|start|retry|profile|class|group|change|unit): +[a-zA-Z-]{3,}$`)
	needed     = regexp.MustCompile(`^(?:name: .*| +(?:partition_key|row_key|each|rate|for): [^#]*)$`)
	template   = regexp.MustCompile(`^[^#]*: *"[^"]*\{[a-z_]+\}[^"]*"`)
	quotation  = regexp.MustCompile(`^[^#"]*: "[^"]*"$`)
	keyed      = regexp.MustCompile(`^ +(?:partition_key|row_key): +"[^"]*\{.*"$`)
	attributed = regexp.MustCompile(`\{([a-z_]+)\}`)
	spelt      = regexp.MustCompile(`([a-z_]{2})([a-z_]+):`)
	value      = regexp.MustCompile(`: +[^ ].*$`)
)

func mutations() []mutation {
	swap := func(with string) func(string) string {
		return func(line string) string { return value.ReplaceAllLiteralString(line, ": "+with) }
	}
	twice := func(line string) string {
		return line + "\n" + strings.Replace(line, "- ", "  ", 1)
	}
	misspell := func(line string) string { return spelt.ReplaceAllString(line, "${1}q${2}:") }
	return []mutation{
		{"leave out a field that must be there", needed, func(string) string { return "" }, false},
		{"give a field twice", field, twice, false},
		{"misspell a field", field, misspell, true},
		{"misspell a field with more below it", opening, misspell, true},
		{"a list for a number", numeral, swap("[1, [2]]"), true},
		{"a map for a number", numeral, swap("{from: 1}"), true},
		{"a text for a number", numeral, swap("plenty"), true},
		{"a number out of range", numeral, swap("-1"), true},
		{"a number far out of range", numeral, swap("99999999999999999999"), true},
		{"a number in quotes", numeral, swap(`"7"`), true},
		{"nothing for a number", numeral, swap("~"), true},
		{"a duration without a unit", duration, swap("7"), true},
		{"a duration below zero", duration, swap("-7s"), false},
		{"a duration without end", duration, swap("9999h"), false},
		{"a word that is not in the list", chosen, swap("sometimes"), true},
		{"a misspelt word", chosen, func(line string) string { return line[:len(line)-1] + "q" }, true},
		{"a map for a list or a text", listed, swap("{one: 1}"), true},
		{"a number for a map", mapped, func(line string) string { return mapped.ReplaceAllString(line, "${1}5") }, true},
		{"a text for what is below it", opening, func(line string) string { return line + " nothing" }, false},
		{"an attribute that does not exist", template, func(line string) string { return attributed.ReplaceAllString(line, "{${1}q}") }, false},
		{"a brace that is never closed", template, func(line string) string { return strings.Replace(line, "}", "", 1) }, false},
		{"a character that no key may hold", keyed, func(line string) string { return strings.Replace(line, "{", "/{", 1) }, false},
		{"a key that is too long", keyed, func(line string) string { return strings.Replace(line, "{", strings.Repeat("k", 600)+"{", 1) }, false},
		{"a tab", indented, func(line string) string { return "\t" + line }, false},
		{"a field that is out of line", field, func(line string) string { return " " + line + "\n" + line }, false},
		{"a quote too many", quotation, func(line string) string { return line + `"` }, false},
		{"a quote that is never closed", quotation, func(line string) string { return line[:len(line)-1] }, false},
		{"a bracket that is never closed", listed, func(line string) string { return line[:len(line)-1] }, false},
		{"an anchor", numeral, func(line string) string { return strings.Replace(line, ": ", ": &a ", 1) }, false},
		{"a second document", opening, func(line string) string { return "---\n" + line }, false},
		{"a control character", field, func(line string) string { return line + "\x01" }, false},
	}
}

// mutant is a text with one line broken.
type mutant struct{ text, line string }

// mutants returns what comes of a mutation of one text, spread over it and no more
// than most.
func (m mutation) mutants(text string, most int) []mutant {
	lines := strings.Split(text, "\n")
	var hits []int
	for i, line := range lines {
		if m.at.MatchString(line) {
			hits = append(hits, i)
		}
	}
	var list []mutant
	for k := range min(most, len(hits)) {
		i := hits[k*len(hits)/min(most, len(hits))]
		altered := slices.Clone(lines)
		altered[i] = m.alter(lines[i])
		list = append(list, mutant{strings.Join(altered, "\n"), lines[i]})
	}
	return list
}

// The built-in scenarios, broken in every way: none of it is taken, and all of it is
// told where it is wrong.
func TestMutantsOfTheLibrary(t *testing.T) {
	// However large the library grows, each way is tried so many times.
	const tries = 6
	j, files := schemaJudge(t), scenarios.Library()
	total, refused := 0, 0
	for i, m := range mutations() {
		tried := 0
		for k := 0; k < len(files) && tried < tries; k++ {
			name := files[(i+k)%len(files)]
			source, err := scenarios.Source(name)
			require.NoError(t, err)
			for _, one := range m.mutants(sure(string(source)), max(1, tries/len(files))) {
				tried++
				assert.Truef(t, faultsOf(t, name+".yaml", one.text) != nil, "%s: %s for %q is no fault", name, m.name, one.line)
				faults, isYAML := j.text(one.text)
				if isYAML && len(faults) > 0 {
					refused++
				} else if m.structural {
					t.Errorf("%s: the schema takes %s for %q, YAML %t; want a refusal", name, m.name, one.line, isYAML)
				}
			}
		}
		assert.Truef(t, tried != 0, "no line of the library could have %s; want one at least", m.name)
		total += tried
	}
	t.Logf("%d mutants, all of them refused, %d by the schema too", total, refused)
	assert.Truef(t, total >= 100, "%d mutants; want a hundred", total)
}

var block = regexp.MustCompile(`^( *)[a-z_]+: [>|][-+]?$`)

// sure returns a text in which each folded text is a single word, and that has no
// anti_pattern: a line within one is no field, within the other not one that counts
// where it stands.
func sure(text string) string {
	var kept []string
	depth := -1
	for _, line := range strings.Split(text, "\n") {
		if indent := len(line) - len(strings.TrimLeft(line, " ")); depth >= 0 && (indent > depth || line == "") {
			continue
		}
		depth = -1
		if match := block.FindStringSubmatch(line); match != nil {
			depth = len(match[1])
			line = value.ReplaceAllString(line, ": told")
		}
		if line == "anti_pattern:" {
			depth = 0
			continue
		}
		kept = append(kept, line)
	}
	return strings.Join(kept, "\n")
}

// builtins are the built-in scenarios that were read, which tests share and do not change.
var builtins = map[string]*scenarios.Scenario{}

func builtin(t testing.TB, name string) *scenarios.Scenario {
	t.Helper()
	if builtins[name] == nil {
		s, err := scenarios.Builtin(name)
		require.NoErrorf(t, err, "Builtin(%q)", name)
		builtins[name] = s
	}
	return builtins[name]
}

// catalogue is read once for all tests.
var catalogue = sync.OnceValues(scenarios.Catalogue)

func TestLibrary(t *testing.T) {
	names := scenarios.Library()
	require.Truef(t, slices.Contains(names, "stress") && slices.IsSorted(names),
		"Library() = %q; want the stress test among sorted names", names)
	entries, err := catalogue()
	require.NoError(t, err)
	byName := map[string]scenarios.Entry{}
	for _, one := range entries {
		byName[one.Name] = one
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			s := builtin(t, name)
			assert.Equal(t, name, s.Name)
			assert.NotEmpty(t, s.About)
			again, err := scenarios.Parse("again.yaml", s.Text())
			require.NoError(t, err, "Parse(Text())")
			assert.Equal(t, string(s.Text()), string(again.Text()), "Parse(Text())")
			source, err := scenarios.Source(name)
			require.NoError(t, err)
			assert.Contains(t, string(source), "# ", "the file has its comments")
			one := byName[name]
			if one.Designs == nil || !slices.Equal(one.Designs, s.Alternatives()) || (one.AntiPattern == nil) != (s.AntiPattern == nil) ||
				(one.Pattern == nil) != (s.Pattern == nil) || s.Pattern != nil && *one.Pattern != *s.Pattern {
				t.Errorf("Catalogue() has %+v; want what the scenario holds", one)
			}
			assert.Truef(t, strings.HasPrefix(strings.Join(strings.Fields(one.About), " "), one.Says) && len(one.Says) >= 10,
				"the catalogue says %q, and is about %q; want its first sentence", one.Says, one.About)
		})
	}
}

func TestBuiltinOfAnUnknownName(t *testing.T) {
	for asked, nearest := range map[string]string{"strss": `"stress"`, "../library/stress": ""} {
		s, err := scenarios.Builtin(asked)
		assert.Truef(t, s == nil && errors.Is(err, scenarios.ErrUnknown) && strings.Contains(err.Error(), nearest),
			"Builtin(%q) = %v, %v; want ErrUnknown and %s", asked, s, err, nearest)
	}
}

func TestSaysIsTheFirstSentence(t *testing.T) {
	for _, row := range []struct{ sentence, text, want string }{
		{"one sentence", "A table.", "A table."},
		{"two of them", "A table. Another one.", "A table."},
		{"broken into lines", "A\n  table. Another one.", "A table."},
		{"a point within a number", "At 0.5 ms it holds. No more.", "At 0.5 ms it holds."},
		{"a question", "Does it hold? Yes.", "Does it hold?"},
		{"no full stop", "a table", "a table"},
		{"nothing", "", ""},
	} {
		assert.Equalf(t, row.want, (&scenarios.Scenario{About: row.text}).FirstSentence(), "%s: Says of %q", row.sentence, row.text)
	}
}
