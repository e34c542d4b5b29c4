package serve_test

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/entity"
	"loadgen/engine/rest/serve"
)

// formats are both, by name.
var formats = map[string]serve.ArchiveFormat{"JSON lines": serve.ArchiveLines, "CSV": serve.ArchiveCSV}

// readAll returns what an archive holds, in records of its own.
func readAll(f serve.ArchiveFormat, text string) ([]serve.ArchiveRecord, error) {
	var all []serve.ArchiveRecord
	err := serve.ReadArchive(f, strings.NewReader(text), "", func(r *serve.ArchiveRecord) error {
		own := *r
		own.Properties = slices.Clone(r.Properties)
		all = append(all, own)
		return nil
	})
	return all, err
}

// Storage Explorer writes the type of each value in a column of its own, and no table.
func TestArchiveOfStorageExplorer(t *testing.T) {
	const text = "PartitionKey,RowKey,RowKey@type,Timestamp,Timestamp@type,Amount,Amount@type,Note,Note@type,Plain\n" +
		"c1,0001,String,2026-03-04T10:00:00Z,DateTime,5,Int32,,String,a\nc1,0002,String,2026-03-04T10:00:00Z,DateTime,9007199254740993,Edm.Int64,,,\n"
	var got []string
	read := func(text, table string) error {
		return serve.ReadArchive(serve.ArchiveCSV, strings.NewReader(text), table, func(r *serve.ArchiveRecord) error {
			got = append(got, r.Table+" "+shown(r))
			return nil
		})
	}
	require.NoError(t, read(text, "Orders"))
	want := []serve.ArchiveRecord{
		{Table: "Orders", HasEntity: true, Key: entity.Key{Partition: "c1", Row: "0001"}, Properties: []entity.Property{
			{Name: "Amount", Value: entity.Int32(5)}, {Name: "Note", Value: entity.String("")}, {Name: "Plain", Value: entity.String("a")}}},
		{Table: "Orders", HasEntity: true, Key: entity.Key{Partition: "c1", Row: "0002"}, Properties: []entity.Property{
			{Name: "Amount", Value: entity.Int64(9007199254740993)}}},
	}
	require.Len(t, got, len(want))
	for i := range want {
		assert.Equal(t, "Orders "+shown(&want[i]), got[i])
	}
	assert.ErrorContains(t, read(text, ""), "expected a header such as")
	assert.ErrorContains(t, read(strings.Replace(text, "Int32", "Number", 1), "Orders"), `line 2: the type of "Amount" is "Number"`)
}

// written returns records as an archive.
func written(t testing.TB, f serve.ArchiveFormat, records []serve.ArchiveRecord) string {
	t.Helper()
	var text strings.Builder
	require.NoErrorf(t, serve.WriteArchive(f, &text, each(records)), "Write(%d, %d records)", f, len(records))
	return text.String()
}

// each yields pointers to records.
func each(records []serve.ArchiveRecord) func(func(*serve.ArchiveRecord) bool) {
	return func(yield func(*serve.ArchiveRecord) bool) {
		for i := range records {
			if !yield(&records[i]) {
				return
			}
		}
	}
}

// shown is a record as a text in which no two that differ are alike: CSV does
// not keep the order of properties, a NaN equals itself, and the zeros differ.
func shown(r *serve.ArchiveRecord) string {
	var properties []string
	for _, p := range r.Properties {
		v := p.Value
		properties = append(properties, fmt.Sprintf("%q %v %q %x %v %d %x %x",
			p.Name, v.Type(), v.Text(), v.Bytes(), v.Bool(), v.Ticks(), math.Float64bits(v.Float()), v.GUID())+fmt.Sprint(v.Int()))
	}
	slices.Sort(properties)
	return fmt.Sprintf("%q %v %q %q\n%s", r.Table, r.HasEntity, r.Key.Partition, r.Key.Row, strings.Join(properties, "\n"))
}

// wantSame fails the test unless the records are the same one by one.
func wantSame(t testing.TB, what string, got, want []serve.ArchiveRecord) {
	t.Helper()
	require.Len(t, got, len(want), what)
	for i := range want {
		assert.Equalf(t, shown(&want[i]), shown(&got[i]), "%s: record %d", what, i)
	}
}

// one is a record of one table.
func one(partition, row string, properties ...entity.Property) serve.ArchiveRecord {
	return serve.ArchiveRecord{Table: "Races", HasEntity: true, Key: entity.Key{Partition: partition, Row: row}, Properties: properties}
}

func property(name string, v entity.Value) entity.Property {
	return entity.Property{Name: name, Value: v}
}

// hostile are records that an archive may get wrong.
func hostile() []serve.ArchiveRecord {
	var records []serve.ArchiveRecord
	values := []entity.Value{
		entity.String(""), entity.String("plain"), entity.String(`"`), entity.String(`""`), entity.String(","), entity.String("\r\n"),
		entity.String("\r"), entity.String("\n\n"), entity.String("a\tb\\u0041\x00\x1f\u2028\u00a0"), entity.String(" blank at both ends "),
		entity.String("\ufeff"), entity.String("żółć 日本 😀 \U0010ffff"), entity.String("null"), entity.String("=1+1"), entity.String("NaN"),
		entity.String("2011-11-06T09:40:00Z"), entity.String(strings.Repeat("x\"\n", 10_000)),
		entity.Binary(nil), entity.Binary([]byte{0, 255, 10, 13}), entity.Boolean(true), entity.Boolean(false),
		entity.DateTime(entity.EarliestDateTime), entity.DateTime(entity.LatestDateTime), entity.DateTime(entity.EarliestDateTime + 1),
		entity.Double(0), entity.Double(math.Copysign(0, -1)), entity.Double(1), entity.Double(-1.5), entity.Double(math.MaxFloat64),
		entity.Double(math.SmallestNonzeroFloat64), entity.Double(math.NaN()), entity.Double(math.Inf(1)), entity.Double(math.Inf(-1)),
		entity.Double(1 << 53), entity.GUID([16]byte{0: 0xab, 15: 1}), entity.GUID([16]byte{}),
		entity.Int32(0), entity.Int32(math.MinInt32), entity.Int32(math.MaxInt32), entity.Int64(0), entity.Int64(math.MinInt64), entity.Int64(math.MaxInt64),
	}
	for i, v := range values {
		records = append(records, one("values", fmt.Sprintf("%03d", i), property("Value", v)))
	}
	for _, key := range []string{"", " ", `"`, `""`, ",", "'", "a b", "żółć", "😀", "\ue000", "%2F", "Table", "null", strings.Repeat("k", 511)} {
		records = append(records, one(key, "row"), one("partition", key+"."), one(key, key+"-"))
	}
	records = append(records,
		one("names", "own", property("Table", entity.Int32(5)), property("table", entity.String("x"))),
		one("names", "text", property("A", entity.Boolean(true)), property("Table", entity.String("Other"))),
		one("names", "unicode", property("żółć", entity.String("x")), property("_", entity.Int64(1))),
		one("names", "many", func() (all []entity.Property) {
			for i := range entity.MaxProperties {
				all = append(all, property(fmt.Sprintf("P%d", i), entity.Int32(int32(i))))
			}
			return all
		}()...),
		serve.ArchiveRecord{Table: "Empty"},
		serve.ArchiveRecord{Table: strings.Repeat("t", entity.MaxTableName), HasEntity: true},
	)
	return records
}

func TestRoundTrip(t *testing.T) {
	want := hostile()
	for name, f := range formats {
		text := written(t, f, want)
		got, err := readAll(f, text)
		require.NoErrorf(t, err, "%s: Read(what Write wrote)", name)
		wantSame(t, name, got, want)
		again := written(t, f, got)
		assert.Truef(t, f != serve.ArchiveLines || again == text, "%s: written again it is another text", name)
		// Whether line ends have a carriage return, and whether a mark comes first,
		// is all one.
		if f == serve.ArchiveLines {
			text = strings.ReplaceAll(text, "\n", "\r\n\r\n")
		}
		got, err = readAll(f, "\ufeff"+text+"\n\n")
		require.NoErrorf(t, err, "%s: Read(with a mark)", name)
		wantSame(t, name+" with a mark", got, want)
	}
}

// The greatest entity in its longest spelling fits into a line.
func TestGreatestEntity(t *testing.T) {
	for _, text := range []string{strings.Repeat("\x01", 32*1024), strings.Repeat("\"", 32*1024), strings.Repeat("\u20ac", 32*1024)} {
		var properties []entity.Property
		for i := range 15 {
			properties = append(properties, property(fmt.Sprintf("P%d", i), entity.String(text)))
		}
		want := []serve.ArchiveRecord{one("p", "r", properties...)}
		for name, f := range formats {
			got, err := readAll(f, written(t, f, want))
			require.NoErrorf(t, err, "%s: Read", name)
			require.Lenf(t, got, 1, "%s: records", name)
			same := func(a, b entity.Property) bool { return a.Name == b.Name && a.Value.Equal(b.Value) }
			assert.Truef(t, slices.EqualFunc(got[0].Properties, properties, same), "%s: the properties are not what was written", name)
		}
	}
}

// Other readers understand what is written: those of the library.
func TestOthersReadIt(t *testing.T) {
	want := hostile()
	for i, line := range strings.Split(strings.TrimSuffix(written(t, serve.ArchiveLines, want), "\n"), "\n") {
		var members map[string]any
		require.NoErrorf(t, json.Unmarshal([]byte(line), &members), "line %d is no JSON", i+1)
		assert.Equalf(t, want[i].Table, members["Table"], "line %d", i+1)
		assert.Truef(t, !want[i].HasEntity || members["RowKey"] == want[i].Key.Row, "line %d has the row %q; want %q", i+1, members["RowKey"], want[i].Key.Row)
	}
	table := csv.NewReader(strings.NewReader(written(t, serve.ArchiveCSV, want)))
	rows, err := table.ReadAll()
	require.Truef(t, err == nil && len(rows) == len(want)+1, "the library reads %d rows, %v; want %d", len(rows), err, len(want)+1)
	for i, r := range want {
		assert.Equal(t, []string{r.Table, r.Key.Partition, r.Key.Row}, rows[i+1][:3])
	}
}

// What a person types is understood, too.
func TestSpellings(t *testing.T) {
	want := one("2011", "1", property("Name", entity.String("Kim")), property("Fee", entity.Int32(255)))
	kim := `{"Table":"Races","PartitionKey":"2011","RowKey":"1","Name":"Kim","Fee":255}`
	rows := []struct {
		name string
		f    serve.ArchiveFormat
		text string
		want []serve.ArchiveRecord
	}{
		{"nothing at all", serve.ArchiveLines, "", nil},
		{"nothing at all", serve.ArchiveCSV, "", nil},
		{"blank lines", serve.ArchiveLines, "\n \t\r\n\n", nil},
		{"a header alone", serve.ArchiveCSV, "Table,PartitionKey,RowKey", nil},
		{"a last line without an end", serve.ArchiveLines, kim, []serve.ArchiveRecord{want}},
		{"members in another order", serve.ArchiveLines, `{"Fee":255,"RowKey":"1","Name":"Kim","PartitionKey":"2011","Table":"Races"}`, []serve.ArchiveRecord{want}},
		{"what a service says of itself, and nulls", serve.ArchiveLines,
			`{"odata.etag":"x","Timestamp":"2011-11-06T09:40:00Z","Lost":null,` + kim[1:], []serve.ArchiveRecord{want}},
		{"a table alone", serve.ArchiveLines, `{"Table":"Races"}`, []serve.ArchiveRecord{{Table: "Races"}}},
		{"columns in another order, and one without a type", serve.ArchiveCSV,
			"Name,RowKey,Table,Fee@Edm.Int32,PartitionKey\r\nKim,1,Races,255,2011", []serve.ArchiveRecord{want}},
		{"types by their short names", serve.ArchiveCSV, "Table,PartitionKey,RowKey,Name@String,Fee@Int32\nRaces,2011,1,Kim,255\n", []serve.ArchiveRecord{want}},
		{"a timestamp is passed over", serve.ArchiveCSV,
			"Table,PartitionKey,RowKey,Timestamp,Name,Fee@Edm.Int32,Timestamp@Edm.DateTime\nRaces,2011,1,now,Kim,255,then\n", []serve.ArchiveRecord{want}},
		{"a table alone", serve.ArchiveCSV, "Table,PartitionKey,RowKey,Name\nRaces,,,\n", []serve.ArchiveRecord{{Table: "Races"}}},
		{"an empty cell is no property, an empty string is one", serve.ArchiveCSV,
			"Table,PartitionKey,RowKey,A,B\nRaces,\"\",\"\",,\"\"\n", []serve.ArchiveRecord{one("", "", property("B", entity.String("")))}},
		{"one name in two types", serve.ArchiveCSV,
			"Table,PartitionKey,RowKey,A,A@Edm.Int32\nRaces,p,1,x,\nRaces,p,2,,5\n",
			[]serve.ArchiveRecord{one("p", "1", property("A", entity.String("x"))), one("p", "2", property("A", entity.Int32(5)))}},
		{"base64 of Edm.Binary over two lines", serve.ArchiveCSV,
			"Table,PartitionKey,RowKey,A@Edm.Binary\nRaces,p,1,\"AA\r\n==\"\n", []serve.ArchiveRecord{one("p", "1", property("A", entity.Binary([]byte{0})))}},
	}
	for _, row := range rows {
		got, err := readAll(row.f, row.text)
		require.NoErrorf(t, err, "%s: %q", row.name, row.text)
		wantSame(t, row.name, got, row.want)
	}
}

func TestFaultsNameTheLine(t *testing.T) {
	const header = "Table,PartitionKey,RowKey,Name,Fee@Edm.Int32\n"
	good := `{"Table":"Races","PartitionKey":"p","RowKey":"r"}` + "\n"
	rows := []struct {
		name string
		f    serve.ArchiveFormat
		text string
		says []string
	}{
		{"no JSON", serve.ArchiveLines, good + "\n" + "hello", []string{"line 3", "expected an object"}},
		{"two objects on a line", serve.ArchiveLines, strings.TrimSpace(good) + good, []string{"line 1", "more than one value"}},
		{"an object over two lines", serve.ArchiveLines, "{\n}", []string{"line 1"}},
		{"no table", serve.ArchiveLines, good + `{"PartitionKey":"p","RowKey":"r"}`, []string{"line 2", `"Table"`}},
		{"a table that is no text", serve.ArchiveLines, `{"Table":5,"PartitionKey":"p","RowKey":"r"}`, []string{`"Table"`}},
		{"a table that cannot be", serve.ArchiveLines, `{"Table":"a-b","PartitionKey":"p","RowKey":"r"}`, []string{`"a-b"`}},
		{"no RowKey", serve.ArchiveLines, `{"Table":"Races","PartitionKey":"p"}`, []string{`"RowKey"`}},
		{"no keys, but a property", serve.ArchiveLines, `{"Table":"Races","A":1}`, []string{`"RowKey"`}},
		{"a key that cannot be", serve.ArchiveLines, `{"Table":"Races","PartitionKey":"a/b","RowKey":"r"}`, []string{"PartitionKey", "forbidden"}},
		{"a value that is not of its type", serve.ArchiveLines, `{"Table":"Races","PartitionKey":"p","RowKey":"r","A@odata.type":"Edm.Guid","A":"x"}`, []string{`"A"`, "Edm.Guid"}},
		{"text that is not UTF-8", serve.ArchiveLines, "{\"Table\":\"Races\",\"PartitionKey\":\"\xff\",\"RowKey\":\"r\"}", []string{"UTF-8"}},
		{"a line beyond all bounds", serve.ArchiveLines, good + strings.Repeat("x", 5<<20), []string{"line 2", "4 MiB"}},

		{"no header", serve.ArchiveCSV, "Races,p,r\n", []string{"line 1", "expected a header such as Table,PartitionKey,RowKey"}},
		{"a header without a RowKey", serve.ArchiveCSV, "Table,PartitionKey\n", []string{"line 1", "expected a header"}},
		{"a column twice", serve.ArchiveCSV, "Table,PartitionKey,RowKey,A,A@Edm.String\n", []string{`"A@Edm.String"`, "twice"}},
		{"a column of no type", serve.ArchiveCSV, "Table,PartitionKey,RowKey,A@Edm.Single\n", []string{`"A@Edm.Single"`, "NAME@Edm.TYPE"}},
		{"a column whose name cannot be", serve.ArchiveCSV, "Table,PartitionKey,RowKey,first name\n", []string{"first name", "identifier"}},
		{"too few cells", serve.ArchiveCSV, header + "Races,p,r,x,5\nRaces,p,s\n", []string{"line 3", "3 columns", "expected 5"}},
		{"a value that is not of its type", serve.ArchiveCSV, header + "Races,p,r,x,five\n", []string{"line 2", `"Fee"`, "Edm.Int32"}},
		{"an empty text where there is a number", serve.ArchiveCSV, header + "Races,p,r,x,\"\"\n", []string{"line 2", "Edm.Int32"}},
		{"a key alone", serve.ArchiveCSV, header + "Races,p,,,\n", []string{"line 2", "RowKey"}},
		{"no table", serve.ArchiveCSV, header + ",p,r,x,\n", []string{"line 2", "table name"}},
		{"a key that cannot be", serve.ArchiveCSV, header + "Races,a/b,r,x,\n", []string{"line 2", "PartitionKey"}},
		{"text that is not UTF-8", serve.ArchiveCSV, header + "Races,p,r,\xff,\n", []string{"line 2", "UTF-8"}},
		{"a row beyond all bounds", serve.ArchiveCSV, header + strings.Repeat("x", 5<<20), []string{"line 2", "4096 KiB"}},
		{"cells beyond all bounds", serve.ArchiveCSV, strings.Repeat(",", 5000), []string{"line 1", "4096 fields"}},
	}
	for _, row := range rows {
		_, err := readAll(row.f, row.text)
		require.ErrorIs(t, err, serve.ErrArchiveForm, row.name)
		for _, says := range row.says {
			assert.ErrorContains(t, err, says, row.name)
		}
		assert.Truef(t, len(err.Error()) <= 400 && !strings.Contains(err.Error(), "\n"),
			"%s: Read = %q; want one short line", row.name, err)
	}
}

func TestErrorsOfOthersPassThrough(t *testing.T) {
	broken, unwilling := errors.New("broken"), errors.New("unwilling")
	for name, f := range formats {
		text := written(t, f, []serve.ArchiveRecord{one("p", "1"), one("p", "2")})
		visits := 0
		err := serve.ReadArchive(f, strings.NewReader(text), "", func(*serve.ArchiveRecord) error {
			visits++
			return unwilling
		})
		assert.Truef(t, errors.Is(err, unwilling) && !errors.Is(err, serve.ErrArchiveForm) && strings.Contains(err.Error(), "line ") && visits == 1,
			"%s: Read = %v after %d visits; want the visitor's error and a line after one", name, err, visits)
		from := io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken))
		assert.ErrorIsf(t, serve.ReadArchive(f, from, "", func(*serve.ArchiveRecord) error { return nil }), broken, "%s: Read", name)
		many := make([]serve.ArchiveRecord, 10_000)
		for i := range many {
			many[i] = one("p", fmt.Sprint(i))
		}
		reader, writer := io.Pipe()
		_ = reader.CloseWithError(unwilling)
		assert.ErrorIsf(t, serve.WriteArchive(f, writer, each(many)), unwilling, "%s: Write", name)
	}
}

func TestNothingIsWrittenThatCannotBeReadBack(t *testing.T) {
	for _, row := range []struct {
		name   string
		record serve.ArchiveRecord
	}{
		{"a table that cannot be", serve.ArchiveRecord{Table: "a b", HasEntity: true}},
		{"a key that cannot be", one("a/b", "r")},
		{"a value that is none", one("p", "r", property("A", entity.Value{}))},
		{"a system property", one("p", "r", property("Timestamp", entity.Int32(1)))},
		{"a table alone with a property", serve.ArchiveRecord{Table: "Races", Properties: []entity.Property{property("A", entity.Int32(1))}}},
	} {
		for name, f := range formats {
			assert.ErrorIsf(t, serve.WriteArchive(f, io.Discard, each([]serve.ArchiveRecord{row.record})), serve.ErrArchiveRecord,
				"%s: Write(%s)", name, row.name)
		}
	}
}

func TestColumnsOfCSVAreBounded(t *testing.T) {
	// distinct are records with so many properties, each of a name of its own.
	distinct := func(names int) (records []serve.ArchiveRecord) {
		for n := range names {
			if n%entity.MaxProperties == 0 {
				records = append(records, one("p", fmt.Sprint(n)))
			}
			last := &records[len(records)-1]
			last.Properties = append(last.Properties, property(fmt.Sprintf("P%d", n), entity.Int32(1)))
		}
		return records
	}
	const most = 4093 // beside the table and the keys
	err := serve.WriteArchive(serve.ArchiveCSV, io.Discard, each(distinct(most+1)))
	assert.ErrorIs(t, err, serve.ErrArchiveRecord, "one name too many as CSV")
	assert.ErrorContains(t, err, "JSON lines", "one name too many as CSV")
	want := distinct(most)
	got, err := readAll(serve.ArchiveCSV, written(t, serve.ArchiveCSV, want))
	require.NoError(t, err, "Read(as many columns as may be)")
	wantSame(t, "as many columns as may be", got, want)
	goes := 0
	changing := func(yield func(*serve.ArchiveRecord) bool) {
		r := one("p", "r", property(fmt.Sprintf("P%d", goes), entity.Int32(1)))
		goes++
		yield(&r)
	}
	assert.ErrorIs(t, serve.WriteArchive(serve.ArchiveCSV, io.Discard, changing), serve.ErrArchiveRecord,
		"Write(records that change)")
}
