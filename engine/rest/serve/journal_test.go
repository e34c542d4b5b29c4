package serve

import (
	"bytes"
	"errors"
	"io"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
)

// What was served is told every few seconds, if there was anything; whoever wants to
// know what time it is is told each second, and what is wrong with that is told, too.
func TestCountsAreToldWhereThereAreAny(t *testing.T) {
	for _, quiet := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			var said bytes.Buffer
			var ticks []clock.Instant
			s, faults := newService(Options{Profile: "off", Quiet: quiet, Journal: &said, Tick: func(now clock.Instant) error {
				if ticks = append(ticks, now); len(ticks) == 18 {
					return errors.Join(errors.New("no room"), errors.New("at all"))
				}
				return nil
			}})
			require.NoError(t, errors.Join(append(faults, s.prepare(t.Context()))...))
			ask := func() {
				s.answer(httptest.NewRecorder(), httptest.NewRequest("GET", "/devstoreaccount1/Tables", nil))
			}
			s.watch()
			time.Sleep(6 * time.Second) // in the bubble's time
			ask()
			ask()
			time.Sleep(13 * time.Second)
			ask()
			time.Sleep(2 * time.Second)
			s.unwatch()
			want := "requests: 2 (0 ok, 0 throttled, 2 failed); entities counted: 0\nno room; at all\nrequests: 3 (0 ok, 0 throttled, 3 failed); entities counted: 0\n"
			if quiet {
				want = "no room; at all\n"
			}
			assert.Equalf(t, want, said.String(), "quiet %v: said %q", quiet, &said)
			assert.Truef(t, len(ticks) == 21 && ticks[20] == clock.Instant(21*time.Second),
				"ticks = %v; want one each second", ticks)
		})
	}
}

// The archive is written while the service goes on, and again at the end.
func TestExportNowAndThen(t *testing.T) {
	t.Chdir(t.TempDir())
	synctest.Test(t, func(t *testing.T) {
		s, faults := newService(Options{Input: strings.NewReader(`{"Table":"Races","PartitionKey":"p","RowKey":"1"}`), Imports: []string{"-"},
			Export: "all.jsonl", ExportEvery: 3 * time.Second, Journal: io.Discard})
		require.NoError(t, errors.Join(append(faults, s.prepare(t.Context()))...))
		s.watch()
		time.Sleep(2 * time.Second) // in the bubble's time
		synctest.Wait()
		assert.NoFileExists(t, "all.jsonl", "before the time")
		time.Sleep(time.Second)
		synctest.Wait()
		entities := func() int {
			text, _ := os.ReadFile("all.jsonl")
			return strings.Count(string(text), "RowKey")
		}
		assert.Equal(t, 1, entities(), "entities in the export meanwhile")
		s.engine.Load(0, "devstoreaccount1", "Races", &entity.Change{Verb: entity.Insert, Key: entity.Key{Partition: "p", Row: "2"}})
		s.unwatch()
		require.NoError(t, s.Save())
		assert.Equal(t, 2, entities(), "entities in the export at the end")
		files, err := os.ReadDir(".")
		assert.Truef(t, err == nil && len(files) == 1, "the folder holds %v, %v; want the export", files, err)
	})
}

func TestTurnedAwayIsTold(t *testing.T) {
	assert.Empty(t, turnedAway(0, 0))
	assert.Equal(t, "; connections turned away: 999", turnedAway(0, 999))
	assert.Equal(t, "; refused for want of room for the body: 1,234,567; connections turned away: 1,000", turnedAway(1_234_567, 1000))
}
