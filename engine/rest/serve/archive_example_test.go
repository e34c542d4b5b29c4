package serve_test

import (
	"fmt"
	"os"
	"strings"

	"loadgen/engine/rest/serve"
)

// A spreadsheet of runners becomes JSON lines: Ann has no club, Kim's is the
// empty text, and nobody has run the relay yet.
func ExampleWriteArchive() {
	const sheet = `Table,PartitionKey,RowKey,Name,Bib@Edm.Int32,Club
Races,2011 Full,1,Ann,1234,
Races,2011 Full,2,"Kim ""Flash"" Lee",1235,""
Relays,,,,,
`
	var runners []serve.ArchiveRecord
	err := serve.ReadArchive(serve.ArchiveCSV, strings.NewReader(sheet), func(r *serve.ArchiveRecord) error {
		kept := *r
		kept.Properties = append(kept.Properties[:0:0], r.Properties...)
		runners = append(runners, kept)
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	if err := serve.WriteArchive(serve.ArchiveLines, os.Stdout, each(runners)); err != nil {
		fmt.Println(err)
	}
	err = serve.ReadArchive(serve.ArchiveCSV, strings.NewReader("Table,PartitionKey,RowKey,Bib@Edm.Int32\nRaces,2011 Full,3,first\n"), nil)
	fmt.Println(err)
	// Output:
	// {"Table":"Races","PartitionKey":"2011 Full","RowKey":"1","Name":"Ann","Bib":1234}
	// {"Table":"Races","PartitionKey":"2011 Full","RowKey":"2","Name":"Kim \"Flash\" Lee","Bib":1235,"Club":""}
	// {"Table":"Relays"}
	// archive: line 2: the property "Bib" is no Edm.Int32
}
