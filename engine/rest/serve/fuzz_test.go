package serve_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"loadgen/engine/rest/serve"
)

// FuzzLines reads arbitrary JSON lines: what is accepted comes back from either
// format as it was.
func FuzzLines(f *testing.F) {
	f.Add("")
	seed(f, serve.ArchiveLines)
	f.Add(`{"Table":"Races","PartitionKey":"p","RowKey":"r","Table@property@odata.type":"Edm.Int64","Table@property":"5"}`)
	f.Add("\ufeff{\"Table\":\"Races\"}\r\n\n{\"RowKey\":\"\\ud83d\\ude00\",\"PartitionKey\":\"\",\"Table\":\"Races\",\"Timestamp\":[]}")
	f.Fuzz(func(t *testing.T, text string) { checkRead(t, serve.ArchiveLines, text) })
}

// FuzzCSV does likewise with CSV.
func FuzzCSV(f *testing.F) {
	f.Add("")
	seed(f, serve.ArchiveCSV)
	f.Add("Table,PartitionKey,RowKey,A,A@Edm.Double,B@Edm.Binary,Timestamp\r\nRaces,\"\",\"a\"\"b\",,-0,,x\r\nRaces,,,,,,\r\n")
	f.Add("\ufeffRowKey,Table,Table@Edm.Guid,PartitionKey\n\n1,Races,00000000-0000-0000-0000-00000000000a,\"x\ny\"\n")
	f.Fuzz(func(t *testing.T, text string) { checkRead(t, serve.ArchiveCSV, text) })
}

// seed adds an archive of each hostile record that is small: a fuzzer is slow on
// long texts.
func seed(f *testing.F, format serve.ArchiveFormat) {
	records := hostile()
	for i := range records {
		if text := written(f, format, records[i:i+1]); len(text) < 200 {
			f.Add(text)
		}
	}
}

func checkRead(t *testing.T, f serve.ArchiveFormat, text string) {
	records, err := readAll(f, text)
	if err != nil {
		require.ErrorIsf(t, err, serve.ErrArchiveForm, "Read(%q)", text)
		return
	}
	for name, other := range formats {
		again, err := readAll(other, written(t, other, records))
		require.NoErrorf(t, err, "%s: Read(what Write wrote of %q)", name, text)
		wantSame(t, name, again, records)
	}
}
