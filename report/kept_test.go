package report_test

import (
	"bytes"
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report"
	layout "loadgen/report/text"
	"loadgen/results"
)

// written is what a form makes of a run.
func written(t *testing.T, form report.Form, k *report.Kept) string {
	t.Helper()
	var text bytes.Buffer
	require.NoError(t, form.Write(&text, k), form.Name)
	return text.String()
}

// Every form tells of a run what it is for, and the text what was told at its end.
func TestForms(t *testing.T) {
	record, folder := keptRun(t)
	k := reread(t, folder)
	all := report.Forms()
	for i, row := range []struct{ form, begins, holds string }{
		{"text", "loadgen stress", "DOES NOT HOLD"}, {"html", "<!", "Verdict"}, {"md", "# ", "\n## Verdict\n"}, {"json", "{\n", `"verdict": "`},
		{"csv", "section,table,row,column,value,unit\n", "\nseconds,rate,0,due,"}, {"seconds", "second,time,phase,", "\n0,"}, {"benchfmt", "", "Benchmark"},
		{"hlog", "#", "Tag="}, {"junit", "<?xml", "<testcase"},
	} {
		require.Truef(t, i < len(all) && all[i].Name == row.form, "the forms are %+v; want %s at %d", all, row.form, i)
		if text := written(t, all[i], k); !strings.HasPrefix(text, row.begins) || !strings.Contains(text, row.holds) {
			t.Errorf("%s begins with %.60q; want %q and %q in it", row.form, text, row.begins, row.holds)
		}
	}
	var told bytes.Buffer
	require.NoError(t, report.Screen(&told, report.Document(record, record.Summary), layout.Look{}))
	assert.Equal(t, told.String(), written(t, all[0], k), "the text of a kept run, and what was told at its end")
}

// Of a record that is cut off every form has what there is, and those of words say so.
func TestFormsOfACutRecord(t *testing.T) {
	_, folder := keptRun(t)
	text := folder.Bytes(results.RunFile)
	require.NoError(t, folder.Replace(results.RunFile, text[:len(text)/2]))
	const says = "run.json is cut off after"
	k := reread(t, folder)
	for _, form := range report.Forms() {
		assert.Equalf(t, form.Words, strings.Contains(written(t, form, k), says),
			"%s says that the record is cut off: %v", form.Name, !form.Words)
	}
}

// A run that nobody has judged is, and its record stays as it is read. Of a peak that an earlier
// build judged, and of one whose summary lacks its check, there is the answer.
func TestReadJudges(t *testing.T) {
	folder := new(results.Memory)
	steps(2, 100).Into(t, folder)
	if k := reread(t, folder); k.Summary == nil || k.Summary.Verdict == "" || k.Record.Summary != nil {
		t.Errorf("a run that was not judged is read as %+v", k)
	}
	_, err := report.Read(new(results.Memory))
	assert.ErrorIs(t, err, fs.ErrNotExist, "Read of no run")
	passed := results.Check{Expr: "a", Ok: new(true)}
	for state, change := range map[string]func(*results.Summary){
		results.DoesNotHold: func(s *results.Summary) {
			s.PeakState, s.State, s.Checks = "", results.Holds, []results.Check{passed, passed, passed}
		},
		results.Holds: func(s *results.Summary) { s.PeakState, s.Checks = results.Holds, nil },
	} {
		_, folder := keptPeak(t, 400, change)
		assert.Equal(t, state, reread(t, folder).Document.Answer.State, "the answer of an earlier build's peak")
	}
}
