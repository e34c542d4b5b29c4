package rest_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// listAll follows the pages of a query to their end: PartitionKey|RowKey of each
// entity.
func listAll(t *testing.T, table *aztables.Client, options *aztables.ListEntitiesOptions) (keys []string, pages int) {
	t.Helper()
	for pager := table.NewListEntitiesPager(options); pager.More(); pages++ {
		page, err := pager.NextPage(t.Context())
		require.NoError(t, err)
		for _, one := range page.Entities {
			e := decodeEntity(t, one)
			keys = append(keys, e.PartitionKey+"|"+e.RowKey)
		}
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
			_, err := table.SubmitTransaction(t.Context(), all, nil)
			require.NoError(t, err)
		}
	}
	for _, row := range []struct {
		name         string
		options      *aztables.ListEntitiesOptions
		every, pages int
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
	if got, pages := listAll(t, table, &aztables.ListEntitiesOptions{Top: pointer[int32](0)}); len(got) != 0 || pages != 1 {
		t.Errorf("none a page: %d entities in %d pages; want none in one", len(got), pages)
	}
	_, err := table.NewListEntitiesPager(&aztables.ListEntitiesOptions{Top: pointer[int32](1001)}).NextPage(t.Context())
	wantError(t, "a page of 1001", err, 400, aztables.InvalidInput)
}

func TestStandardClientSelects(t *testing.T) {
	t.Parallel()
	a := newStandard(t)
	table := a.table(t, "Races")
	_, err := table.AddEntity(t.Context(), encode(t, everyType("full", "1")), nil)
	require.NoError(t, err)
	pager := table.NewListEntitiesPager(&aztables.ListEntitiesOptions{Select: pointer("RowKey,Least,Guid,Missing"), Format: pointer(aztables.MetadataFormatNone)})
	page, err := pager.NextPage(t.Context())
	require.Truef(t, err == nil && len(page.Entities) == 1, "NextPage = %v, %v; want one entity", page, err)
	const want = `{"Guid":"4185404a-5818-48c3-b9be-f217df0dba6f","Least":"-9223372036854775808","Missing":null,"RowKey":"1"}`
	assert.Equal(t, want, string(page.Entities[0]), "selected")
	page, err = table.NewListEntitiesPager(&aztables.ListEntitiesOptions{Select: pointer("RowKey,Least,Text")}).NextPage(t.Context())
	require.NoError(t, err)
	e := decodeEntity(t, page.Entities[0])
	if e.PartitionKey != "" || e.RowKey != "1" || len(e.Properties) != 2 || e.Properties["Least"] != aztables.EDMInt64(-1<<63) || e.ETag == "" {
		t.Errorf("selected = %+v; want RowKey, tag and two properties", e)
	}
}
