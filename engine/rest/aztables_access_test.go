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
		if _, err := table.AddEntity(t.Context(), []byte(body), nil); err != nil {
			t.Fatal(err)
		}
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
	service, err := aztables.NewServiceClientWithNoCredential(url, a.options)
	require.NoError(t, err)
	if _, err := service.CreateTable(ctx, "Boats", nil); err != nil {
		t.Error(err)
	}
	if _, err := service.GetProperties(ctx, nil); err != nil {
		t.Error(err)
	}
	boats := service.NewClient("Boats")
	if _, err := boats.SubmitTransaction(ctx, actions(t, "full", "add 1 1", "insert-merge 2 2"), nil); err != nil {
		t.Error(err)
	}
	assert.Equal(t, "1=1 2=2", numbers(t, boats, "full"), "after a transaction")
	_, err = boats.GetAccessPolicy(ctx, nil)
	wantError(t, "access policies", err, 403, "AuthorizationFailure")
	if _, err := service.DeleteTable(ctx, "Boats", nil); err != nil {
		t.Error(err)
	}
}

func TestStandardClientWithATablesSignature(t *testing.T) {
	t.Parallel()
	a := newStandard(t, nil)
	table := fiveByFive(t, a)
	ctx := t.Context()
	a.table(t, "Boats")
	from, until := validity()
	url, err := table.GetTableSASURL(aztables.SASPermissions{Read: true}, from, until)
	require.NoError(t, err)
	// The client forgets the slash before the table's name.
	_, query, _ := strings.Cut(url, "?")
	reader := withSignature(t, a, "Races", query)
	if keys, _ := listAll(t, reader, nil); len(keys) != 25 {
		t.Errorf("a reader found %d entities; want 25", len(keys))
	}
	_, err = reader.AddEntity(ctx, []byte(`{"PartitionKey":"9","RowKey":"9"}`), nil)
	wantError(t, "a reader adds", err, 403, "AuthorizationPermissionMismatch")
	_, err = withSignature(t, a, "Boats", query).GetEntity(ctx, "full", "1", nil)
	wantError(t, "a reader of another table", err, 403, "AuthorizationFailure")
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
	if _, err := ranged.UpsertEntity(ctx, []byte(`{"PartitionKey":"2","RowKey":"9"}`), nil); err != nil {
		t.Error(err)
	}
	_, err = ranged.SubmitTransaction(ctx, actions(t, "3", "merge 1 10", "merge 4 10"), nil)
	wantError(t, "a transaction half outside", err, 202, "AuthorizationFailure")
}

func TestStandardClientWithAStoredPolicy(t *testing.T) {
	t.Parallel()
	a := newStandard(t, nil)
	table := fiveByFive(t, a)
	ctx := t.Context()
	from, until := validity()
	acl := []*aztables.SignedIdentifier{{ID: pointer("readers"), AccessPolicy: &aztables.AccessPolicy{
		Start: &from, Expiry: &until, Permission: pointer("r")}}, {ID: pointer("nothing")}}
	if _, err := table.SetAccessPolicy(ctx, &aztables.SetAccessPolicyOptions{TableACL: acl}); err != nil {
		t.Fatal(err)
	}
	stored, err := table.GetAccessPolicy(ctx, nil)
	require.Truef(t, err == nil && len(stored.SignedIdentifiers) == 2, "GetAccessPolicy = %+v, %v; want two", stored, err)
	// Times are kept to 100 ns.
	readers := stored.SignedIdentifiers[0]
	if *readers.ID != "readers" || !readers.AccessPolicy.Expiry.Equal(until.Truncate(100)) || *readers.AccessPolicy.Permission != "r" {
		t.Errorf("GetAccessPolicy = %s; want %s", encode(t, readers), encode(t, acl[0]))
	}
	options, err := aztables.SASSignatureValues{TableName: "Races", Identifier: "readers"}.Sign(a.key)
	require.NoError(t, err)
	policed := withSignature(t, a, "Races", options)
	if _, err := policed.GetEntity(ctx, "0", "0", nil); err != nil {
		t.Error(err)
	}
	_, err = policed.DeleteEntity(ctx, "0", "0", nil)
	wantError(t, "a policy to read", err, 403, "AuthorizationPermissionMismatch")
	for range 4 {
		acl = append(acl, &aztables.SignedIdentifier{ID: pointer(fmt.Sprint(len(acl)))})
	}
	if _, err := table.SetAccessPolicy(ctx, &aztables.SetAccessPolicyOptions{TableACL: acl}); err == nil {
		t.Error("SetAccessPolicy of six = nil; want an error")
	}
	if _, err := table.SetAccessPolicy(ctx, nil); err != nil {
		t.Error(err)
	}
	_, err = policed.GetEntity(ctx, "0", "0", nil)
	wantError(t, "a policy revoked", err, 403, "AuthenticationFailed")
}
