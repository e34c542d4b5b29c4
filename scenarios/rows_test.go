package scenarios_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/scenarios"
)

const (
	fileOfRows = "year,division,bib,finished\n2001,M,1,10\n2001,W,2,11\n2002,W,1,11.5\n2002,M,3,12\n2002,M,4,12.5\n"
	traced     = "{arrivals: {trace: r.csv, time: finished}, operations: [{verb: insert}]}"
)

// A trace over the rows begins with the row behind those that were loaded, each
// operation at the time of the row that it is about, whatever design forms its key.
func TestTraceOverRows(t *testing.T) {
	for _, row := range []struct {
		sentence, trace string
		at              []time.Duration
	}{
		{"of the same file", traced, []time.Duration{0, time.Second / 2}},
		{"of the same file, spelled otherwise", strings.Replace(traced, "r.csv", "./r.csv", 1), []time.Duration{0, time.Second / 2}},
		{"of another file", strings.Replace(traced, "r.csv", "t.csv", 1), []time.Duration{0, 1e9, 1.5e9, 2e9, 2.5e9}},
	} {
		for _, design := range []string{"year", "bib"} {
			s := parsed(t, edited(t, "results.yaml", traced, row.trace))
			s.Choose(design)
			require.NoError(t, s.ReadFiles(opened(fileOfRows)))
			schedule, err := s.Phases[1].Traffic.Schedule(clock.NewStream(1, "arrivals"))
			require.NoError(t, err)
			var at []time.Duration
			for n := range schedule.Len() {
				at = append(at, schedule.At(n))
			}
			assert.Equalf(t, row.at, at, "%s, design %s: operations are due", row.sentence, design)
			g, err := s.Generator()
			require.NoError(t, err)
			key := g.Key(3)
			assert.Equal(t, map[string]string{"year": "20023", "bib": "32002"}[design], key.Partition+key.Row, "the fourth row's key")
		}
	}
}

// Files are read once, however many copies of a scenario ask for them.
func TestFilesAreReadOnce(t *testing.T) {
	written(t, map[string]string{"tables/r.csv": fileOfRows, "tables/results.yaml": edited(t, "results.yaml")})
	s, folder, err := scenarios.OpenWhole("tables/results.yaml")
	require.Truef(t, err == nil && folder == "tables", "OpenWhole: in %s, %v; want it in tables", folder, err)
	files := scenarios.FilesIn("tables")
	for i, design := range []string{"year", "bib"} {
		other, err := s.Under(design)
		require.NoError(t, err)
		assert.NoErrorf(t, files.Read(other), "design %d is read, from memory if need be", i)
		if err := os.Remove(filepath.Join("tables", "r.csv")); err != nil && i == 0 {
			t.Fatal(err)
		}
	}
	for sentence, want := range map[string]string{"a folder": "it is a folder", "nothing": "no such file or directory"} {
		if sentence == "a folder" {
			require.NoError(t, os.Mkdir(filepath.Join("tables", "r.csv"), 0o755))
		} else if err := os.Remove(filepath.Join("tables", "r.csv")); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		_, _, err := scenarios.OpenWhole("tables/results.yaml")
		if got, want := fmt.Sprint(err), "tables/results.yaml:2:14: the rows cannot be read: "+want+"; expected a file"; !strings.HasPrefix(got, want) {
			t.Errorf("%s in place of the rows: %s; want %s", sentence, got, want)
		}
	}
}

// A scenario that goes into another folder takes the paths of its rows along.
func TestMovedTakesRowsAlong(t *testing.T) {
	moved, err := parsed(t, edited(t, "results.yaml")).Moved(func(file string) string { return "../" + file })
	require.NoError(t, err)
	var opened []string
	_ = moved.ReadFiles(func(path string) (io.ReadCloser, error) {
		opened = append(opened, path)
		return io.NopCloser(strings.NewReader(fileOfRows)), nil
	})
	assert.Equalf(t, []string{"../r.csv", "../r.csv"}, opened, "the moved scenario reads %q", opened)
}
