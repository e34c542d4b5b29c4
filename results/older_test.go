package results_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"

	"loadgen/results"
)

// without returns a JSON value without the members of those names, at any depth.
func without(value any, names map[string]bool) any {
	switch v := value.(type) {
	case map[string]any:
		for name, one := range v {
			if names[name] {
				delete(v, name)
			} else {
				v[name] = without(one, names)
			}
		}
	case []any:
		for i := range v {
			v[i] = without(v[i], names)
		}
	}
	return value
}

// stripped copies a file of a record, line by line or whole, without those members.
func stripped(t *testing.T, from, to *results.Memory, name string, names map[string]bool) {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(from.Bytes(name)))
	decoder.UseNumber()
	var out bytes.Buffer
	for {
		var value any
		if err := decoder.Decode(&value); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if err := json.NewEncoder(&out).Encode(without(value, names)); err != nil {
			t.Fatal(err)
		}
	}
	if err := to.Replace(name, out.Bytes()); err != nil {
		t.Fatal(err)
	}
}

// A map whose cells do not fit its columns is no map: whoever draws it goes by them.
func TestBrokenHeatIsCorrupt(t *testing.T) {
	for _, row := range []struct {
		name, heat string
		fits       bool
	}{
		{"none", `null`, true},
		{"an empty one", `{"seconds_per_column":1,"columns":0,"rows":[]}`, true},
		{"cells for each column", `{"seconds_per_column":4,"columns":2,"rows":[{"key":"p","served_entities":[1,2]}],"rest":{"refused":[0,3]}}`, true},
		{"too few cells", `{"seconds_per_column":4,"columns":2,"rows":[{"key":"p","served_entities":[1]}]}`, false},
		{"too many", `{"seconds_per_column":4,"columns":2,"rest":{"demanded_entities":[1,2,3]}}`, false},
		{"too many of those that are nowhere", `{"seconds_per_column":4,"columns":2,"nowhere":{"failed":[1,2,3]}}`, false},
		{"less than nothing", `{"seconds_per_column":4,"columns":2,"nowhere":{"refused":[1,-2]}}`, false},
		{"columns of no time", `{"seconds_per_column":0,"columns":2}`, false},
		{"a negative number of columns", `{"seconds_per_column":1,"columns":-1}`, false},
		{"more columns than there are", `{"seconds_per_column":1,"columns":241}`, false},
	} {
		folder := new(results.Memory)
		if err := folder.Replace(results.RunFile, []byte(`{"schema_version":1,"heat":`+row.heat+`}`)); err != nil {
			t.Fatal(err)
		}
		if _, err := results.Read(folder); (err == nil) != row.fits || err != nil && !errors.Is(err, results.ErrCorrupt) {
			t.Errorf("%s: Read = %v; want an error only where it does not fit, ErrCorrupt", row.name, err)
		}
	}
}

// Whatever stands for a heat map: it is refused, or every cell is there.
func FuzzHeat(f *testing.F) {
	f.Add([]byte(`{"seconds_per_column":4,"columns":2,"rows":[{"table":"t","key":"p","served_entities":[1,2]}],"rest":{"refused":[0,3]},"partitions":3}`))
	f.Add([]byte(`{"seconds_per_column":0,"columns":-1,"rows":[{"failed":[]}]}`))
	f.Fuzz(func(t *testing.T, heat []byte) {
		folder := new(results.Memory)
		if err := folder.Replace(results.RunFile, append(append([]byte(`{"schema_version":1,"heat":`), heat...), '}')); err != nil {
			t.Fatal(err)
		}
		record, err := results.Read(folder)
		if err != nil || record.Heat == nil {
			return
		}
		for _, row := range record.Heat.Rows {
			for _, series := range [][]int64{row.Served, row.Refused, row.Failed, row.Demanded} {
				if series != nil && len(series) != record.Heat.Columns {
					t.Errorf("%d cells of %d columns were taken", len(series), record.Heat.Columns)
				}
			}
		}
	})
}

// A record of a tool that did not know them lacks the heat map, the shares, the bytes and
// what seconds tell of refusals, lag and attempts under way: it is read, with all else
// that it has.
func TestOlderRecordsAreReadWithoutWhatTheyLack(t *testing.T) {
	_, record, folder := recorded(t, 1)
	old := new(results.Memory)
	newer := map[string]bool{"heat": true, "shares": true, "bytes_out": true, "bytes_in": true, "stored_bytes": true, "table": true,
		"refusals": true, "in_flight": true, "lag_us": true}
	for _, name := range []string{results.RunFile, results.IntervalsFile, results.EventsFile} {
		stripped(t, folder, old, name, newer)
	}
	got := read(t, old)
	if got.Heat != nil || record.Heat == nil {
		t.Errorf("heat of the older record %v, of the newer %v; want none, and one", got.Heat, record.Heat)
	}
	record.Heat = nil
	for p := range record.Phases {
		record.Phases[p].Shares = nil
		for k := range record.Phases[p].Kinds {
			kind := &record.Phases[p].Kinds[k]
			kind.BytesOut, kind.BytesIn, kind.Stored = 0, 0, 0
		}
		for _, list := range [][]results.PartitionStats{record.Phases[p].Partitions, record.Phases[p].Offered} {
			for i := range list {
				list[i].Table = ""
			}
		}
	}
	for i := range record.Intervals {
		second := &record.Intervals[i]
		second.Refusals, second.InFlight, second.Lag = nil, 0, results.Quantiles{}
	}
	want, err := json.Marshal(record)
	if err != nil {
		t.Fatal(err)
	}
	have, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, have) || !cmp.Equal(record.Intervals, got.Intervals) {
		t.Errorf("an older record is read as something else than the newer one without what is new")
	}
}
