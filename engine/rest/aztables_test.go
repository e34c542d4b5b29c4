package rest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/engine/rest"
	"loadgen/engine/rest/resttest"
)

// standard is the service behind a socket, and the standard client of Go at the
// other end of it.
type standard struct {
	url     string
	key     *aztables.SharedKeyCredential
	options *aztables.ClientOptions
	service *aztables.ServiceClient
	// dials counts the connections.
	dials atomic.Int64
}

// newStandard serves over TLS, since the client's own signatures are for that
// alone.
func newStandard(t *testing.T) *standard {
	t.Helper()
	real := clock.NewReal()
	a := &standard{options: &aztables.ClientOptions{}}
	ours, theirs := certified(t)
	h := newService(t, resttest.Options{Rest: rest.Options{Clock: real, Calendar: real}})
	a.url = open(t, rest.ListenOptions{TLS: ours, Handler: h}).URL() + "/" + account
	a.options.Transport = &http.Client{Transport: &http.Transport{TLSClientConfig: theirs, DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		a.dials.Add(1)
		return new(net.Dialer).DialContext(ctx, network, address)
	}}}
	a.options.Retry.MaxRetries = -1
	a.key = must(aztables.NewSharedKeyCredential(account, contoso.Secret))(t)
	a.service = must(aztables.NewServiceClientWithSharedKey(a.url, a.key, a.options))(t)
	return a
}

// table makes a table and returns the client of it.
func (a *standard) table(t *testing.T, name string) *aztables.Client {
	t.Helper()
	must(a.service.CreateTable(t.Context(), name, nil))(t)
	return a.service.NewClient(name)
}

// refused returns a function that fails the test unless the client understood an error as what it is.
func refused[T any](_ T, err error) func(t *testing.T, name string, status int, code aztables.TableErrorCode) error {
	return func(t *testing.T, name string, status int, code aztables.TableErrorCode) error {
		t.Helper()
		var failed *azcore.ResponseError
		require.Truef(t, errors.As(err, &failed) && failed.StatusCode == status && failed.ErrorCode == string(code),
			"%s: error %v; want a ResponseError of %d %s", name, err, status, code)
		return failed
	}
}

func pointer[T any](v T) *T { return &v }

func encode(t *testing.T, v any) []byte {
	t.Helper()
	return must(json.Marshal(v))(t)
}

// tableNames lists all tables, so many a page.
func (a *standard) tableNames(t *testing.T, options *aztables.ListTablesOptions) (names []string, pages int) {
	t.Helper()
	for pager := a.service.NewListTablesPager(options); pager.More(); pages++ {
		page := must(pager.NextPage(t.Context()))(t)
		for _, table := range page.Tables {
			names = append(names, *table.Name)
		}
	}
	return names, pages
}

func TestStandardClientTables(t *testing.T) {
	t.Parallel()
	a := newStandard(t)
	for _, name := range []string{"Races", "boats", "Archers", "rowers"} {
		assert.Equal(t, name, *must(a.service.CreateTable(t.Context(), name, nil))(t).TableName)
	}
	for _, row := range []struct {
		name    string
		options *aztables.ListTablesOptions
		want    []string
		pages   int
	}{
		{"all", nil, []string{"Archers", "boats", "Races", "rowers"}, 1},
		{"a page each", &aztables.ListTablesOptions{Top: pointer[int32](1)}, []string{"Archers", "boats", "Races", "rowers"}, 4},
		{"two a page, in full", &aztables.ListTablesOptions{Top: pointer[int32](2), Format: pointer(aztables.MetadataFormatFull)},
			[]string{"Archers", "boats", "Races", "rowers"}, 2},
		{"by a filter", &aztables.ListTablesOptions{Filter: pointer("TableName ge 'Races' and TableName lt 'c'")}, []string{"boats", "Races"}, 1},
		{"none", &aztables.ListTablesOptions{Filter: pointer("TableName eq 'Riders'")}, nil, 1},
		{"by name alone", &aztables.ListTablesOptions{Select: pointer("TableName"), Format: pointer(aztables.MetadataFormatNone)},
			[]string{"Archers", "boats", "Races", "rowers"}, 1},
	} {
		names, pages := a.tableNames(t, row.options)
		assert.Equal(t, row.want, names, row.name)
		assert.Equalf(t, row.pages, pages, "%s: pages", row.name)
	}
	refused(a.service.CreateTable(t.Context(), "RACES", nil))(t, "a table that is there", 409, aztables.TableAlreadyExists)
	refused(a.service.CreateTable(t.Context(), "a-b", nil))(t, "a name that cannot be", 400, aztables.TableErrorCode("InvalidResourceName"))
	must(a.service.DeleteTable(t.Context(), "races", nil))(t)
	refused(a.service.DeleteTable(t.Context(), "Races", nil))(t, "a table that is gone", 404, aztables.ResourceNotFound)
	refused(a.service.NewClient("Races").GetEntity(t.Context(), "a", "b", nil))(t, "an entity of a table that is gone", 404, aztables.TableNotFound)
	must(a.service.NewClient("Races").CreateTable(t.Context(), nil))(t)
}

func TestStandardClientService(t *testing.T) {
	t.Parallel()
	a := newStandard(t)
	before := must(a.service.GetProperties(t.Context(), nil))(t)
	assert.Truef(t, len(before.Cors) == 0 && !*before.Logging.Read && !*before.HourMetrics.Enabled, "GetProperties = %+v; want everything off", before)
	keep := &aztables.RetentionPolicy{Enabled: pointer(true), Days: pointer[int32](5)}
	want := aztables.ServiceProperties{
		Logging:     &aztables.Logging{Version: pointer("1.0"), Read: pointer(true), Write: pointer(false), Delete: pointer(true), RetentionPolicy: keep},
		HourMetrics: &aztables.Metrics{Version: pointer("1.0"), Enabled: pointer(true), IncludeAPIs: pointer(true), RetentionPolicy: keep},
		MinuteMetrics: &aztables.Metrics{Version: pointer("1.0"), Enabled: pointer(false),
			RetentionPolicy: &aztables.RetentionPolicy{Enabled: pointer(false)}},
		Cors: []*aztables.CorsRule{{AllowedOrigins: pointer("http://a"), AllowedMethods: pointer("GET,PUT"), AllowedHeaders: pointer("x-ms-*"),
			ExposedHeaders: pointer(""), MaxAgeInSeconds: pointer[int32](60)}},
	}
	must(a.service.SetProperties(t.Context(), want, nil))(t)
	// What is nil keeps its value.
	must(a.service.SetProperties(t.Context(), aztables.ServiceProperties{Logging: want.Logging}, nil))(t)
	got := must(a.service.GetProperties(t.Context(), nil))(t)
	assert.JSONEq(t, string(encode(t, want)), string(encode(t, got.ServiceProperties)))
	want.Cors = append(want.Cors, want.Cors[0], want.Cors[0], want.Cors[0], want.Cors[0], want.Cors[0])
	refused(a.service.SetProperties(t.Context(), want, nil))(t, "six rules", 400, aztables.InvalidXmlDocument)

	refused(a.service.GetStatistics(t.Context(), nil))(t, "statistics of the primary", 400, "InvalidQueryParameterValue")
	secondary := must(aztables.NewServiceClientWithSharedKey(a.url+"-secondary", a.key, a.options))(t)
	replication := must(secondary.GetStatistics(t.Context(), nil))(t).GeoReplication
	assert.Equal(t, aztables.GeoReplicationStatusLive, *replication.Status)
	assert.Less(t, time.Since(*replication.LastSyncTime), time.Hour)
}

// The standard client keeps its connection, whatever it asks and whatever comes of it.
func TestStandardClientKeepsItsConnection(t *testing.T) {
	t.Parallel()
	a := newStandard(t)
	table := a.table(t, "Races")
	for i := range 10 {
		row := fmt.Sprint(i)
		add := encode(t, map[string]any{"PartitionKey": "p", "RowKey": row, "Text": strings.Repeat("x", i*3000)})
		must(table.AddEntity(t.Context(), add, nil))(t)
		refused(table.AddEntity(t.Context(), add, nil))(t, "a second insert", 409, aztables.EntityAlreadyExists)
		must(table.GetEntity(t.Context(), "p", row, nil))(t)
		actions := []aztables.TransactionAction{{ActionType: aztables.TransactionTypeInsertMerge, Entity: add}}
		must(table.SubmitTransaction(t.Context(), actions, nil))(t)
	}
	assert.EqualValues(t, 1, a.dials.Load(), "connections")
}

// actions makes a transaction: KIND ROW NUMBER, one after another.
func actions(t *testing.T, partition string, script ...string) (all []aztables.TransactionAction) {
	t.Helper()
	kinds := map[string]aztables.TransactionType{"add": aztables.TransactionTypeAdd, "delete": aztables.TransactionTypeDelete,
		"merge": aztables.TransactionTypeUpdateMerge, "replace": aztables.TransactionTypeUpdateReplace,
		"insert-merge": aztables.TransactionTypeInsertMerge, "insert-replace": aztables.TransactionTypeInsertReplace}
	for _, line := range script {
		words := strings.Fields(line)
		one := aztables.TransactionAction{ActionType: kinds[words[0]],
			Entity: []byte(fmt.Sprintf(`{"PartitionKey":%q,"RowKey":%q,"Number":%s}`, partition, words[1], words[2]))}
		if len(words) > 3 {
			one.IfMatch = pointer(azcore.ETag(words[3]))
		}
		all = append(all, one)
	}
	return all
}

// numbers shows the entities of a partition: ROW=NUMBER, tags left out.
func numbers(t *testing.T, table *aztables.Client, partition string) string {
	t.Helper()
	text := ""
	all, _ := entitiesOf(t, table, &aztables.ListEntitiesOptions{Filter: pointer("PartitionKey eq '" + partition + "'")})
	for _, e := range all {
		text += fmt.Sprintf("%s=%v ", e.RowKey, e.Properties["Number"])
	}
	return strings.TrimSpace(text)
}

// TestStandardClientTransactions has each begin with the rows 1 to 3.
func TestStandardClientTransactions(t *testing.T) {
	t.Parallel()
	a := newStandard(t)
	table := a.table(t, "Races")
	const before = "1=1 2=2 3=3"
	hundred := make([]string, 101)
	for i := range hundred {
		hundred[i] = fmt.Sprintf("insert-merge %d 7", 1000+i)
	}
	const stale = ` W/"datetime'2020-01-01T00%3A00%3A00Z'"`
	for i, row := range []struct {
		name   string
		script []string
		want   string
		code   aztables.TableErrorCode
		index  int
	}{
		{"one of each", []string{"add 4 40", "merge 1 10", "replace 2 20", "delete 3 0", "insert-merge 5 50", "insert-replace 6 60"}, "1=10 2=20 4=40 5=50 6=60", "", 0},
		{"an update without a tag is an upsert", []string{"merge 8 80", "replace 9 90"}, "1=1 2=2 3=3 8=80 9=90", "", 0},
		{"an update of whatever is there", []string{"merge 1 10 *", "replace 2 20 *"}, "1=10 2=20 3=3", "", 0},
		{"an insert of what is there", []string{"add 4 40", "add 2 20"}, before, aztables.EntityAlreadyExists, 1},
		{"an update of what is missing", []string{"add 4 40", "merge 1 10 *", "merge 9 90 *"}, before, aztables.ResourceNotFound, 2},
		{"a delete of what is missing", []string{"delete 9 0", "add 4 40"}, before, aztables.ResourceNotFound, 0},
		{"another version", []string{"add 4 40", "replace 1 10" + stale}, before, aztables.UpdateConditionNotSatisfied, 1},
		{"a row twice", []string{"merge 1 10", "add 4 40", "merge 1 11"}, before, aztables.InvalidDuplicateRow, 2},
		{"a hundred and one", hundred, before, aztables.InvalidInput, 99},
	} {
		partition := fmt.Sprint("p", i)
		must(table.SubmitTransaction(t.Context(), actions(t, partition, "add 1 1", "add 2 2", "add 3 3"), nil))(t)
		_, tag := got(t, table, partition, "1")
		_, err := table.SubmitTransaction(t.Context(), actions(t, partition, row.script...), nil)
		if row.code != "" {
			// The client makes its error of the reply as a whole: 202.
			failed := refused(0, err)(t, row.name, 202, row.code)
			assert.ErrorContains(t, failed, fmt.Sprintf(`"value":"%d:`, row.index), row.name)
			_, now := got(t, table, partition, "1")
			assert.Equalf(t, tag, now, "%s: tag of the first row", row.name)
		} else {
			assert.NoError(t, err, row.name)
		}
		assert.Equal(t, row.want, numbers(t, table, partition), row.name)
	}
	// A tag that is right is good in a transaction as well.
	_, tag := got(t, table, "p3", "1")
	must(table.SubmitTransaction(t.Context(), actions(t, "p3", "merge 1 100 "+string(tag), "delete 2 0"), nil))(t)
	assert.Equalf(t, "1=100 3=3", numbers(t, table, "p3"), "with the tag %s", tag)
	must(table.SubmitTransaction(t.Context(), actions(t, "hundred", hundred[:100]...), nil))(t)
	assert.Equal(t, 100, strings.Count(numbers(t, table, "hundred"), "=7"), "a hundred: entities")
	mixed := append(actions(t, "full", "add 1 1"), actions(t, "half", "add 1 1")...)
	refused(table.SubmitTransaction(t.Context(), mixed, nil))(t, "two partitions", 202, "CommandsInBatchActOnDifferentPartitions")
	refused(a.service.NewClient("Boats").SubmitTransaction(t.Context(), actions(t, "full", "add 1 1"), nil))(t, "a table that is missing", 202, aztables.TableNotFound)
}

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
	a := newStandard(t)
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
	a := newStandard(t)
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
