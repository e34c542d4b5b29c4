package rest_test

import (
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/model"
	"loadgen/engine/rest"
	"loadgen/engine/store/durable"
)

// Access policies, properties and the names of deleted tables outlast the service.
func TestSettingsLast(t *testing.T) {
	files := vfs.NewMem()
	start := func(later time.Duration) (*service, func()) {
		store, err := durable.Open(durable.Options{Folder: "data", Account: account, FS: files})
		if err != nil {
			t.Fatal(err)
		}
		s := newServiceWith(t, func(o *rest.Options) {
			m, err := model.New(model.Documented)
			if err != nil {
				t.Fatal(err)
			}
			o.Calendar = clock.Epoch(epoch().Time().Add(later))
			o.Engine = engine.New(engine.Options{Model: m, Accounts: []string{account}, Calendar: o.Calendar,
				Stores: map[string]engine.Store{account: store}})
		}, model.Off)
		return s, func() {
			if err := store.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	const acl, properties = races + "?comp=acl", "/contoso/?restype=service&comp=properties"
	s, end := start(0)
	s.want(t, 201, "POST", "/contoso/Tables", `{"TableName":"Races"}`)
	s.want(t, 201, "POST", "/contoso/Tables", `{"TableName":"Gone"}`)
	s.want(t, 204, "PUT", acl, policies(policy("b", "<Permission>r</Permission>"), "<Id>a</Id>"))
	s.want(t, 202, "PUT", properties, "<StorageServiceProperties><Logging><Version>1.0</Version><Delete>true</Delete><Read>false</Read>"+
		"<Write>true</Write><RetentionPolicy><Enabled>true</Enabled><Days>7</Days></RetentionPolicy></Logging></StorageServiceProperties>")
	kept := [2]string{s.want(t, 200, "GET", acl, "").Body.String(), s.want(t, 200, "GET", properties, "").Body.String()}
	s.want(t, 204, "DELETE", "/contoso/Tables('Gone')", "")
	end()

	s, end = start(30 * time.Second)
	if got := s.want(t, 200, "GET", acl, "", "X-Ms-Date: Fri, 20 Nov 2026 11:48:19 GMT").Body.String(); got != kept[0] || !strings.Contains(got, "<Id>b</Id>") {
		t.Errorf("policies after the next start = %s; want %s", got, kept[0])
	}
	if got := s.want(t, 200, "GET", properties, "").Body.String(); got != kept[1] || !strings.Contains(got, "<Days>7</Days>") {
		t.Errorf("properties after the next start = %s; want %s", got, kept[1])
	}
	if code := codeOf(t, s.want(t, 409, "POST", "/contoso/Tables", `{"TableName":"gone"}`)); code != "TableBeingDeleted" {
		t.Errorf("a table of a name that is kept back: %s; want TableBeingDeleted", code)
	}
	// 40 s after it was deleted the name is free.
	s.clock.at.Add(int64(11 * time.Second))
	s.want(t, 201, "POST", "/contoso/Tables", `{"TableName":"gone"}`)
	s.want(t, 204, "DELETE", "/contoso/Tables('Races')", "")
	end()
}
