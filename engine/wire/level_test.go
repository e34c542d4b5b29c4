package wire_test

import (
	"testing"

	"loadgen/engine/wire"
)

func TestParseLevel(t *testing.T) {
	const minimal, none, full = wire.MinimalMetadata, wire.NoMetadata, wire.FullMetadata
	checkParsed(t, wire.ParseLevel, []parsedRow[wire.Level]{
		{"no header at all is minimal", "", minimal, true},
		{"a header of blanks and commas asks for nothing", " , ,", minimal, true},
		{"anything is minimal", "*/*", minimal, true},
		{"plain JSON is minimal", "application/json", minimal, true},
		{"JSON as $format spells it", "json", minimal, true},
		{"minimal by name", "application/json;odata=minimalmetadata", minimal, true},
		{"none by name", "application/json;odata=nometadata", none, true},
		{"full by name", "application/json;odata=fullmetadata", full, true},
		{"blanks, case and quotes do not matter", ` Application/JSON ; ODATA = "FullMetadata" `, full, true},
		{"other parameters do not matter", "application/json;streaming=true;odata=nometadata;charset=utf-8", none, true},
		{"a separator in quotes is none", `application/json;a="x;odata=fullmetadata,";odata=nometadata`, none, true},
		{"the first acceptable item wins", "application/atom+xml,application/json;odata=fullmetadata,*/*", full, true},
		{"also where a later one weighs more", "application/json;odata=nometadata;q=0.1,application/json;q=1", none, true},
		{"a weight of zero rules an item out", "application/json;odata=fullmetadata;q=0.0,application/json;odata=nometadata", none, true},
		{"the first odata counts", "application/json;odata=fullmetadata;odata=nometadata", full, true},
		{"Atom alone is not spoken", "application/atom+xml,application/xml", minimal, false},
		{"verbose JSON is not spoken", "application/json;odata=verbose", minimal, false},
		{"zero for all leaves nothing", "*/*;q=0", minimal, false},
		{"a longer name is another type", "application/jsonp", minimal, false},
	})
}

func FuzzParseLevel(f *testing.F) {
	for _, accept := range []string{"", "*/*;q=0", `application/json;odata="nometadata",a/b`, ";;,\"=;q", "json;odata=fullmetadata"} {
		f.Add(accept)
	}
	f.Fuzz(func(t *testing.T, accept string) {
		level, ok := wire.ParseLevel(accept)
		if again, also := wire.ParseLevel(level.ContentType()); again != level || !also || level > wire.FullMetadata {
			t.Fatalf("ParseLevel(%q) = %d, %v; want one of three levels", accept, level, ok)
		}
		// One more item at the end changes nothing where one was acceptable.
		if more, _ := wire.ParseLevel(accept + ",application/json;odata=fullmetadata"); ok && accept != "" &&
			level != wire.MinimalMetadata && more != level {
			t.Fatalf("ParseLevel(%q with one more item) = %d; want %d", accept, more, level)
		}
	})
}

func TestBoundary(t *testing.T) {
	long := "batch_0123456789012345678901234567890123456789012345678901234567890123"
	checkParsed(t, wire.Boundary, []parsedRow[string]{
		{"as clients write it", "multipart/mixed; boundary=batch_a1", "batch_a1", true},
		{"in quotes, with a semicolon in them", `multipart/mixed; boundary="batch;a1"`, "batch;a1", true},
		{"in other case, after other parameters", "Multipart/Mixed;charset=utf-8;BOUNDARY=x", "x", true},
		{"of seventy characters", "multipart/mixed;boundary=" + long, long, true},
		{"of one more", "multipart/mixed;boundary=" + long + "x", "", false},
		{"none", "multipart/mixed", "", false},
		{"with a line break in it", "multipart/mixed;boundary=\"a\nb\"", "", false},
		{"of another type", "multipart/form-data; boundary=x", "", false},
	})
}
