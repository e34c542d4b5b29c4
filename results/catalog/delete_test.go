package catalog_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/results"
	"loadgen/results/catalog"
)

// pruning is by an instant after all runs of the tests.
func pruning() catalog.Pruning {
	return catalog.Pruning{Now: time.Date(2026, 4, 1, 2, 0, 0, 0, time.UTC), OlderThan: 24 * time.Hour, Own: []string{"latency.png", "latency.svg", "report.html"}}
}

// prune carries out what is to go of a folder, and says what came of it.
func prune(t *testing.T, folder string, by catalog.Pruning) string {
	t.Helper()
	plan, err := open(t, folder).Plan(by)
	require.NoError(t, err)
	done, err := plan.Delete(context.Background())
	require.NoError(t, err)
	return fmt.Sprintf("%d gone, left %v; %s", done.Runs, done.Left, plan.Stay())
}

// Of whatever there is in the folder, what goes is what was planned, and of that what the
// tool wrote.
func TestDelete(t *testing.T) {
	folder := library(t).Folder
	outside := t.TempDir()
	in := func(parts ...string) string { return filepath.Join(append([]string{folder}, parts...)...) }
	// A run that is elsewhere, to which links lead; one within another's folder; and what
	// people put beside records.
	put(t, "mine", outside, "notes.txt")
	elsewhere := kept{1, "orders", nil}.write(t, outside)
	for link, to := range map[string]string{"linked": elsewhere, "20260301T020000Z-orders/latency.png": filepath.Join(outside, "notes.txt")} {
		require.NoError(t, os.Symlink(to, in(filepath.FromSlash(link))))
	}
	kept{1, "orders", nil}.write(t, in("20260303T020000Z-votes"))
	put(t, "mine", in("20260303T020000Z-votes", "notes.png"))
	put(t, strings.Repeat("x", 1<<20), in("20260306T020000Z-orders", "latency.svg"))
	put(t, "cut short", in("20260306T020000Z-orders", ".run.json-123"))
	put(t, "<html>", in("20260306T020000Z-orders", "report.html"))
	put(t, "spoilt", in("20260308T020000Z-orders", catalog.TagsFile))
	by := pruning()
	written := func(ago time.Duration, names ...string) {
		t.Helper()
		for _, name := range names {
			require.NoError(t, os.Chtimes(name, by.Now.Add(-ago), by.Now.Add(-ago)))
		}
	}
	// Only that of 3 March is being written.
	for _, path := range below(t, folder) {
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
			written(time.Hour, path)
		}
	}
	record := []string{in("20260303T020000Z-votes", results.RunFile), in("20260303T020000Z-votes", results.IntervalsFile), in("20260303T020000Z-votes", results.EventsFile)}
	written(time.Minute, record...)
	before := below(t, ".")

	orders := by
	orders.Scenario = "orders"
	plan, err := open(t, folder).Plan(orders)
	require.Truef(t, err == nil && len(plan.Goes) == 2, "%+v go, %v; want two runs", plan, err)
	size := plan.Size(plan.Goes[0])
	assert.Truef(t, size >= 1<<20+6+9 && size <= 1<<20+8<<10, "what goes of the first has %d bytes", size)
	if after := below(t, "."); !slices.Equal(after, before) {
		t.Errorf("after the plan %v is left; want all of %v", after, before)
	}
	const beside = "1 of contests, 1 other folder, 2 links"
	if got, want := prune(t, folder, orders), "2 gone, left [{20260301T020000Z-orders [latency.png]}]; 2 with tags, 1 being written, 1 that cannot be read, "+beside; got != want {
		t.Errorf("%s; want %s", got, want)
	}
	var gone []string
	after := below(t, ".")
	for _, path := range before {
		if !slices.Contains(after, path) {
			gone = append(gone, strings.TrimPrefix(path, "runs/"))
		}
	}
	if want := []string{"20260301T020000Z-orders/events.ndjson", "20260301T020000Z-orders/intervals.ndjson", "20260301T020000Z-orders/run.json",
		"20260306T020000Z-orders", "20260306T020000Z-orders/.run.json-123", "20260306T020000Z-orders/events.ndjson", "20260306T020000Z-orders/intervals.ndjson",
		"20260306T020000Z-orders/latency.svg", "20260306T020000Z-orders/report.html", "20260306T020000Z-orders/run.json"}; !slices.Equal(gone, want) {
		t.Errorf("gone are %v; want %v", gone, want)
	}

	written(time.Hour, record[0])
	if got := prune(t, folder, by); !strings.HasPrefix(got, "0 gone, left []; 2 with tags, 1 being written, ") {
		t.Errorf("of a run whose seconds are being written: %s", got)
	}
	written(time.Hour, record...)
	if got := prune(t, folder, by); !strings.HasPrefix(got, "1 gone, left [{20260303T020000Z-votes [20260302T020000Z-orders notes.png]}]; ") {
		t.Errorf("of a folder that holds another's: %s", got)
	}
	for _, path := range []string{filepath.Join(outside, "notes.txt"), filepath.Join(elsewhere, results.RunFile), in("20260303T020000Z-votes", "notes.png"),
		in("20260303T020000Z-votes", "20260302T020000Z-orders", results.RunFile), in("20260302T020000Z-broken", results.RunFile),
		in("20260304T020000Z-contest", "contest.json"), in("nothing", "notes.txt"), in("loose.txt"), in("linked")} {
		_, err := os.Lstat(path)
		assert.NoErrorf(t, err, "%s is gone", path)
	}
	if left, err := catalog.Names(folder); err != nil || !slices.Equal(left, []string{"20260302T020000Z-broken", "20260304T020000Z-contest", "20260308T020000Z-orders", "20260310T020000Z-an-escape--31m", "a-link", "linked"}) {
		t.Errorf("left are the runs %v, %v", left, err)
	}
}

// A tag that comes between the plan and the deed is heeded, and a folder that has become
// a link is not followed.
func TestDeleteHeedsWhatHappensMeanwhile(t *testing.T) {
	folder, runs := runIndex(t)
	by := pruning()
	by.Now = by.Now.AddDate(50, 0, 0)
	plan, err := open(t, folder).Plan(by)
	require.Truef(t, err == nil && len(plan.Goes) == 3, "%+v go, %v; want all three", plan, err)
	if _, err := catalog.ChangeTags(filepath.Join(folder, runs[0]), []string{"keep"}, false); err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(t.TempDir(), "moved")
	if err := errors.Join(os.Rename(filepath.Join(folder, runs[1]), outside), os.Symlink(outside, filepath.Join(folder, runs[1]))); err != nil {
		t.Fatal(err)
	}
	done, err := plan.Delete(context.Background())
	assert.Truef(t, err != nil && err.Error() == "the run "+runs[1]+" could not be deleted whole: it is no folder any more" && done.Runs == 1 && done.Bytes != 0 && strings.HasPrefix(plan.Stay(), "1 with tags"),
		"Delete = %+v, %v, %s stay; want one deleted, one tagged, and a fault for the link", done, err, plan.Stay())
	holds := func(folder string) bool {
		_, err := os.Stat(filepath.Join(folder, results.RunFile))
		return err == nil
	}
	assert.True(t, holds(outside) && holds(filepath.Join(folder, runs[0])) && !holds(filepath.Join(folder, runs[2])),
		"gone is not what should be")
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	done, err = plan.Delete(cancelled)
	assert.Truef(t, errors.Is(err, context.Canceled) && done.Runs == 0, "interrupted, Delete = %+v, %v", done, err)
	require.NoError(t, os.Rename(folder, folder+"-moved"))
	var fault *catalog.Fault
	done, err = plan.Delete(context.Background())
	assert.Truef(t, errors.As(err, &fault) && done == nil, "of a folder that is gone, Delete = %+v, %v", done, err)
}
