package serve_test

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/entity"
	"loadgen/engine/rest/serve"
)

// everyType is a property of each type, with values that are easily got wrong.
func everyType() []entity.Property {
	return []entity.Property{
		{Name: "Text", Value: entity.String("a \"b\",\r\nż 😀")}, {Name: "Formula", Value: entity.String("=1+1")}, {Name: "Empty", Value: entity.String("")},
		{Name: "Bytes", Value: entity.Binary([]byte{0, 10, 255})}, {Name: "Truth", Value: entity.Boolean(false)},
		{Name: "When", Value: entity.DateTime(entity.LatestDateTime)}, {Name: "None", Value: entity.Double(math.NaN())},
		{Name: "Number", Value: entity.Double(5)}, {Name: "Id", Value: entity.GUID([16]byte{1, 15: 255})},
		{Name: "Small", Value: entity.Int32(math.MinInt32)}, {Name: "Large", Value: entity.Int64(math.MaxInt64)},
		{Name: "Table", Value: entity.String("Other")},
	}
}

// saved reads an archive, which has nothing twice.
func saved(t *testing.T, name string) []serve.ArchiveRecord {
	t.Helper()
	text := must(os.ReadFile(name))(t)
	format, _ := serve.ArchiveFormatOf(name)
	all, err := readAll(format, string(text))
	require.NoError(t, err, name)
	slices.SortFunc(all, func(a, b serve.ArchiveRecord) int {
		order := cmp.Or(strings.Compare(a.Table, b.Table), a.Key.Compare(b.Key))
		assert.Truef(t, order != 0, "%s holds %s %v twice", name, a.Table, a.Key)
		return order
	})
	return all
}

func TestImportAndExport(t *testing.T) {
	t.Chdir(t.TempDir())
	var sheet strings.Builder
	sheet.WriteString("Table,PartitionKey,RowKey,Fee@Edm.Int32\n")
	// More of one partition than a second's allowance.
	const many = 2500
	for i := range many {
		fmt.Fprintf(&sheet, "Races,2011,%04d,%d\n", i, i)
	}
	put(t, map[string]string{"races.csv": sheet.String(), "all.csv": "precious",
		"empty.ndjson": `{"Table":"Clubs"}` + "\n" + `{"Table":"clubs","PartitionKey":"","RowKey":""}` + "\n" + `{"Table":"Years"}`})
	s := open(t, serve.Options{Input: strings.NewReader(`{"Table":"Races","PartitionKey":"2012","RowKey":"gone"}` + "\n"),
		Imports: []string{"races.csv", "empty.ndjson", "-"}, Export: "all.csv"})
	got := s.state()
	assert.Equal(t, []serve.Table{{Name: "Clubs", Entities: 1}, {Name: "Races", Entities: many + 1}, {Name: "Years"}}, got.Tables)
	assert.Truef(t, got.Requests.Total == 0 && got.EntitiesCounted == 0, "the state after importing = %+v; want nothing served", got)
	fee, _ := s.Must(entity.Get, "Races", "2011", "2499").Entity.Lookup("Fee")
	assert.Truef(t, fee.Equal(entity.Int32(2499)), "Fee of what was imported = %v; want 2499", fee)
	s.Must(entity.Delete, "Races", "2012", "gone")
	s.Must(entity.Insert, "Clubs", "o'hara", "ż \"x\", 😀", everyType()...)
	assert.Equal(t, "precious", string(must(os.ReadFile("all.csv"))(t)), "the export of before, while it serves")
	s.stop()
	s.wantJournal("all.csv", "spreadsheet")
	first := saved(t, "all.csv")
	require.Len(t, first, many+3, "the export holds")
	ohara := one("o'hara", "ż \"x\", 😀", everyType()...)
	ohara.Table = "Clubs"
	wantSame(t, "the clubs", first[1:2], []serve.ArchiveRecord{ohara})
	wantSame(t, "the table that is empty", first[many+2:], []serve.ArchiveRecord{{Table: "Years"}})

	// Once more, by way of the other format, and with nobody served.
	s = open(t, serve.Options{Imports: []string{"all.csv"}, Export: "again.jsonl"})
	s.stop()
	wantSame(t, "the second export", saved(t, "again.jsonl"), first)
	assert.Len(t, leftIn(t, "."), 4, "the folder holds")
}

func TestExportThroughALink(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, map[string]string{"real.csv": ""})
	if err := os.Symlink("real.csv", "link.csv"); err != nil {
		t.Skip(err)
	}
	s := open(t, serve.Options{Input: strings.NewReader(`{"Table":"Races"}`), Imports: []string{"-"}, Export: "link.csv"})
	s.stop()
	assert.False(t, must(os.Lstat("link.csv"))(t).Mode().IsRegular(), "link.csv is a file")
	assert.Contains(t, string(must(os.ReadFile("real.csv"))(t)), "Races")
}

func TestArchivesWithFaults(t *testing.T) {
	t.Chdir(t.TempDir())
	good := `{"Table":"Races","PartitionKey":"p","RowKey":"1"}` + "\n"
	put(t, map[string]string{"good.jsonl": good, "bad.jsonl": strings.Replace(good, "1", "2", 1) + "nonsense\n", "bad.csv": "a,b\n"})
	require.NoError(t, os.Mkdir("folder.csv", 0o700))
	for _, row := range []struct {
		sentence string
		options  serve.Options
		says     string
	}{
		{"an import that is not there", serve.Options{Imports: []string{"none.csv"}}, "import none.csv: "},
		{"an import without a header", serve.Options{Imports: []string{"bad.csv"}}, "import bad.csv: archive: line 1: "},
		{"an import with a fault", serve.Options{Imports: []string{"good.jsonl", "bad.jsonl"}}, "import bad.jsonl: archive: line 2: "},
		{"an import of the same twice", serve.Options{Imports: []string{"good.jsonl", "good.jsonl"}}, "import good.jsonl: line 1: "},
		{"an export that is a folder", serve.Options{Export: "folder.csv"}, "export folder.csv: "},
		{"an export in a folder that is not there", serve.Options{Export: "nowhere/all.csv"}, "export: open nowhere"},
		{"an export below a file", serve.Options{Export: "bad.csv/all.csv"}, "export: "},
	} {
		wantFault(t, row.sentence, row.options, "", row.says)
		assert.Lenf(t, leftIn(t, "."), 4, "%s: left behind", row.sentence)
	}
}

// Whoever gives up what is not begun, or is called away while tables are filled,
// leaves nothing behind.
func TestNothingIsLeftOfWhatWasNotServed(t *testing.T) {
	t.Chdir(t.TempDir())
	s, err := serve.Open(t.Context(), serve.Options{Listen: "127.0.0.1:0", Export: "all.csv"})
	require.NoError(t, err)
	assert.Len(t, leftIn(t, "."), 1, "an archive that is not whole")
	assert.NoError(t, s.Close())
	assert.Empty(t, leftIn(t, "."), "left behind")

	ctx, cancel := context.WithCancel(t.Context())
	from, to := io.Pipe()
	go func() {
		fmt.Fprintln(to, `{"Table":"Races","PartitionKey":"p","RowKey":"1"}`)
		cancel()
		fmt.Fprintln(to, `{"Table":"Races","PartitionKey":"p","RowKey":"2"}`)
	}()
	_, err = serve.Open(ctx, serve.Options{Listen: "127.0.0.1:0", Imports: []string{"-"}, Input: from, Export: "all.csv"})
	from.Close()
	assert.ErrorIs(t, err, context.Canceled, "Open, called away")
	assert.Empty(t, leftIn(t, "."), "left behind")
}
