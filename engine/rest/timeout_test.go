package rest_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/engine"
	"loadgen/engine/model"
	"loadgen/engine/rest/resttest"
)

// A request that is held while its range moves is answered 500 once the time is over that it
// lets the service take, or the service's own, and served where that is longer.
func TestTimeoutOfARequest(t *testing.T) {
	for _, row := range []struct {
		option string
		want   int
		took   time.Duration
	}{
		{"?timeout=2", 500, 2 * time.Second},
		{"?timeout=7", 500, 7 * time.Second},
		{"?timeout=11", 201, 10 * time.Second},
		{"?timeout=90", 201, 10 * time.Second},
		{"?timeout=0", 201, 10 * time.Second},
		{"", 201, 10 * time.Second},
	} {
		m := must(model.New(model.Documented))(t)
		m.Stamp.OfflineLeast, m.Stamp.OfflineMost, m.Stamp.OfflineThrottled, m.Stamp.MapStale, m.TimeSpread = 10*time.Second, 10*time.Second, 0, 0, 0
		s := withTable(t, resttest.Options{Engine: engine.Options{Model: m, Cold: true}})
		s.Engine.Move(s.Clock.Now(), account, "Races", "p", 1)
		before := s.Clock.Now()
		w := s.Do("POST", "/contoso/Races"+row.option, `{"PartitionKey":"p","RowKey":"r"}`)
		assert.Equalf(t, row.want, w.Code, "%q: %s", row.option, w.Body)
		assert.Equalf(t, map[bool]string{true: "OperationTimedOut"}[row.want == 500], w.Header().Get("x-ms-error-code"), "%q", row.option)
		took := s.Clock.Now().Sub(before)
		assert.Truef(t, took >= row.took && took <= row.took+time.Second, "%q: took %v; want %v", row.option, took, row.took)
	}
}
