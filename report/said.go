package report

import (
	"fmt"
	"strings"
	"time"

	"loadgen/report/document"
	"loadgen/results"
)

// addServiceState shows the state that a remote service reported, and the identifiers by which its support finds throttled
// requests and the slowest ones.
func (a *author) addServiceState() {
	of := a.Said
	if of == nil || len(of.Refusals)+len(of.Slowest) == 0 {
		return
	}
	a.section("service")
	t := a.newTable("refusals")
	for i, one := range of.Refusals {
		t.Add(document.PointerTo("service_said", "refusals", i), one.Status, one.Code, one.Limit, one.Count, one.Message)
	}
	a.Append(t)
	// Its support can be asked about the slowest requests, and about the first few of each kind of refusal.
	t = a.newTable("request-ids")
	add := func(why string, list []results.SaidRequest) {
		for _, one := range list {
			if one.RequestID != "" && one.RequestID != document.Untold {
				t.Add(why, a.Manifest.Started.Add(one.At).UTC().Format(time.TimeOnly), one.Verb, strings.TrimSpace(fmt.Sprintf("%d %s", one.Status, one.Code)),
					document.Lapse(one.Took), one.RequestID)
			}
		}
	}
	for _, one := range of.Refusals {
		add("refused: "+one.Limit, one.First)
	}
	add("slowest", of.Slowest)
	a.Append(t)
	a.lines("lines of service")
}

// ClockAhead is how far the service's clock is ahead of this machine's, 0 up to a second: the replies show it to within one.
func (a *author) ClockAhead() time.Duration {
	if ahead := a.Said.ClockAhead.Round(time.Second); ahead.Abs() > time.Second {
		return ahead
	}
	return 0
}
