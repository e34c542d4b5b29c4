package rest_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// withSignature returns a client of a table that has a signature and no key.
func withSignature(t *testing.T, a *standard, table, options string) *aztables.Client {
	t.Helper()
	client, err := aztables.NewClientWithNoCredential(a.url+"/"+table+"?"+options, a.options)
	require.NoError(t, err)
	return client
}

// fiveByFive makes a table of the rows 0 to 4 in each of the partitions 0 to 4.
func fiveByFive(t *testing.T, a *standard) *aztables.Client {
	t.Helper()
	table := a.table(t, "Races")
	for i := range 25 {
		body := fmt.Sprintf(`{"PartitionKey":"%d","RowKey":"%d","Number":%d}`, i/5, i%5, i)
		_, err := table.AddEntity(t.Context(), []byte(body), nil)
		require.NoError(t, err)
	}
	return table
}

// validity is when the signatures of a test are of use: now.
func validity() (from, until time.Time) {
	now := time.Now().UTC()
	return now.Add(-time.Minute), now.Add(time.Hour)
}

// The figures are those of a test that its authors have run on the real service.
func TestStandardClientWithARangeOfKeys(t *testing.T) {
	t.Parallel()
	a := newStandard(t)
	fiveByFive(t, a)
	ctx := t.Context()
	from, until := validity()
	options, err := aztables.SASSignatureValues{TableName: "Races", Permissions: "raud", StartTime: from, ExpiryTime: until,
		StartPartitionKey: "1", StartRowKey: "1", EndPartitionKey: "3", EndRowKey: "3"}.Sign(a.key)
	require.NoError(t, err)
	// The client signs the range, but leaves it out of the URL.
	_, err = withSignature(t, a, "Races", options).GetEntity(ctx, "2", "2", nil)
	wantError(t, "a range that was left out", err, 403, "AuthenticationFailed")
	ranged := withSignature(t, a, "Races", options+"&spk=1&srk=1&epk=3&erk=3")
	keys, _ := listAll(t, ranged, &aztables.ListEntitiesOptions{Top: pointer[int32](4)})
	assert.Equal(t, "1|1 1|2 1|3 1|4 2|0 2|1 2|2 2|3 2|4 3|0 3|1 3|2 3|3", strings.Join(keys, " "), "within the range")
	filter := "PartitionKey gt '1' and PartitionKey le '4' and RowKey gt '1' and RowKey le '4'"
	if keys, _ := listAll(t, ranged, &aztables.ListEntitiesOptions{Filter: &filter}); len(keys) != 5 {
		t.Errorf("within the range and a filter: %v; want 5", keys)
	}
	for _, key := range [][2]string{{"0", "3"}, {"3", "4"}, {"1", "0"}} {
		_, err := ranged.GetEntity(ctx, key[0], key[1], nil)
		wantError(t, fmt.Sprint("a get of ", key), err, 403, "AuthorizationFailure")
	}
	_, err = ranged.UpsertEntity(ctx, []byte(`{"PartitionKey":"2","RowKey":"9"}`), nil)
	assert.NoError(t, err)
	_, err = ranged.SubmitTransaction(ctx, actions(t, "3", "merge 1 10", "merge 4 10"), nil)
	wantError(t, "a transaction half outside", err, 202, "AuthorizationFailure")
}
