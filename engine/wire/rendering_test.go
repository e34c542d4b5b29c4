package wire_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
	text = r.AppendRow(text, true, k, p)
	k, p = nobody()
	text = r.AppendRow(text, false, k, p)
	return string(r.AppendPageEnd(text))
}

func golden(t testing.TB, file string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", file))
	require.NoError(t, err)
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
		assert.Equalf(t, golden(t, row.file), row.got, "%s: got", row.file)
	}
}

// The address of a key that the service gave out, and what it makes of others.
func TestLinks(t *testing.T) {
	for _, row := range []struct{ name, key, want string }{
		{"the recorded one", `row-ô- -''-"-%20-%27-rk1`, `row-%C3%B4-%20-''''-%22-%2520-%2527-rk1`},
		{"an empty one", "", ""},
		{"marks that stay", "-_.!~*()aZ09", "-_.!~*()aZ09"},
		{"what an address uses itself", "a&b=c,d+e;f:g@h", "a%26b%3Dc%2Cd%2Be%3Bf%3Ag%40h"},
		{"what would end a header", "\r\nA: b", "%0D%0AA%3A%20b"},
		{"a supplementary character", "🏃", "%F0%9F%8F%83"},
	} {
		_, p := nobody()
		text := rendering(wire.FullMetadata).AppendEntity(nil, entity.Key{Row: row.key}, p)
		var got struct {
			ID   string `json:"odata.id"`
			Edit string `json:"odata.editLink"`
		}
		require.NoError(t, json.Unmarshal(text, &got))
		want := "Marathon2026(PartitionKey='',RowKey='" + row.want + "')"
		if at := string(rendering(wire.FullMetadata).AppendLocation(nil, entity.Key{Row: row.key})); got.Edit != want || at != got.ID || got.ID != "https://races.table.core.windows.net/"+want {
			t.Errorf("%s: links of %q are %s and %s; want %s", row.name, row.key, got.ID, got.Edit, want)
		}
	}
}

// A name that is selected twice is shown once; one that an entity lacks is null.
func TestSelectedTwice(t *testing.T) {
	k, p := nobody()
	got := string(rendering(wire.NoMetadata, "X", "Bib", "Bib", "RowKey", "RowKey").AppendEntity(nil, k, p))
	assert.Equal(t, `{"RowKey":"","X":null,"Bib":-1}`, got, "AppendEntity")
}

// decodedAs reports whether encoding/json reads a value of that type.
func decodedAs(decoded map[string]any, p entity.Property) bool {
	v, got := p.Value, fmt.Sprint(decoded[p.Name])
	edm, _ := decoded[p.Name+"@odata.type"].(string)
	_, quoted := decoded[p.Name].(string)
	switch v.Type() {
	case entity.TypeString:
		return quoted && got == v.Text() && edm == ""
	case entity.TypeBoolean:
		return !quoted && got == strconv.FormatBool(v.Bool()) && edm == ""
	case entity.TypeInt32:
		return !quoted && got == strconv.FormatInt(v.Int(), 10) && edm == ""
	case entity.TypeInt64:
		return quoted && got == strconv.FormatInt(v.Int(), 10) && edm == "Edm.Int64"
	case entity.TypeDateTime:
		return quoted && got == v.Ticks().String() && edm == "Edm.DateTime"
	case entity.TypeGUID:
		g := v.GUID()
		return quoted && got == fmt.Sprintf("%x-%x-%x-%x-%x", g[:4], g[4:6], g[6:8], g[8:10], g[10:]) && edm == "Edm.Guid"
	case entity.TypeBinary:
		return quoted && got == base64.StdEncoding.EncodeToString(v.Bytes()) && edm == "Edm.Binary"
	}
	f, err := strconv.ParseFloat(got, 64)
	special := math.IsNaN(f) || math.IsInf(f, 0)
	return err == nil && v.Equal(entity.Double(f)) && quoted == special && special == (edm == "Edm.Double") &&
		(special || strings.ContainsAny(got, ".e"))
}

// Random entities, read by encoding/json and by ParseEntity, and all of them as a page.
func TestRandomEntitiesAreReadBack(t *testing.T) {
	const seed = 11
	rng := rand.New(rand.NewPCG(seed, 0))
	want := make([]wire.Row, 1000)
	text := rendering(wire.MinimalMetadata).AppendPageStart(nil)
	for i := range want {
		k, all := randomEntity(rng)
		version := ticks("2026-11-01T08:30:00Z") + entity.Ticks(rng.Int64N(1<<40))
		want[i] = wire.Row{Key: k, Entity: entity.Pack(nil, version, all)}
		text = rendering(wire.MinimalMetadata).AppendRow(text, i == 0, k, want[i].Entity)
		for _, level := range []wire.Level{wire.MinimalMetadata, wire.FullMetadata} {
			one := string(rendering(level).AppendEntity(nil, k, want[i].Entity))
			decoder := json.NewDecoder(strings.NewReader(one))
			decoder.UseNumber()
			var decoded map[string]any
			require.NoErrorf(t, decoder.Decode(&decoded), "seed %d, entity %d: %s", seed, i, one)
			if decoded["PartitionKey"] != k.Partition || decoded["RowKey"] != k.Row ||
				decoded["Timestamp"] != version.String() || decoded["odata.etag"] != version.ETag() {
				t.Fatalf("seed %d, entity %d: %s is of another key or version than %q %s", seed, i, one, k, version)
			}
			for _, p := range all {
				if !decodedAs(decoded, p) {
					t.Fatalf("seed %d, entity %d: %s shows %s badly; want %s", seed, i, one, p.Name, showProperties(all))
				}
			}
			if row, err := wire.ParseEntity(one); err != nil || !sameRows([]wire.Row{row}, want[i:i+1]) {
				t.Fatalf("seed %d, entity %d: ParseEntity(%s) = %q, %v; want %q and the same block", seed, i, one, row.Key, err, k)
			}
		}
	}
	kept := wire.Row{Key: entity.Key{Partition: "kept"}}
	rows, err := wire.ParsePage([]wire.Row{kept}, string(rendering(wire.MinimalMetadata).AppendPageEnd(text)))
	want = append([]wire.Row{kept}, want...)
	assert.Truef(t, err == nil && sameRows(rows, want),
		"seed %d: ParsePage = %d rows, %v; want the row before and those that were shown, %d", seed, len(rows), err, len(want))
}

// Doubles leave as the shortest text that is read as the same: hundredths, their
// neighbours and any others.
func TestDoublesLeaveShortest(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 3))
	for i := range 60_000 {
		f := float64(rng.Int64N(4_000_000_000_000)-2_000_000_000_000) / 100
		switch i % 5 {
		case 1:
			f = float64(rng.IntN(20_000)-10_000) / 100
		case 2:
			f = math.Nextafter(f, 0)
		case 3:
			f = math.Float64frombits(rng.Uint64())
		case 4:
			f = float64(rng.IntN(2_000_000)-1_000_000) / 1000
		}
		if math.IsNaN(f) || math.IsInf(f, 0) {
			continue
		}
		format := byte('f')
		if size := math.Abs(f); size != 0 && (size < 1e-6 || size >= 1e21) {
			format = 'e'
		}
		want := strconv.FormatFloat(f, format, -1, 64)
		if !strings.ContainsAny(want, ".e") {
			want += ".0"
		}
		p := entity.Pack(nil, ticks("2026-11-01T08:30:00Z"), properties("a", entity.Double(f)))
		text := string(rendering(wire.NoMetadata).AppendRow(nil, true, entity.Key{}, p))
		if _, got, _ := strings.Cut(text, `"a":`); got != want+"}" {
			t.Fatalf("%x is shown as %s; want %s", f, got, want)
		}
	}
}
