package report_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report"
	"loadgen/report/chart"
	"loadgen/report/document"
	"loadgen/report/verdict"
	"loadgen/results"
)

// keptRun is a short run as it is kept: judged, in a folder.
func keptRun(t *testing.T) (*results.Record, *results.Memory) {
	t.Helper()
	return keptPeak(t, 0, func(*results.Summary) {})
}

// keptPeak is keptRun with a peak that was asked about, and another summary.
func keptPeak(t *testing.T, peak float64, change func(*results.Summary)) (*results.Record, *results.Memory) {
	t.Helper()
	r := steps(3, 100, 400)
	r.Manifest.PeakAsked = peak
	folder := new(results.Memory)
	recorder := r.Into(t, folder)
	record, err := results.Read(folder)
	require.NoError(t, err)
	record.Summary = verdict.Judge(record)
	record.Validity, record.Reasons = record.Summary.Validity, record.Summary.Reasons
	change(record.Summary)
	require.NoError(t, recorder.Seal(record.Summary))
	return record, folder
}

// reread is a run as it is read again from its folder.
func reread(t *testing.T, folder results.Folder) *report.Kept {
	t.Helper()
	k, err := report.Read(folder)
	require.NoError(t, err)
	return k
}

// Every chart that the document of a run names is on its page, by the axis that is asked
// for.
func TestPageHasEveryChart(t *testing.T) {
	_, folder := keptRun(t)
	k := reread(t, folder)
	var page, even bytes.Buffer
	require.NoError(t, report.Page(&page, k))
	charts := 0
	for _, section := range k.Document.Sections {
		for _, block := range section.Blocks {
			if _, drawn := block.(document.Chart); drawn {
				charts++
			}
		}
	}
	assert.GreaterOrEqual(t, charts, 3, "charts")
	assert.GreaterOrEqual(t, strings.Count(page.String(), "<svg"), charts, "graphics of the page")
	assert.LessOrEqual(t, page.Len(), 1_500_000, "bytes of the page")
	if k.Axis = chart.Linear; report.Page(&even, k) != nil || bytes.Equal(even.Bytes(), page.Bytes()) {
		t.Error("the page is the same by another axis")
	}
}

// A run is illustrated by its charts and its page, which are those that are made of its
// record later.
func TestIllustrate(t *testing.T) {
	record, memory := keptRun(t)
	folder := results.Dir(t.TempDir())
	require.NoError(t, report.Illustrate(folder, record))
	entries, err := os.ReadDir(string(folder))
	require.Truef(t, err == nil && len(entries) >= 8, "the folder holds %v, %v; want charts and a page", entries, err)
	for _, entry := range entries {
		assert.Contains(t, report.Illustrations(), entry.Name())
	}
	var page bytes.Buffer
	require.NoError(t, report.Page(&page, reread(t, memory)))
	beside, err := os.ReadFile(string(folder) + "/report.html")
	assert.Truef(t, bytes.Equal(beside, page.Bytes()), "the page beside the run is another than that of its record, %v", err)
	full := results.Dir(string(folder) + "/nowhere")
	err = report.Illustrate(full, record)
	assert.Truef(t, err != nil && strings.HasPrefix(err.Error(), "drawing the charts: ") && strings.Contains(err.Error(), "\nwriting the page: "),
		"in no folder, Illustrate = %v; want both to be told", err)
}
