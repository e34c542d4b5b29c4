package drive_test

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"loadgen/engine/clock"
	"loadgen/engine/model"
	"loadgen/results"
	"loadgen/scenarios/arrival"
	"loadgen/scenarios/drive"
	"loadgen/target"
)

// Behind a line both clocks show the same, attempt for attempt: what waits for it, what is lost
// on it and what comes late.
func TestLiveEqualsVirtualBehindALine(t *testing.T) {
	for _, settings := range [][]string{
		{"client_bandwidth=900000", "packet_loss=20", "retransmit_time=70ms"},
		{"client_bandwidth=400000", "client_machines=3"},
	} {
		m, err := model.New(model.Documented)
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range settings {
			name, value, _ := strings.Cut(one, "=")
			if err := m.Set(name, value); err != nil {
				t.Fatal(err)
			}
		}
		stage := func() *drive.Stage {
			return openStage(t, short, 5*time.Second, arrival.Step{Rate: 500, Length: time.Second}, arrival.Step{Rate: 1500, Length: time.Second})
		}
		virtual, folder, err := outing(t, context.Background(), &drive.Virtual{Target: &fake{refuse: 300, took: time.Millisecond}, Line: target.NewLine(m, 5)}, nil, stage())
		if err != nil {
			t.Fatal(err)
		}
		sum := virtual.Total(results.Everything)
		if sum.LineHeld == 0 || sum.LineHeld == sum.Attempts {
			t.Errorf("%v: %d of %d attempts waited for the line; want some: the test shows nothing", settings, sum.LineHeld, sum.Attempts)
		}
		synctest.Test(t, func(t *testing.T) {
			clk := clock.NewReal()
			behind := target.WrapLine(&fake{clock: clk, refuse: 300, took: time.Millisecond}, target.NewLine(m, 5), clk)
			record, liveFolder, err := outing(t, context.Background(), &drive.Live{Clock: clk, Target: behind, Workers: 1000}, nil, stage())
			if err != nil {
				t.Fatal(err)
			}
			if got, want := liveFolder.Bytes(results.IntervalsFile), folder.Bytes(results.IntervalsFile); !reflect.DeepEqual(record, virtual) || !slices.Equal(got, want) {
				t.Errorf("%v: the live record differs from the virtual one: %+v; want %+v\n%s\nwant\n%s", settings, record.Total(results.Everything), sum, got, want)
			}
		})
	}
}
