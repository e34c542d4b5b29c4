package accesslog_test

import (
	"reflect"
	"strings"
	"testing"

	"loadgen/engine/accesslog"
)

// fuzzRead holds a reader to what is so of any text: no panic, faults in one line, and
// what was read is read alike once it was written.
func fuzzRead(f *testing.F, seeds ...string) {
	for _, seed := range seeds {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		_, all, err := read(text)
		if err != nil && strings.TrimSpace(err.Error()) == "" {
			t.Errorf("a fault without words: %q", err)
		}
		for _, e := range all {
			line := string(accesslog.AppendAnalytics(nil, &e))
			_, again, err := read(line)
			if err != nil || len(again) != 1 || again[0].At != e.At || again[0].HTTP != e.HTTP {
				t.Fatalf("%q is read as %+v, %v", line, again, err)
			}
			_, twice, err := read(string(accesslog.AppendAnalytics(nil, &again[0])))
			if err != nil || !reflect.DeepEqual(again, twice) {
				t.Fatalf("%+v is read again as %+v, %v", again, twice, err)
			}
		}
	})
}

func FuzzAnalytics(f *testing.F) {
	fuzzRead(f, analyticsLine, analyticsLine+"\n"+analyticsLine[:100], strings.Replace(analyticsLine, ";table;", ";blob;", 1), "1.0;"+strings.Repeat(";", 28))
}

func FuzzResource(f *testing.F) {
	fuzzRead(f, resourceLine, `{"records":[`+resourceLine+`]}`, `{"records":[{}]}`)
}

func FuzzExported(f *testing.F) {
	fuzzRead(f, exportedHead+"\n"+exportedRow, "["+flat(resourceLine)+"]", `{"tables":[{"columns":[{"name":"TimeGenerated"}],"rows":[["2022-03-04T05:06:07Z"]]}]}`)
}

func FuzzPlain(f *testing.F) {
	fuzzRead(f, "time,operation,PartitionKey,RowKey\n2022-03-04T05:06:08Z,insert,p,r\n", "time;operation;PartitionKey\n2022-03-04T05:06:08Z;query;p\n")
}
