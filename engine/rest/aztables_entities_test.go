package rest_test

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/entity"
)

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
	reply, err := table.GetEntity(t.Context(), partition, row, nil)
	require.NoError(t, err)
	return decodeEntity(t, reply.Value), reply.ETag
}

func decodeEntity(t *testing.T, text []byte) (e aztables.EDMEntity) {
	t.Helper()
	if err := json.Unmarshal(text, &e); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return e
}

func TestStandardClientEntitiesOfEveryType(t *testing.T) {
	t.Parallel()
	a := newStandard(t, nil)
	table := a.table(t, "Races")
	for _, key := range [][2]string{{"full", "1"}, {"100% +&=", "ä \U0001F3C3"}, {strings.Repeat("\U0001F3C3", 256), strings.Repeat("k", 512)}} {
		want := everyType(key[0], key[1])
		added, err := table.AddEntity(t.Context(), encode(t, want), nil)
		require.NoErrorf(t, err, "AddEntity(%q)", key)
		echoed := decodeEntity(t, added.Value)
		read, tag := got(t, table, key[0], key[1])
		for name, e := range map[string]aztables.EDMEntity{"echo": echoed, "entity read": read} {
			if len(e.Properties) != len(want.Properties) || e.PartitionKey != key[0] || e.RowKey != key[1] {
				t.Errorf("the %s of %q is of %q, with %d properties; want %d", name, key, e.RowKey, len(e.Properties), len(want.Properties))
			}
			for property, value := range want.Properties {
				if got := e.Properties[property]; !reflect.DeepEqual(got, value) {
					t.Errorf("the %s of %q: %s = %T %.80v; want %T %.80v", name, key, property, got, got, value, value)
				}
			}
			// Tag and Timestamp are one.
			at := entity.TicksOf(time.Time(e.Timestamp))
			if e.ETag != string(tag) || added.ETag != tag || at.ETag() != string(tag) {
				t.Errorf("the %s of %q has the tag %s and %v, its header %s; want one", name, key, e.ETag, at.ETag(), tag)
			}
		}
	}
	// What the client makes an entity of doubles the quotes of its keys; in plain
	// JSON they are as they are.
	if _, err := table.AddEntity(t.Context(), []byte(`{"PartitionKey":"O'Brien","RowKey":"a'b''c","Number":7}`), nil); err != nil {
		t.Fatal(err)
	}
	if e, _ := got(t, table, "O'Brien", "a'b''c"); e.Properties["Number"] != int32(7) {
		t.Errorf("GetEntity with quotes = %v; want 7", e.Properties)
	}
	// At the other levels the client finds what they leave.
	for format, types := range map[aztables.MetadataFormat]bool{aztables.MetadataFormatFull: true, aztables.MetadataFormatNone: false} {
		reply, err := table.GetEntity(t.Context(), "full", "1", &aztables.GetEntityOptions{Format: &format})
		require.NoError(t, err)
		e := decodeEntity(t, reply.Value)
		if (e.ID != "") != types || strings.Contains(string(reply.Value), "@odata.type") != types || e.Properties["Part"] != 0.1 {
			t.Errorf("GetEntity as %s = %s; want identity and types: %v", format, reply.Value, types)
		}
	}
}

func TestStandardClientWrites(t *testing.T) {
	t.Parallel()
	a := newStandard(t, nil)
	table := a.table(t, "Races")
	ctx := t.Context()
	body := func(properties string) []byte {
		return []byte(`{"PartitionKey":"full","RowKey":"1"` + properties + `}`)
	}
	const other = azcore.ETag(`W/"datetime'2020-01-01T00%3A00%3A00Z'"`)
	merge, replace := aztables.UpdateModeMerge, aztables.UpdateModeReplace
	// Without the entity: what must be there is not, what need not be is made.
	for _, mode := range []aztables.UpdateMode{merge, replace} {
		_, err := table.UpdateEntity(ctx, body(""), &aztables.UpdateEntityOptions{UpdateMode: mode})
		wantError(t, "an update of nothing", err, 404, aztables.ResourceNotFound)
		_, err = table.UpdateEntity(ctx, body(""), &aztables.UpdateEntityOptions{UpdateMode: mode, IfMatch: pointer(other)})
		wantError(t, "an update of nothing in another version", err, 404, aztables.ResourceNotFound)
		reply, err := table.UpsertEntity(ctx, body(`,"A":1`), &aztables.UpsertEntityOptions{UpdateMode: mode})
		if _, tag := got(t, table, "full", "1"); err != nil || reply.ETag != tag {
			t.Errorf("UpsertEntity = %v, %v; want the tag %s", reply, err, tag)
		}
		if _, err := table.DeleteEntity(ctx, "full", "1", nil); err != nil {
			t.Error(err)
		}
	}
	_, err := table.DeleteEntity(ctx, "full", "1", nil)
	wantError(t, "a delete of nothing", err, 404, aztables.ResourceNotFound)
	_, err = table.GetEntity(ctx, "full", "1", nil)
	wantError(t, "a get of nothing", err, 404, aztables.ResourceNotFound)

	if _, err := table.AddEntity(ctx, body(`,"A":1,"B":"x"`), nil); err != nil {
		t.Fatal(err)
	}
	_, err = table.AddEntity(ctx, body(""), nil)
	wantError(t, "a second insert", err, 409, aztables.EntityAlreadyExists)
	// With it: merge keeps what it does not name, replace drops it.
	properties := func() map[string]any { e, _ := got(t, table, "full", "1"); return e.Properties }
	for _, step := range []struct {
		name string
		do   func() (azcore.ETag, error)
		want map[string]any
	}{
		{"a merge", func() (azcore.ETag, error) {
			r, err := table.UpdateEntity(ctx, body(`,"B":2.5,"C":true`), &aztables.UpdateEntityOptions{UpdateMode: merge})
			return r.ETag, err
		}, map[string]any{"A": int32(1), "B": 2.5, "C": true}},
		{"an upsert that merges", func() (azcore.ETag, error) {
			r, err := table.UpsertEntity(ctx, body(`,"A":2`), nil)
			return r.ETag, err
		}, map[string]any{"A": int32(2), "B": 2.5, "C": true}},
		{"a replace", func() (azcore.ETag, error) {
			r, err := table.UpdateEntity(ctx, body(`,"D":"y"`), &aztables.UpdateEntityOptions{UpdateMode: replace})
			return r.ETag, err
		}, map[string]any{"D": "y"}},
		{"an upsert that replaces", func() (azcore.ETag, error) {
			r, err := table.UpsertEntity(ctx, body(""), &aztables.UpsertEntityOptions{UpdateMode: replace})
			return r.ETag, err
		}, map[string]any{}},
	} {
		_, before := got(t, table, "full", "1")
		tag, err := step.do()
		if _, after := got(t, table, "full", "1"); err != nil || tag != after || tag == before {
			t.Errorf("%s: tag %s, %v; want another than %s, and the one that a get has: %s", step.name, tag, err, before, after)
		}
		if now := properties(); len(now) != len(step.want) || len(now) > 0 && !reflect.DeepEqual(now, step.want) {
			t.Errorf("%s: %v; want %v", step.name, now, step.want)
		}
	}
	// A tag is good once.
	_, tag := got(t, table, "full", "1")
	for _, mode := range []aztables.UpdateMode{merge, replace} {
		_, err := table.UpdateEntity(ctx, body(""), &aztables.UpdateEntityOptions{UpdateMode: mode, IfMatch: pointer(other)})
		wantError(t, "an update of another version", err, 412, aztables.UpdateConditionNotSatisfied)
		reply, err := table.UpdateEntity(ctx, body(""), &aztables.UpdateEntityOptions{UpdateMode: mode, IfMatch: &tag})
		assert.Truef(t, err == nil && reply.ETag != tag, "UpdateEntity of %s = %v, %v; want another tag", tag, reply, err)
		_, err = table.UpdateEntity(ctx, body(""), &aztables.UpdateEntityOptions{UpdateMode: mode, IfMatch: &tag})
		wantError(t, "an update of a version that is over", err, 412, aztables.UpdateConditionNotSatisfied)
		tag = reply.ETag
	}
	_, err = table.DeleteEntity(ctx, "full", "1", &aztables.DeleteEntityOptions{IfMatch: pointer(other)})
	wantError(t, "a delete of another version", err, 412, aztables.UpdateConditionNotSatisfied)
	if _, err := table.DeleteEntity(ctx, "full", "1", &aztables.DeleteEntityOptions{IfMatch: &tag}); err != nil {
		t.Error(err)
	}
}

func TestStandardClientRefusals(t *testing.T) {
	t.Parallel()
	a := newStandard(t, nil)
	table := a.table(t, "Races")
	for _, row := range []struct {
		name, properties string
		status           int
		code             aztables.TableErrorCode
	}{
		{"a string too long", `"A":"` + strings.Repeat("x", 32769) + `"`, 400, aztables.PropertyValueTooLarge},
		{"a name too long", `"` + strings.Repeat("n", 256) + `":1`, 400, aztables.PropertyNameTooLong},
		{"a name that cannot be", `"a-b":1`, 400, aztables.PropertyNameInvalid},
		{"a value that is none of its type", `"A@odata.type":"Edm.Int64","A":"x"`, 400, aztables.InvalidInput},
		{"an array", `"A":[1]`, 400, aztables.InvalidInput},
		{"a date out of range", `"A@odata.type":"Edm.DateTime","A":"1600-12-31T00:00:00Z"`, 400, aztables.OutOfRangeInput},
	} {
		_, err := table.AddEntity(t.Context(), []byte(`{"PartitionKey":"full","RowKey":"1",`+row.properties+`}`), nil)
		wantError(t, row.name, err, row.status, row.code)
	}
	wrong, err := aztables.NewSharedKeyCredential(account, "d3Jvbmc=")
	require.NoError(t, err)
	stranger, err := aztables.NewServiceClientWithSharedKey(a.url, wrong, a.options)
	require.NoError(t, err)
	_, err = stranger.CreateTable(t.Context(), "Boats", nil)
	wantError(t, "a wrong key", err, 403, "AuthenticationFailed")
	_, err = stranger.NewClient("Races").GetAccessPolicy(t.Context(), nil)
	wantError(t, "a wrong key, where errors are XML", err, 403, "AuthenticationFailed")
}
