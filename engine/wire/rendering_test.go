package wire_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"loadgen/engine/entity"
	"loadgen/engine/wire"
)

func rendering(level wire.Level, selected ...string) *wire.Rendering {
	return &wire.Rendering{
		Level:  level,
		Base:   wire.Base{URL: "https://races.table.core.windows.net", Account: "races"},
		Table:  "Marathon2026",
		Select: selected,
	}
}

// runner and nobody are the rows of the golden replies.
func runner() (entity.Key, entity.Packed) {
	all := allTypes()
	all[0].Value = entity.String("Kim\nØ 🏃")
	return entity.Key{Partition: "New York '26", Row: `Ø-%-"(1)`}, entity.Pack(nil, ticks("2026-11-01T08:30:00.1234567Z"),
		all)
}

func nobody() (entity.Key, entity.Packed) {
	return entity.Key{}, entity.Pack(nil, ticks("2026-11-01T08:30:01Z"), properties("Bib", entity.Int32(-1)))
}

func page(r *wire.Rendering) string {
	text := r.AppendPageStart(nil)
	k, p := runner()
	text = r.AppendRow(text, true, k, p, nil)
	k, p = nobody()
	text = r.AppendRow(text, false, k, p, nil)
	return string(r.AppendPageEnd(text))
}

func golden(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestRenderingMatchesGolden(t *testing.T) {
	k, p := runner()
	tables := []string{"Marathon2026", "Relay"}
	minimal, none, full := rendering(wire.MinimalMetadata), rendering(wire.NoMetadata), rendering(wire.FullMetadata)
	for _, row := range []struct{ file, got string }{
		{"entity_minimal.json", string(minimal.AppendEntity(nil, k, p))},
		{"entity_none.json", string(none.AppendEntity(nil, k, p))},
		{"entity_full.json", string(full.AppendEntity(nil, k, p))},
		{"entity_full.json", string(rendering(wire.FullMetadata, "Bib", "*").AppendEntity(nil, k, p))},
		{"page_minimal.json", page(minimal)},
		{"page_none.json", page(none)},
		{"page_full.json", page(full)},
		{"page_select.json", page(rendering(wire.MinimalMetadata, "Bib", "RowKey", "Start", "Café"))},
		{"page_empty.json", string(minimal.AppendPageEnd(minimal.AppendPageStart(nil)))},
		{"table_minimal.json", string(minimal.AppendTable(nil, tables[0]))},
		{"table_full.json", string(full.AppendTable(nil, tables[0]))},
		{"tables_minimal.json", string(minimal.AppendTables(nil, tables))},
		{"tables_none.json", string(none.AppendTables(nil, tables))},
		{"tables_full.json", string(full.AppendTables(nil, tables))},
	} {
		if want := golden(t, row.file); row.got != want {
			t.Errorf("%s: got\n%s; want\n%s", row.file, row.got, want)
		}
	}
}

// memberNames returns the names of an object in their order, with those of
// the first element of a list behind a dot.
func memberNames(t *testing.T, text string) string {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	var names []string
	depth, isName := 0, false
	for {
		token, err := decoder.Token()
		if err != nil {
			return strings.Join(names, " ")
		}
		switch token {
		case json.Delim('{'):
			depth++
			isName = true
			continue
		case json.Delim('['):
			isName = false
			continue
		case json.Delim('}'):
			if depth--; depth > 0 {
				return strings.Join(names, " ")
			}
			continue
		}
		if isName {
			names = append(names, strings.Repeat(".", depth-1)+token.(string))
		}
		isName = !isName
	}
}

// The orders are those of replies that the service itself gave, in 2017.
func TestMembersComeInTheServicesOrder(t *testing.T) {
	k := entity.Key{Partition: "partition1", Row: "row1"}
	p := entity.Pack(nil, ticks("2017-01-05T03:25:45.588957Z"), properties("S", entity.String("s"), "B",
		entity.Binary(nil), "N", entity.Int32(42)))
	list := func(r *wire.Rendering) string {
		return string(r.AppendPageEnd(r.AppendRow(r.AppendPageStart(nil), true, k, p, nil)))
	}
	for _, row := range []struct{ name, got, want string }{
		{"an entity, minimal", string(rendering(wire.MinimalMetadata).AppendEntity(nil, k, p)),
			"odata.metadata odata.etag PartitionKey RowKey Timestamp S B@odata.type B N"},
		{"an entity, none",
			string(rendering(wire.NoMetadata).AppendEntity(nil, k, p)), "PartitionKey RowKey Timestamp S B N"},
		{"an entity, full", string(rendering(wire.FullMetadata).AppendEntity(nil, k, p)),
			"odata.metadata odata.type odata.id odata.etag odata.editLink PartitionKey RowKey Timestamp@odata.type Timestamp S B@odata.type B N"},
		{"a page, minimal", list(rendering(wire.MinimalMetadata)),
			"odata.metadata value .odata.etag .PartitionKey .RowKey .Timestamp .S .B@odata.type .B .N"},
		{"a page, none", list(rendering(wire.NoMetadata)), "value .PartitionKey .RowKey .Timestamp .S .B .N"},
		{"a page, full", list(rendering(wire.FullMetadata)),
			"odata.metadata value .odata.type .odata.id .odata.etag .odata.editLink .PartitionKey .RowKey .Timestamp@odata.type .Timestamp .S .B@odata.type .B .N"},
		{"keys and timestamp selected", list(rendering(wire.MinimalMetadata, "PartitionKey", "RowKey", "Timestamp")),
			"odata.metadata value .odata.etag .PartitionKey .RowKey .Timestamp"},
		{"one property selected", list(rendering(wire.MinimalMetadata, "N")), "odata.metadata value .odata.etag .N"},
		{"a name selected twice", list(rendering(wire.MinimalMetadata, "N", "B", "N", "RowKey", "RowKey")),
			"odata.metadata value .odata.etag .RowKey .N .B@odata.type .B"},
		{"a lack, at none", list(rendering(wire.NoMetadata, "X")), "value .X"},
	} {
		if got := memberNames(t, row.got); got != row.want {
			t.Errorf("%s: members of %s are\n%s; want\n%s", row.name, row.got, got, row.want)
		}
	}
}

// The address of a key that the service gave out, and what it makes of others.
func TestLinks(t *testing.T) {
	for _, row := range []struct{ name, key, want string }{
		{"the recorded one", `row-ô- -''-"-%20-%27-rk1`, `row-%C3%B4-%20-''''-%22-%2520-%2527-rk1`},
		{"an empty one", "", ""},
		{"marks that stay", "-_.!~*()aZ09", "-_.!~*()aZ09"},
		{"what an address uses itself", "a&b=c,d+e;f:g@h", "a%26b%3Dc%2Cd%2Be%3Bf%3Ag%40h"},
		{"a supplementary character", "🏃", "%F0%9F%8F%83"},
	} {
		_, p := nobody()
		text := rendering(wire.FullMetadata).AppendEntity(nil, entity.Key{Row: row.key}, p)
		var got struct {
			ID   string `json:"odata.id"`
			Edit string `json:"odata.editLink"`
		}
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatal(err)
		}
		want := "Marathon2026(PartitionKey='',RowKey='" + row.want + "')"
		if got.Edit != want || got.ID != "https://races.table.core.windows.net/"+want {
			t.Errorf("%s: links of %q are %s and %s; want %s", row.name, row.key, got.ID, got.Edit, want)
		}
	}
}

// decodedAs reports whether encoding/json reads a value of that type.
func decodedAs(decoded map[string]any, p entity.Property) bool {
	edm, _ := decoded[p.Name+"@odata.type"].(string)
	v := p.Value
	switch got := decoded[p.Name].(type) {
	case string:
		switch v.Type() {
		case entity.TypeString:
			return got == v.Text() && edm == ""
		case entity.TypeInt64:
			return got == strconv.FormatInt(v.Int(), 10) && edm == "Edm.Int64"
		case entity.TypeDateTime:
			return got == v.Ticks().String() && edm == "Edm.DateTime"
		case entity.TypeDouble:
			f := v.Float()
			return (math.IsNaN(f) || math.IsInf(f, 0)) && edm == "Edm.Double"
		case entity.TypeGUID:
			return len(got) == 36 && edm == "Edm.Guid"
		case entity.TypeBinary:
			encoded, _ := json.Marshal(v.Bytes())
			return `"`+got+`"` == string(encoded) && edm == "Edm.Binary"
		}
	case json.Number:
		if v.Type() == entity.TypeInt32 {
			return got.String() == strconv.FormatInt(v.Int(), 10) && edm == ""
		}
		f, err := got.Float64()
		return err == nil && v.Equal(entity.Double(f)) && strings.ContainsAny(got.String(), ".e") && edm == ""
	case bool:
		return v.Type() == entity.TypeBoolean && got == v.Bool() && edm == ""
	}
	return false
}

// Random entities, read by encoding/json and by ParseEntity.
func TestRandomEntitiesAreReadBack(t *testing.T) {
	const seed = 11
	rng := rand.New(rand.NewPCG(seed, 0))
	for i := range 1000 {
		k, all := randomEntity(rng)
		version := ticks("2026-11-01T08:30:00Z") + entity.Ticks(rng.Int64N(1<<40))
		packed := entity.Pack(nil, version, all)
		for _, level := range []wire.Level{wire.MinimalMetadata, wire.FullMetadata} {
			text := string(rendering(level).AppendEntity(nil, k, packed))
			decoder := json.NewDecoder(strings.NewReader(text))
			decoder.UseNumber()
			var decoded map[string]any
			if err := decoder.Decode(&decoded); err != nil {
				t.Fatalf("seed %d, entity %d: %s: %v", seed, i, text, err)
			}
			if decoded["PartitionKey"] != k.Partition || decoded["RowKey"] != k.Row ||
				decoded["Timestamp"] != version.String() || decoded["odata.etag"] != version.ETag() {
				t.Fatalf("seed %d, entity %d: %s is of another key or version than %q %s", seed, i, text, k, version)
			}
			for _, p := range all {
				if !decodedAs(decoded, p) {
					t.Fatalf("seed %d, entity %d: %s shows %s badly; want %s", seed, i, text, p.Name, showProperties(all))
				}
			}
			row, err := wire.ParseEntity(text)
			if err != nil || row.Key != k || string(row.Entity) != string(packed) {
				t.Fatalf("seed %d, entity %d: ParseEntity(%s) = %q, %v; want %q and the same block", seed, i, text, row.Key, err, k)
			}
		}
	}
}

func TestRenderingOfACorruptBlockPanics(t *testing.T) {
	defer func() {
		if got := recover(); got == nil {
			t.Error("AppendEntity of a corrupt block returned; want a panic")
		}
	}()
	rendering(wire.MinimalMetadata).AppendEntity(nil, entity.Key{}, entity.Packed("short"))
}

// Rows cost no allocation where there is room and they have neither binaries nor
// more than a few properties.
func TestAppendRowAllocates(t *testing.T) {
	k := entity.Key{Partition: "New York '26", Row: "Ø"}
	p := entity.Pack(nil, ticks("2026-11-01T08:30:00Z"), properties("a", entity.String("Zürich"), "b", entity.Int64(1),
		"c", entity.Double(5.5), "d", entity.DateTime(entity.EarliestDateTime), "e", entity.Int32(-1), "f",
		entity.GUID(guid)))
	room := make([]byte, 0, 4096)
	for _, r := range []*wire.Rendering{rendering(wire.MinimalMetadata), rendering(wire.FullMetadata),
		rendering(wire.MinimalMetadata, "a", "x")} {
		if n := testing.AllocsPerRun(100, func() { r.AppendRow(room, true, k, p, nil) }); n != 0 {
			t.Errorf("AppendRow at level %d allocates %g times; want 0", r.Level, n)
		}
	}
}
