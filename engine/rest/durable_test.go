package rest_test

import (
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/assert"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/rest/resttest"
	"loadgen/engine/store/durable"
)

// Access policies, properties and the names of deleted tables outlast the service.
func TestSettingsLast(t *testing.T) {
	files := vfs.NewMem()
	start := func(later time.Duration) (*service, func()) {
		store := must(durable.Open(durable.Options{Folder: "data", Account: account, FS: files}))(t)
		o := documented()
		o.Engine.Stores = map[string]engine.Store{account: store}
		o.Rest.Calendar = clock.Epoch(time.Time(resttest.Epoch).Add(later))
		s := newService(t, o)
		return s, func() {
			assert.NoError(t, store.Close())
		}
	}
	const acl = races + "?comp=acl"
	s, end := start(0)
	s.Want(t, 201, "POST", "/contoso/Tables", `{"TableName":"Races"}`)
	s.Want(t, 201, "POST", "/contoso/Tables", `{"TableName":"Gone"}`)
	s.Want(t, 204, "PUT", acl, policies(policy("b", "<Permission>r</Permission>"), "<Id>a</Id>"))
	s.Want(t, 202, "PUT", properties, "<StorageServiceProperties><Logging><Version>1.0</Version><Delete>true</Delete><Read>false</Read>"+
		"<Write>true</Write><RetentionPolicy><Enabled>true</Enabled><Days>7</Days></RetentionPolicy></Logging></StorageServiceProperties>")
	kept := [2]string{s.Want(t, 200, "GET", acl, "").Body.String(), s.Want(t, 200, "GET", properties, "").Body.String()}
	s.Want(t, 204, "DELETE", "/contoso/Tables('Gone')", "")
	end()

	s, end = start(30 * time.Second)
	for i, part := range []string{"<Id>b</Id>", "<Days>7</Days>"} {
		got := s.Want(t, 200, "GET", []string{acl, properties}[i], "").Body.String()
		assert.Equal(t, kept[i], got, "after the next start")
		assert.Contains(t, got, part)
	}
	again := s.Want(t, 409, "POST", "/contoso/Tables", `{"TableName":"gone"}`)
	assert.Equal(t, "TableBeingDeleted", resttest.CodeOf(t, again), "a name that is kept back")
	// 40 s after it was deleted the name is free.
	s.Clock.Set(11 * time.Second)
	s.Want(t, 201, "POST", "/contoso/Tables", `{"TableName":"gone"}`)
	s.Want(t, 204, "DELETE", "/contoso/Tables('Races')", "")
	end()
}
