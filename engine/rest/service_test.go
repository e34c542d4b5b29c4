package rest_test

import (
	"cmp"
	"fmt"
	"testing"

	"loadgen/engine/model"
	"loadgen/engine/rest/resttest"
)

// account is that of every service here, date when each test begins.
const (
	account = "contoso"
	date    = resttest.Date
)

var contoso = resttest.Contoso

// documented are options of the documented limits, changed by settings NAME=VALUE.
func documented(settings ...string) resttest.Options {
	return resttest.Options{Profile: model.Documented, Settings: settings}
}

// service is a handler with an engine of its own behind it.
type service struct{ *resttest.Service }

func newService(t testing.TB, o resttest.Options) *service {
	t.Helper()
	o.Rest.Name, o.Rest.Seed, o.Engine.Seed = cmp.Or(o.Rest.Name, "loadgen"), 1, 1
	return &service{resttest.New(t, o)}
}

// withTable returns a service with a table in it, unlimited without options.
func withTable(t testing.TB, options ...resttest.Options) *service {
	t.Helper()
	s := newService(t, append(options, resttest.Options{})[0])
	s.Want(t, 201, "POST", "/contoso/Tables", `{"TableName":"Races"}`)
	return s
}

// insert adds an entity of one property.
func (s *service) insert(t testing.TB, partition, row string, number int) {
	t.Helper()
	body := fmt.Sprintf(`{"PartitionKey":%q,"RowKey":%q,"Number":%d}`, partition, row, number)
	s.Want(t, 204, "POST", "/contoso/Races", body, "Prefer: return-no-content")
}

// must returns the value of a call that must not fail.
func must[T any](value T, err error) func(testing.TB) T { return resttest.Must(value, err) }
