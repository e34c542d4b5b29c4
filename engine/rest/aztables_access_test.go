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
	return must(aztables.NewClientWithNoCredential(a.url+"/"+table+"?"+options, a.options))(t)
}

// fiveByFive makes a table of the rows 0 to 4 in each of the partitions 0 to 4.
func fiveByFive(t *testing.T, a *standard) *aztables.Client {
	t.Helper()
	table := a.table(t, "Races")
	for i := range 25 {
		body := fmt.Sprintf(`{"PartitionKey":"%d","RowKey":"%d","Number":%d}`, i/5, i%5, i)
		must(table.AddEntity(t.Context(), []byte(body), nil))(t)
	}
	return table
}

// validity is when the signatures of a test are of use: now.
func validity() (from, until time.Time) {
	now := time.Now().UTC()
	return now.Add(-time.Minute), now.Add(time.Hour)
}

func TestStandardClientWithAnAccountsSignature(t *testing.T) {
	t.Parallel()
	a := newStandard(t, nil)
	ctx := t.Context()
	from, until := validity()
	url, err := a.service.GetAccountSASURL(aztables.AccountSASResourceTypes{Service: true, Container: true, Object: true},
		aztables.AccountSASPermissions{Read: true, Write: true, Delete: true, List: true, Add: true, Create: true, Update: true}, from, until)
	require.NoError(t, err)
	service := must(aztables.NewServiceClientWithNoCredential(url, a.options))(t)
	must(service.CreateTable(ctx, "Boats", nil))(t)
	must(service.GetProperties(ctx, nil))(t)
	boats := service.NewClient("Boats")
	must(boats.SubmitTransaction(ctx, actions(t, "full", "add 1 1", "insert-merge 2 2"), nil))(t)
	assert.Equal(t, "1=1 2=2", numbers(t, boats, "full"), "after a transaction")
	refused(boats.GetAccessPolicy(ctx, nil))(t, "access policies", 403, "AuthorizationFailure")
	must(service.DeleteTable(ctx, "Boats", nil))(t)
}

func TestStandardClientWithATablesSignature(t *testing.T) {
	t.Parallel()
	a := newStandard(t, nil)
	table := fiveByFive(t, a)
	ctx := t.Context()
	a.table(t, "Boats")
	from, until := validity()
	url := must(table.GetTableSASURL(aztables.SASPermissions{Read: true}, from, until))(t)
	// The client forgets the slash before the table's name.
	_, query, _ := strings.Cut(url, "?")
	reader := withSignature(t, a, "Races", query)
	keys, _ := listAll(t, reader, nil)
	assert.Len(t, keys, 25)
	refused(reader.AddEntity(ctx, []byte(`{"PartitionKey":"9","RowKey":"9"}`), nil))(t, "a reader adds", 403, "AuthorizationPermissionMismatch")
	refused(withSignature(t, a, "Boats", query).GetEntity(ctx, "full", "1", nil))(t, "a reader of another table", 403, "AuthorizationFailure")
}

// The figures are those of a test that its authors have run on the real service.
func TestStandardClientWithARangeOfKeys(t *testing.T) {
	t.Parallel()
	a := newStandard(t, nil)
	fiveByFive(t, a)
	ctx := t.Context()
	from, until := validity()
	options, err := aztables.SASSignatureValues{TableName: "Races", Permissions: "raud", StartTime: from, ExpiryTime: until,
		StartPartitionKey: "1", StartRowKey: "1", EndPartitionKey: "3", EndRowKey: "3"}.Sign(a.key)
	require.NoError(t, err)
	// The client signs the range, but leaves it out of the URL.
	refused(withSignature(t, a, "Races", options).GetEntity(ctx, "2", "2", nil))(t, "a range that was left out", 403, "AuthenticationFailed")
	ranged := withSignature(t, a, "Races", options+"&spk=1&srk=1&epk=3&erk=3")
	keys, _ := listAll(t, ranged, &aztables.ListEntitiesOptions{Top: pointer[int32](4)})
	assert.Equal(t, "1|1 1|2 1|3 1|4 2|0 2|1 2|2 2|3 2|4 3|0 3|1 3|2 3|3", strings.Join(keys, " "), "within the range")
	filter := "PartitionKey gt '1' and PartitionKey le '4' and RowKey gt '1' and RowKey le '4'"
	keys, _ = listAll(t, ranged, &aztables.ListEntitiesOptions{Filter: &filter})
	assert.Len(t, keys, 5, "within the range and a filter")
	refused(ranged.GetEntity(ctx, "3", "4", nil))(t, "a get outside of the range", 403, "AuthorizationFailure")
	must(ranged.UpsertEntity(ctx, []byte(`{"PartitionKey":"2","RowKey":"9"}`), nil))(t)
	refused(ranged.SubmitTransaction(ctx, actions(t, "3", "merge 1 10", "merge 4 10"), nil))(t, "a transaction half outside", 202, "AuthorizationFailure")
}

func TestStandardClientWithAStoredPolicy(t *testing.T) {
	t.Parallel()
	a := newStandard(t, nil)
	table := fiveByFive(t, a)
	ctx := t.Context()
	from, until := validity()
	acl := []*aztables.SignedIdentifier{{ID: pointer("readers"), AccessPolicy: &aztables.AccessPolicy{
		Start: &from, Expiry: &until, Permission: pointer("r")}}, {ID: pointer("nothing")}}
	must(table.SetAccessPolicy(ctx, &aztables.SetAccessPolicyOptions{TableACL: acl}))(t)
	stored := must(table.GetAccessPolicy(ctx, nil))(t).SignedIdentifiers
	require.Len(t, stored, 2)
	assert.Equal(t, "readers", *stored[0].ID)
	assert.Equal(t, "r", *stored[0].AccessPolicy.Permission)
	assert.WithinDuration(t, until, *stored[0].AccessPolicy.Expiry, 100, "times are kept to 100 ns")
	options := must(aztables.SASSignatureValues{TableName: "Races", Identifier: "readers"}.Sign(a.key))(t)
	policed := withSignature(t, a, "Races", options)
	must(policed.GetEntity(ctx, "0", "0", nil))(t)
	refused(policed.DeleteEntity(ctx, "0", "0", nil))(t, "a policy to read", 403, "AuthorizationPermissionMismatch")
	must(table.SetAccessPolicy(ctx, nil))(t)
	refused(policed.GetEntity(ctx, "0", "0", nil))(t, "a policy revoked", 403, "AuthenticationFailed")
}
