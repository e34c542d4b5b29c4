package coverage_test

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const page = "../../docs/development/coverage.md"

// line is a row of the page: observed is empty where it was not played.
func line(r *row, observed [2]string) string {
	var with, expected, seen []string
	for i, v := range r.variations {
		with, expected, seen = append(with, v.with), append(expected, v.expected.String()), append(seen, observed[i])
	}
	return fmt.Sprintf("| %d | %s *(%s)* | %s | %s: %s | %s: **%s** | %s |\n", r.number, escaped(r.says), r.document, r.shows,
		r.varies, escaped(strings.Join(with, "; ")), r.expects, strings.Join(expected, "; "), strings.Join(seen, "; "))
}

func escaped(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

// numbered is a row of the page, by its number.
var numbered = regexp.MustCompile(`(?m)^\| ([0-9]+) \| .*\n`)

// written returns a page with its rows as they are to be; all else stays as it is.
func written(page string, all []row, observed map[int][2]string) string {
	return numbered.ReplaceAllStringFunc(page, func(was string) string {
		number, _ := strconv.Atoi(numbered.FindStringSubmatch(was)[1])
		if number < 1 || number > len(all) {
			return ""
		}
		return line(&all[number-1], observed[number])
	})
}

// cut takes what was observed out of a row of the page.
func cut(line string) string {
	line = strings.TrimSuffix(line, " |\n")
	return line[:strings.LastIndex(line, " | ")]
}

// The page has every row of the table, under the heading of its group, and what is said beside them.
func TestPageHasTheRows(t *testing.T) {
	file, err := os.ReadFile(page)
	require.NoError(t, err)
	text, lines := string(file), numbered.FindAllString(string(file), -1)
	all := rows()
	require.Len(t, lines, len(all), "rows of docs/development/coverage.md")
	for i := range all {
		r := &all[i]
		assert.Equal(t, i+1, r.number, "number of the row at this place")
		for _, text := range []string{r.group, r.document, r.says, r.shows, r.varies, r.expects} {
			assert.NotEmptyf(t, strings.TrimSpace(text), "row %d has to say all", i+1)
		}
		assert.Equalf(t, cut(line(&all[i], [2]string{})), cut(lines[i]), "row %d; go test -tags ci ./scenarios/coverage -rewrite", i+1)
		for _, c := range span.FindAllStringSubmatch(r.shows, -1) {
			assert.Regexpf(t, "^loadgen ", c[1], "row %d", i+1)
		}
		assert.Containsf(t, r.shows, "`loadgen ", "row %d has a command line", i+1)
		assert.NotEqualf(t, all[i].variations[0].with, all[i].variations[1].with, "row %d varies", i+1)
		heading := fmt.Sprintf("## %s\n\nIn [%[2]s](../../scenarios/coverage/%[2]s).\n", all[i].group, all[i].variations[0].file)
		before, _, _ := strings.Cut(text, lines[i])
		at := strings.LastIndex(before, "\n## ") + 1
		assert.Equalf(t, heading, text[at:min(at+len(heading), len(text))], "heading of row %d", i+1)
	}
	for _, beside := range append(rowsOfOneToMany(), rowsNearLimit()...) {
		assert.Truef(t, strings.Contains(text, beside), "docs/development/coverage.md has no row %s", beside)
	}
}

// span is a code span of a row, which is a whole command line, and the exit code behind it.
var span = regexp.MustCompile("`([^`]+)`(?: \\(exit code ([0-9]+)\\))?")

// overHTTP is the command line that sends requests to a service of its own: t is the path of a request, and what
// curl adds to it.
func overHTTP(requests ...string) string {
	return "`loadgen serve --tokens any > account.txt & sleep 2; " +
		`t() { path=$1; shift; curl -s -H 'Authorization: Bearer any' "$@" http://` + local + "/devstoreaccount1/$path; }; " +
		`t Tables --json '{"TableName":"Races"}'; ` + strings.Join(requests, "; ") + "; kill $!`"
}

// local is the default address of loadgen serve.
const local = "127.0.0.1:10002"

// playRows plays rows, each of which has to be what was expected, and returns what was
// observed, by number, as the page has it.
func playRows(t *testing.T, want func(*row) bool) map[int][2]string {
	all := rows()
	observed := make([][2]string, len(all))
	t.Run("rows", func(t *testing.T) {
		for i := range all {
			for j, v := range all[i].variations {
				if !want(&all[i]) {
					continue
				}
				t.Run(fmt.Sprintf("%d/%s", all[i].number, strings.ReplaceAll(v.with, " ", "")), func(t *testing.T) {
					t.Parallel()
					got := v.observe(t)
					observed[i][j] = number3(got)
					assert.Truef(t, v.expected.has(got),
						"%s: %s %s: observed %v; expected %v (%s)", all[i].says, all[i].varies, v.with, got, v.expected, all[i].expects)
				})
			}
		}
	})
	played := make(map[int][2]string)
	for i := range all {
		if want(&all[i]) {
			played[all[i].number] = observed[i]
		}
	}
	return played
}

// Some rows are played in every test run, and the page says what was observed.
func TestQuickRows(t *testing.T) {
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	all := rows()
	observed := playRows(t, func(r *row) bool { return r.quick })
	assert.GreaterOrEqual(t, len(observed), 10, "rows that are played in every test run")
	for number, both := range observed {
		assert.Contains(t, string(text), line(&all[number-1], both))
	}
}
