package keystatistics_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"

	"loadgen/scenarios/advise/keystatistics"
)

func readKeys(t testing.TB, text string) (keystatistics.Reading, keystatistics.Report, error) {
	t.Helper()
	s := keystatistics.New(keystatistics.Options{})
	reading, err := keystatistics.ReadKeys(strings.NewReader(text), keystatistics.ReadOptions{File: "keys.csv"}, s)
	return reading, s.Report(), err
}

func TestReadKeys(t *testing.T) {
	for _, tt := range []struct {
		name, text, want string
		rows, inserts    int64
		untimed          int64
		ignored          []string
	}{
		{"one column", "PartitionKey\nb\na\nb\n", `"b" 2, "a" 1`, 3, 3, 0, nil},
		{"a header decides by name, in any order and spelling", "row_key,Partition Key\nr,p\n", `"p" 1`, 1, 1, 0, nil},
		{"times in RFC 3339", "PartitionKey,time\np,2026-01-02T15:04:05Z\np,2026-01-02T15:04:05.25+02:00\n", `"p" 2`, 2, 2, 0, nil},
		{"an insert without an instant", "PartitionKey,time\np,2026-01-02T15:04:05Z\np,\n", `"p" 2`, 2, 2, 1, nil},
		{"entities", "PartitionKey,entities\np,100\nq,0\np,1\n", `"p" 101, "q" 0`, 3, 3, 0, nil},
		{"operations", "PartitionKey,verb\np,get\np,Insert\np,InsertOrReplace\np,delete\np,upsert\n", `"p" 5`, 5, 3, 0, nil},
		{"other columns are not looked at, and told", "Name,PartitionKey,Country\nx,p,y\n", `"p" 1`, 1, 1, 0, []string{"Name", "Country"}},
	} {
		reading, report, err := readKeys(t, tt.text)
		assert.NoErrorf(t, err, "%s: ReadKeys(%q)", tt.name, tt.text)
		var got []string
		for _, share := range report.Top {
			got = append(got, fmt.Sprintf("%q %d", share.PartitionKey, share.Least))
		}
		assert.Equalf(t, tt.want, strings.Join(got, ", "), "%s: ReadKeys(%q)", tt.name, tt.text)
		if reading.Rows != tt.rows || report.Inserts != tt.inserts || report.Untimed != tt.untimed || !slices.Equal(reading.Ignored, tt.ignored) {
			t.Errorf("%s: %d rows, %d inserts, %d untimed, ignored %q; want %d, %d, %d, %q", tt.name, reading.Rows, report.Inserts,
				report.Untimed, reading.Ignored, tt.rows, tt.inserts, tt.untimed, tt.ignored)
		}
	}
}

// Of other faults cmd/loadgen has a script.
func TestErrorsOfReadKeys(t *testing.T) {
	_, _, err := readKeys(t, "PartitionKey,count\np,x\nq,1\np,y\n")
	if got := err.Error(); strings.Count(got, "\n") != 1 || !strings.Contains(got, "keys.csv:2:") || !strings.Contains(got, "keys.csv:4:") {
		t.Errorf("ReadKeys = %q; want the faults of lines 2 and 4", got)
	}
	_, _, err = readKeys(t, "PartitionKey,count\n"+strings.Repeat("p,x\n", 1000))
	assert.Equal(t, 3, strings.Count(err.Error(), "\n")+1, "ReadKeys of 1,000 faults reports")
	_, _, err = readKeys(t, "PartitionKey\n"+strings.Repeat("x", 70_000)+"\nb\n")
	assert.ErrorContains(t, err, "keys.csv:2: the row exceeds 64 KiB")
	assert.ErrorIs(t, err, keystatistics.ErrKeys)
	s := keystatistics.New(keystatistics.Options{})
	broken := errors.New("the disk is gone")
	from := io.MultiReader(strings.NewReader("PartitionKey\nb\n"), iotest.ErrReader(broken))
	_, err = keystatistics.ReadKeys(from, keystatistics.ReadOptions{File: "f"}, s)
	assert.Truef(t, errors.Is(err, broken) && !errors.Is(err, keystatistics.ErrKeys), "ReadKeys = %v; want the reader's error", err)
}

func TestProgressIsTold(t *testing.T) {
	s := keystatistics.New(keystatistics.Options{})
	var told []int64
	text := "PartitionKey\n" + strings.Repeat("a\n", 140_000)
	_, err := keystatistics.ReadKeys(strings.NewReader(text), keystatistics.ReadOptions{Progress: func(rows int64) { told = append(told, rows) }}, s)
	want := []int64{65_536, 131_072, 140_000}
	assert.Truef(t, err == nil && slices.Equal(told, want), "progress = %d, %v; want %d", told, err, want)
}

// TestReadingAllocatesOneTextForARow holds the whole file against a bound that
// another allocation in ten rows would break.
func TestReadingAllocatesOneTextForARow(t *testing.T) {
	const rows = 50_000
	for _, tt := range []struct {
		name string
		row  string
	}{
		{"plain", "user-%07d,,2026-01-02T15:04:05.25Z,1,insert\n"},
		{"in quotation marks", "\"user-%07d\",\"r\",\"1767366245.25\",\"3\",\"Get\"\n"},
		{"beyond ASCII", "Zürich-%07d,Ä,1767366245000,3,get\n"},
	} {
		var text bytes.Buffer
		text.WriteString("PartitionKey,RowKey,time,count,verb\n")
		for i := range rows {
			fmt.Fprintf(&text, tt.row, i)
		}
		// Few places and samples, so that what they keep at first does not count.
		s := keystatistics.New(keystatistics.Options{Exact: 10, Places: 100, Samples: 100})
		got := testing.AllocsPerRun(1, func() {
			if _, err := keystatistics.ReadKeys(bytes.NewReader(text.Bytes()), keystatistics.ReadOptions{}, s); err != nil {
				t.Fatal(err)
			}
		})
		assert.Truef(t, got <= rows+rows/10, "%s: %v allocations in %d rows; want one a row", tt.name, got, rows)
	}
}

// FuzzReadKeys reads whatever there is: it ends, and each fault has its place.
func FuzzReadKeys(f *testing.F) {
	for _, seed := range []string{"a\nb\n", "PartitionKey;count\na;1\n", "\"PartitionKey\",verb\n\"a\\\"b\",get\n", "\"a", "PartitionKey,time\np,1h\nq,1\n", "\uFEFFa\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if _, _, err := readKeys(t, text); err != nil && (!errors.Is(err, keystatistics.ErrKeys) || !strings.HasPrefix(err.Error(), "keys.csv:")) {
			t.Fatalf("ReadKeys(%q) = %v; want faults of the file", text, err)
		}
	})
}
