package rest_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/entity"
)

// entitiesOf follows the pages of a query to their end.
func entitiesOf(t *testing.T, table *aztables.Client, options *aztables.ListEntitiesOptions) (all []aztables.EDMEntity, pages int) {
	t.Helper()
	for pager := table.NewListEntitiesPager(options); pager.More(); pages++ {
		for _, one := range must(pager.NextPage(t.Context()))(t).Entities {
			all = append(all, decodeEntity(t, one))
		}
	}
	return all, pages
}

// listAll returns PartitionKey|RowKey of each entity.
func listAll(t *testing.T, table *aztables.Client, options *aztables.ListEntitiesOptions) (keys []string, pages int) {
	t.Helper()
	all, pages := entitiesOf(t, table, options)
	for _, e := range all {
		keys = append(keys, e.PartitionKey+"|"+e.RowKey)
	}
	return keys, pages
}

// Thousands of rows, with keys that no header can carry as they are, arrive once
// each and in order, however long the pages are.
func TestStandardClientPages(t *testing.T) {
	t.Parallel()
	a := newStandard(t)
	table := a.table(t, "Races")
	var want []string
	for _, partition := range []string{"", "'", "a b", "ä", "\U0001F3C3"} {
		for batch := range 5 {
			var all []aztables.TransactionAction
			for i := range 100 {
				row := fmt.Sprintf("%d %02dß%%+&", batch, i)
				if batch+i == 0 {
					row = ""
				}
				want = append(want, partition+"|"+row)
				all = append(all, aztables.TransactionAction{ActionType: aztables.TransactionTypeAdd,
					Entity: []byte(fmt.Sprintf(`{"PartitionKey":%q,"RowKey":%q,"Number":%d}`, partition, row, i))})
			}
			must(table.SubmitTransaction(t.Context(), all, nil))(t)
		}
	}
	for _, row := range []struct {
		name    string
		options *aztables.ListEntitiesOptions
		every   int
		pages   int
	}{
		{"as the service pages", nil, 1, 3},
		{"300 a page", &aztables.ListEntitiesOptions{Top: pointer[int32](300)}, 1, 9},
		{"7 a page, of one in ten", &aztables.ListEntitiesOptions{Top: pointer[int32](70), Filter: pointer("Number eq 0 or Number eq 50"),
			Select: pointer("PartitionKey,RowKey")}, 50, 1},
	} {
		got, pages := listAll(t, table, row.options)
		var expected []string
		for i, key := range want {
			if i%row.every == 0 {
				expected = append(expected, key)
			}
		}
		assert.Truef(t, slices.Equal(got, expected) && pages == row.pages,
			"%s: %d entities in %d pages; want %d in %d, in order", row.name, len(got), pages, len(expected), row.pages)
	}
	got, pages := listAll(t, table, &aztables.ListEntitiesOptions{Top: pointer[int32](0)})
	assert.Truef(t, len(got) == 0 && pages == 1, "none a page: %d entities in %d pages; want none in one", len(got), pages)
	refused(table.NewListEntitiesPager(&aztables.ListEntitiesOptions{Top: pointer[int32](1001)}).NextPage(t.Context()))(t, "a page of 1001", 400, aztables.InvalidInput)
}

// The literals of each type, and how they are compared.
func TestStandardClientFilters(t *testing.T) {
	t.Parallel()
	a := newStandard(t)
	table := a.table(t, "Races")
	born := time.Date(1974, 5, 1, 10, 30, 0, 123_456_700, time.UTC)
	for i := range 5 {
		e := aztables.EDMEntity{Entity: aztables.Entity{PartitionKey: "O Brien", RowKey: fmt.Sprint(i)}, Properties: map[string]any{
			"Text": fmt.Sprintf("it's %d", i), "Small": int32(i), "Large": aztables.EDMInt64(int64(i) << 40), "Part": float64(i) + 0.5,
			"Even": i%2 == 0, "Born": aztables.EDMDateTime(born.AddDate(i, 0, 0)),
			"Guid":   aztables.EDMGUID(fmt.Sprintf("4185404a-5818-48c3-b9be-f217df0dba6%d", i)),
			"Binary": aztables.EDMBinary([]byte{0xA0, byte(i)})}}
		if i == 4 {
			e.Properties["Extra"] = "x"
		}
		must(table.AddEntity(t.Context(), encode(t, e), nil))(t)
	}
	for filter, want := range map[string]string{
		"":                                "01234",
		"PartitionKey eq 'O Brien'":       "01234",
		"RowKey ge '2' and RowKey lt '4'": "23",
		"Text eq 'it''s 3'":               "3",
		"Small gt 2":                      "34",
		"Large eq 1099511627776L":         "1",
		"Part le 1.5":                     "01",
		"Even":                            "024",
		"Guid eq guid'4185404A-5818-48c3-b9be-f217df0dba62'": "2",
		"Binary eq X'a003'":      "3",
		"Binary gt binary'A002'": "34",
		"Extra eq 'x'":           "4",
		"Born eq datetime'" + born.AddDate(2, 0, 0).Format("2006-01-02T15:04:05.9999999Z") + "'": "2",
		"Born lt datetime'" + born.AddDate(2, 0, 0).Format("2006-01-02T15:04:05.9999999Z") + "'": "01",
		"Timestamp gt datetime'2020-01-01T00:00:00Z'":                                            "01234",
	} {
		keys, _ := listAll(t, table, &aztables.ListEntitiesOptions{Filter: &filter})
		assert.Equal(t, want, strings.ReplaceAll(strings.Join(keys, ""), "O Brien|", ""), filter)
	}
	for filter, code := range map[string]aztables.TableErrorCode{"Small eq": aztables.InvalidInput, "Small eq 'x": aztables.InvalidInput,
		"X'a' eq Binary": aztables.InvalidInput, "startswith(Text,'it')": aztables.NotImplemented, "Small add 1 eq 2": aztables.NotImplemented} {
		status := map[bool]int{false: 400, true: 501}[code == aztables.NotImplemented]
		refused(table.NewListEntitiesPager(&aztables.ListEntitiesOptions{Filter: &filter}).NextPage(t.Context()))(t, filter, status, code)
	}
}

// everyType is an entity of all types, at the ends of their ranges.
func everyType(partition, row string) aztables.EDMEntity {
	return aztables.EDMEntity{
		Entity: aztables.Entity{PartitionKey: partition, RowKey: row},
		Properties: map[string]any{
			"Text": "O'Brien \U0001F3C3 \"quoted\" \\ \n", "Empty": "", "Long": strings.Repeat("ä", 32768),
			"Yes": true, "No": false,
			"Small": int32(math.MinInt32), "Large": int32(math.MaxInt32),
			"Least": aztables.EDMInt64(math.MinInt64), "Most": aztables.EDMInt64(math.MaxInt64),
			// A whole double is not among them: the client sends 5 for 5.0, and reads
			// an Int32 where it gets 5.0.
			"Part": 0.1, "Tiny": math.SmallestNonzeroFloat64, "Huge": -math.MaxFloat64,
			"Binary": aztables.EDMBinary([]byte{0, 1, 254, 255}), "NoBinary": aztables.EDMBinary([]byte{}),
			"Guid":  aztables.EDMGUID("4185404a-5818-48c3-b9be-f217df0dba6f"),
			"First": aztables.EDMDateTime(time.Date(1601, 1, 1, 0, 0, 0, 0, time.UTC)),
			"Last":  aztables.EDMDateTime(time.Date(9999, 12, 31, 23, 59, 59, 999_999_900, time.UTC)),
		},
	}
}

// got reads an entity, and its properties without those of the service.
func got(t *testing.T, table *aztables.Client, partition, row string) (aztables.EDMEntity, azcore.ETag) {
	t.Helper()
	reply := must(table.GetEntity(t.Context(), partition, row, nil))(t)
	return decodeEntity(t, reply.Value), reply.ETag
}

func decodeEntity(t *testing.T, text []byte) (e aztables.EDMEntity) {
	t.Helper()
	require.NoErrorf(t, json.Unmarshal(text, &e), "%s", text)
	return e
}

func TestStandardClientEntitiesOfEveryType(t *testing.T) {
	t.Parallel()
	a := newStandard(t)
	table := a.table(t, "Races")
	for _, key := range [][2]string{{"full", "1"}, {"100% +&=", "ä \U0001F3C3"}, {strings.Repeat("\U0001F3C3", 256), strings.Repeat("k", 512)}} {
		want := everyType(key[0], key[1])
		added := must(table.AddEntity(t.Context(), encode(t, want), nil))(t)
		echoed := decodeEntity(t, added.Value)
		read, tag := got(t, table, key[0], key[1])
		for name, e := range map[string]aztables.EDMEntity{"echo": echoed, "entity read": read} {
			assert.Equal(t, [2]string{e.PartitionKey, e.RowKey}, key, name)
			assert.Len(t, e.Properties, len(want.Properties), name)
			for property, value := range want.Properties {
				assert.Equalf(t, value, e.Properties[property], "the %s of %q: %s", name, key, property)
			}
			// Tag and Timestamp are one.
			tags := []string{e.ETag, string(added.ETag), entity.TicksOf(time.Time(e.Timestamp)).ETag()}
			assert.Equalf(t, slices.Repeat([]string{string(tag)}, 3), tags, "the %s of %q: tags", name, key)
		}
	}
	// What the client makes an entity of doubles the quotes of its keys; in plain
	// JSON they are as they are.
	must(table.AddEntity(t.Context(), []byte(`{"PartitionKey":"O'Brien","RowKey":"a'b''c","Number":7}`), nil))(t)
	quoted, _ := got(t, table, "O'Brien", "a'b''c")
	assert.Equal(t, int32(7), quoted.Properties["Number"], "an entity with quotes in its keys")
	// At the other levels the client finds what they leave.
	for format, types := range map[aztables.MetadataFormat]bool{aztables.MetadataFormatFull: true, aztables.MetadataFormatNone: false} {
		reply := must(table.GetEntity(t.Context(), "full", "1", &aztables.GetEntityOptions{Format: &format}))(t)
		e := decodeEntity(t, reply.Value)
		assert.Truef(t, (e.ID != "") == types && strings.Contains(string(reply.Value), "@odata.type") == types && e.Properties["Part"] == 0.1,
			"GetEntity as %s = %s; want identity and types: %v", format, reply.Value, types)
	}
}

func TestStandardClientWrites(t *testing.T) {
	t.Parallel()
	a := newStandard(t)
	table := a.table(t, "Races")
	ctx := t.Context()
	body := func(properties string) []byte {
		return []byte(`{"PartitionKey":"full","RowKey":"1"` + properties + `}`)
	}
	const other = azcore.ETag(`W/"datetime'2020-01-01T00%3A00%3A00Z'"`)
	merge, replace := aztables.UpdateModeMerge, aztables.UpdateModeReplace
	// Without the entity: what must be there is not, what need not be is made.
	for _, mode := range []aztables.UpdateMode{merge, replace} {
		refused(table.UpdateEntity(ctx, body(""), &aztables.UpdateEntityOptions{UpdateMode: mode}))(t, "an update of nothing", 404, aztables.ResourceNotFound)
		refused(table.UpdateEntity(ctx, body(""), &aztables.UpdateEntityOptions{UpdateMode: mode, IfMatch: pointer(other)}))(t, "an update of nothing in another version", 404, aztables.ResourceNotFound)
		reply := must(table.UpsertEntity(ctx, body(`,"A":1`), &aztables.UpsertEntityOptions{UpdateMode: mode}))(t)
		_, tag := got(t, table, "full", "1")
		assert.Equal(t, tag, reply.ETag, "the tag of an upsert")
		must(table.DeleteEntity(ctx, "full", "1", nil))(t)
	}
	refused(table.DeleteEntity(ctx, "full", "1", nil))(t, "a delete of nothing", 404, aztables.ResourceNotFound)
	refused(table.GetEntity(ctx, "full", "1", nil))(t, "a get of nothing", 404, aztables.ResourceNotFound)

	must(table.AddEntity(ctx, body(`,"A":1,"B":"x"`), nil))(t)
	refused(table.AddEntity(ctx, body(""), nil))(t, "a second insert", 409, aztables.EntityAlreadyExists)
	// With it: merge keeps what it does not name, replace drops it.
	for _, step := range []struct {
		upserts    bool
		mode       aztables.UpdateMode
		properties string
		want       map[string]any
	}{
		{false, merge, `,"B":2.5,"C":true`, map[string]any{"A": int32(1), "B": 2.5, "C": true}},
		{true, merge, `,"A":2`, map[string]any{"A": int32(2), "B": 2.5, "C": true}},
		{false, replace, `,"D":"y"`, map[string]any{"D": "y"}},
		{true, replace, ``, nil},
	} {
		_, before := got(t, table, "full", "1")
		var tag azcore.ETag
		if step.upserts {
			tag = must(table.UpsertEntity(ctx, body(step.properties), &aztables.UpsertEntityOptions{UpdateMode: step.mode}))(t).ETag
		} else {
			tag = must(table.UpdateEntity(ctx, body(step.properties), &aztables.UpdateEntityOptions{UpdateMode: step.mode}))(t).ETag
		}
		now, after := got(t, table, "full", "1")
		assert.Equalf(t, after, tag, "%+v: tag of the reply and of a get", step)
		assert.NotEqualf(t, before, tag, "%+v: tags before and after", step)
		assert.Truef(t, maps.Equal(step.want, now.Properties), "%+v: properties %v", step, now.Properties)
	}
	// A tag is good once.
	_, tag := got(t, table, "full", "1")
	for _, mode := range []aztables.UpdateMode{merge, replace} {
		refused(table.UpdateEntity(ctx, body(""), &aztables.UpdateEntityOptions{UpdateMode: mode, IfMatch: pointer(other)}))(t, "an update of another version", 412, aztables.UpdateConditionNotSatisfied)
		reply := must(table.UpdateEntity(ctx, body(""), &aztables.UpdateEntityOptions{UpdateMode: mode, IfMatch: &tag}))(t)
		assert.NotEqual(t, tag, reply.ETag, "tags before and after an update")
		refused(table.UpdateEntity(ctx, body(""), &aztables.UpdateEntityOptions{UpdateMode: mode, IfMatch: &tag}))(t, "an update of a version that is over", 412, aztables.UpdateConditionNotSatisfied)
		tag = reply.ETag
	}
	refused(table.DeleteEntity(ctx, "full", "1", &aztables.DeleteEntityOptions{IfMatch: pointer(other)}))(t, "a delete of another version", 412, aztables.UpdateConditionNotSatisfied)
	must(table.DeleteEntity(ctx, "full", "1", &aztables.DeleteEntityOptions{IfMatch: &tag}))(t)
}
