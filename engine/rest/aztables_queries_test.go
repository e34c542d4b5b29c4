package rest_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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
	a := newStandard(t, nil)
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
	a := newStandard(t, nil)
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

func TestStandardClientSelects(t *testing.T) {
	t.Parallel()
	a := newStandard(t, nil)
	table := a.table(t, "Races")
	must(table.AddEntity(t.Context(), encode(t, everyType("full", "1")), nil))(t)
	pager := table.NewListEntitiesPager(&aztables.ListEntitiesOptions{Select: pointer("RowKey,Least,Guid,Missing"), Format: pointer(aztables.MetadataFormatNone)})
	page, err := pager.NextPage(t.Context())
	require.Truef(t, err == nil && len(page.Entities) == 1, "NextPage = %v, %v; want one entity", page, err)
	const want = `{"Guid":"4185404a-5818-48c3-b9be-f217df0dba6f","Least":"-9223372036854775808","Missing":null,"RowKey":"1"}`
	assert.Equal(t, want, string(page.Entities[0]), "selected")
	page = must(table.NewListEntitiesPager(&aztables.ListEntitiesOptions{Select: pointer("RowKey,Least,Text")}).NextPage(t.Context()))(t)
	e := decodeEntity(t, page.Entities[0])
	assert.Truef(t, e.PartitionKey == "" && e.RowKey == "1" && len(e.Properties) == 2 && e.Properties["Least"] == aztables.EDMInt64(-1<<63) && e.ETag != "",
		"selected = %+v; want RowKey, tag and two properties", e)
}
