package azure

import (
	"net/http"
	"sync/atomic"
	"time"

	"loadgen/engine/clock"
)

// dates writes instants of the clock as the header x-ms-date has them. The text
// of a second is made once. Safe for concurrent use.
type dates struct {
	epoch  time.Time
	latest atomic.Pointer[date]
}

type date struct {
	second int64
	text   string
}

func (d *dates) at(now clock.Instant) string {
	calendar := d.epoch.Add(now.Offset())
	second := calendar.Unix()
	if latest := d.latest.Load(); latest != nil && latest.second == second {
		return latest.text
	}
	made := &date{second, calendar.UTC().Format(http.TimeFormat)}
	d.latest.Store(made)
	return made.text
}
