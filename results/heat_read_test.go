package results_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/results"
)

// A map whose cells do not fit its columns is no map: whoever draws it goes by them.
func TestBrokenHeatIsCorrupt(t *testing.T) {
	for _, row := range []struct {
		name, heat string
		fits       bool
	}{
		{"none", `null`, true},
		{"an empty one", `{"seconds_per_column":1,"columns":0,"rows":[]}`, true},
		{"cells for each column", `{"seconds_per_column":4,"columns":2,"rows":[{"key":"p","served_entities":[1,2]}],"rest":{"throttled":[0,3]}}`, true},
		{"too few cells", `{"seconds_per_column":4,"columns":2,"rows":[{"key":"p","served_entities":[1]}]}`, false},
		{"too many", `{"seconds_per_column":4,"columns":2,"rest":{"demanded_entities":[1,2,3]}}`, false},
		{"too many of those that are nowhere", `{"seconds_per_column":4,"columns":2,"nowhere":{"failed":[1,2,3]}}`, false},
		{"less than nothing", `{"seconds_per_column":4,"columns":2,"nowhere":{"throttled":[1,-2]}}`, false},
		{"columns of no time", `{"seconds_per_column":0,"columns":2}`, false},
		{"a negative number of columns", `{"seconds_per_column":1,"columns":-1}`, false},
		{"more columns than there are", `{"seconds_per_column":1,"columns":241}`, false},
	} {
		folder := new(results.Memory)
		require.NoError(t, folder.Replace(results.RunFile, []byte(`{"schema_version": 2,"heat":`+row.heat+`}`)))
		if _, err := results.Read(folder); (err == nil) != row.fits || err != nil && !errors.Is(err, results.ErrCorrupt) {
			t.Errorf("%s: Read = %v; want an error only where it does not fit, ErrCorrupt", row.name, err)
		}
	}
}

// Whatever stands for a heat map: it is refused, or every cell is there.
func FuzzHeat(f *testing.F) {
	f.Add([]byte(`{"seconds_per_column":4,"columns":2,"rows":[{"table":"t","key":"p","served_entities":[1,2]}],"rest":{"throttled":[0,3]},"partitions":3}`))
	f.Add([]byte(`{"seconds_per_column":0,"columns":-1,"rows":[{"failed":[]}]}`))
	f.Fuzz(func(t *testing.T, heat []byte) {
		folder := new(results.Memory)
		if err := folder.Replace(results.RunFile, append(append([]byte(`{"schema_version": 2,"heat":`), heat...), '}')); err != nil {
			t.Fatal(err)
		}
		record, err := results.Read(folder)
		if err != nil || record.Heat == nil {
			return
		}
		for _, row := range record.Heat.Rows {
			for _, series := range [][]int64{row.Served, row.Throttled, row.Failed, row.Demanded} {
				assert.Truef(t, series == nil || len(series) == record.Heat.Columns,
					"%d cells of %d columns were taken", len(series), record.Heat.Columns)
			}
		}
	})
}
