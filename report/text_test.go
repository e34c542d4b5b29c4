package report_test

import (
	"bytes"
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report"
	"loadgen/report/document"
	layout "loadgen/report/text"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/results/resultstest"
)

// text renders the whole of a record's report, and checks that and its first screen for what
// must be true of each.
func text(t testing.TB, record *results.Record) string {
	t.Helper()
	d := documentOf(record)
	checkScreens(t, d, layout.Look{Columns: 20}, layout.Look{Columns: 80})
	return laidOut(t, d, layout.Look{Verbose: true})
}

// hostile is a name that would do harm on a terminal.
const hostile = "a\x1b[2J\x1b]0;owned\x07\r\n\u202eb\u009b31m\xff'"

// checkScreens checks first screens of a document for what must be true of each.
func checkScreens(t testing.TB, d *document.Document, looks ...layout.Look) {
	t.Helper()
	for _, look := range looks {
		screen := laidOut(t, d, look)
		if lines := strings.Count(screen, "\n"); lines > mostLines {
			t.Errorf("the first screen of %d columns has %d lines; want at most %d:\n%s", look.Columns, lines, mostLines, screen)
		}
	}
}

// mostLines is how long a first screen may be.
const mostLines = 30

// escape is what sets a colour, and what ends one.
var escape = regexp.MustCompile("\x1b\\[[0-9;]*m")

// laidOut renders a document, and holds the text to its width and to printable lines.
func laidOut(t testing.TB, d *document.Document, look layout.Look) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, report.Screen(&out, d, look), "Screen")
	most := map[int]int{0: 110, 20: 60, 1000: 120}[look.Columns]
	if most == 0 {
		most = look.Columns
	}
	bare := out.String()
	if look.Colour {
		bare = escape.ReplaceAllString(bare, "")
	}
	repeating := false
	for i, line := range strings.Split(bare, "\n") {
		columns := 0
		for _, c := range line {
			if columns++; unicode.In(c, unicode.Han, unicode.Hiragana) {
				columns++
			}
			assert.Truef(t, unicode.IsPrint(c) && (!look.ASCII || c < utf8.RuneSelf),
				"line %d holds %U: %q", i+1, c, line)
		}
		repeating = repeating || line == "Repeat this run"
		// An argument that is too long for a line stands on its own.
		assert.Truef(t, columns <= most || (repeating && strings.HasPrefix(line, "      ")),
			"line %d is %d columns wide; want at most %d: %q", i+1, columns, most, line)
		assert.Truef(t, strings.TrimRight(line, " ") == line, "line %d ends in spaces: %q", i+1, line)
	}
	assert.True(t, utf8.Valid(out.Bytes()) && strings.HasSuffix(bare, "\n") && !strings.HasSuffix(bare, "\n\n"),
		"the text is not UTF-8 that ends with one line's end")
	return out.String()
}

func TestReportsAsTheyAreRendered(t *testing.T) {
	for _, row := range []struct {
		golden string
		run    *resultstest.Run
		change func(*results.Record)
	}{
		{"stress", stress(), nil},
		{"unsettled", cut(steps(4, 100, 100, 400), 10500*time.Millisecond), nil},
		{"empty", new(resultstest.Run), func(r *results.Record) {
			*r = results.Record{Validity: results.Partial, Reasons: []string{"the run did not end"}}
		}},
		{"embedded", embeddedRun(), withConnections},
		{"workflows", stress(), withWorkflows},
		{"remote", remote(false), withConnections},
		{"hostile", stress(), func(r *results.Record) {
			m := &r.Manifest
			m.Scenario.Name, m.Target, m.Retry, m.PartitionKey = hostile, hostile, hostile, hostile+strings.Repeat("世", 70)
			m.Command = []string{"loadgen", hostile, "it's", "", "two words", "$(reboot)", strings.Repeat("x y ", 40)}
			m.Operations[1] = results.Kind{Name: hostile, Group: hostile}
			m.Model[0] = results.Parameter{Name: hostile, Value: hostile, Unit: hostile, Provenance: "assumption", About: hostile}
			r.Reasons = []string{hostile}
			r.Phases[1].Partitions[0].Key = hostile
		}},
	} {
		record := row.run.Record(t)
		if row.change != nil {
			row.change(record)
		}
		resultstest.CheckGolden(t, "testdata/"+row.golden+".golden", text(t, record))
	}
	for _, name := range []string{"invalid", "emulator", "partial", "peak_holds"} {
		whole := laidOut(t, situations(t)[name].Document, layout.Look{Verbose: true})
		resultstest.CheckGolden(t, "testdata/"+name+".golden", whole)
	}
}

func TestWidestFiguresFitThePage(t *testing.T) {
	hour := results.NewHistogram()
	for range 2000 {
		hour.Record(24 * time.Hour)
	}
	stats := results.KindStats{Counts: results.Counts{Scheduled: 1, Attempts: 999_999_999_999, Operations: 1, Ok: 1, Throttled: 999_999_999_998},
		LastHalf: results.Cohort{Counts: results.Counts{Offered: 999_999_400_000, Served: 100_000}}, Response: hour}
	stats.Service[results.Ok] = hour
	record := &results.Record{Validity: results.Valid, Duration: 2e9, Manifest: results.Manifest{
		PartitionKey: "full", Targets: results.Targets{Partition: 1}, Operations: []results.Kind{{Name: "get", Group: "GET"}}},
		Phases: []results.Phase{{Name: "x", End: 2e9, Rate: 999_999.4, Reported: true, Kinds: []results.KindStats{stats}}}}
	out := text(t, record)
	for _, want := range []string{"> 1 h", ">999", "999,999"} {
		assert.Containsf(t, out, want, "the text holds no %q:\n%s", want, out)
	}
}

// No record that can be read makes the judgement or the report panic, and the report holds
// nothing but printable lines.
func FuzzText(f *testing.F) {
	folder := new(results.Memory)
	small := &resultstest.Run{Manifest: manifest(), Phases: resultstest.Steps(0, 2*time.Second, 0, 20), Reasons: []string{hostile}}
	small.Into(f, folder)
	f.Add(folder.Bytes(results.RunFile), folder.Bytes(results.IntervalsFile))
	f.Add([]byte(`{"schema_version": 2,"manifest":{"command":["a","\u001b"],"operations":[{"name":"a","group":"\n"}]},`+
		`"duration_ns":-5,"phases":[{"begin_ns":-9223372036854775808,"end_ns":9223372036854775807,"rate":1e308,`+
		`"reported":true,"kinds":[{"attempts":1,"throttled":1,"last_half":{"offered_entities":1}}]}]}`), []byte(nil))
	f.Add([]byte(`{"schema_version": 2,"manifest":{"target":"embedded"},"capture":{"requests":-1,"partitions":[{"requests":1,`+
		`"throttled":1,"entities_counted":-9,"table":"\u001b","saturation_entities_per_second":-1,"saturation_interval":[1]}],`+
		`"query_shapes":[{"shape":"\u0000","entities_scanned":9,"entities_returned":-1,"density":1e308}],"answers":[{"status":-1}],`+
		`"key_orders":[{"table":"\u202e","partition_keys":{"keys":20,"ascending":99}}]}}`), []byte(nil))
	f.Fuzz(func(t *testing.T, run, intervals []byte) {
		folder := new(results.Memory)
		if err := errors.Join(folder.Replace(results.RunFile, run), folder.Replace(results.IntervalsFile, intervals)); err != nil {
			t.Fatal(err)
		}
		record, err := results.Read(folder)
		if err != nil {
			return
		}
		assert.NotContains(t, text(t, record), "(not complete", "a rule failed")
		assert.NoError(t, report.JSON(new(bytes.Buffer), verdict.Judge(record)), "JSON")
	})
}
