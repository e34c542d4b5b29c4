package drive

import (
	"fmt"
	"net/http"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"

	"loadgen/engine/clock"
	"loadgen/scenarios/arrival"
)

// Alone is vegeta as others use it, to hold this tool's own driver against: its attacker, its
// client, its latencies, one request again and again.
type Alone struct {
	Method, URL string
	Header      http.Header
	Body        []byte
	// Workers is how many hits are under way at most, over so many connections.
	Workers int
}

// FlatOut hits for so long as fast as it can, and returns how many hits were answered with
// success. Its error is the first hit's that was not.
func (a *Alone) FlatOut(lasts time.Duration) (hits int64, err error) {
	for hit := range a.attack(vegeta.Rate{}, lasts) {
		if hits++; hit.Error != "" && err == nil {
			err = fmt.Errorf("vegeta: %s", hit.Error)
		}
	}
	return hits, err
}

// Paced hits at a rate a second, and returns how far from its instant each hit was sent, early
// and late alike. Hits are numbered in the order of their ticks, by which their instants can
// be told: vegeta itself does not tell them.
func (a *Alone) Paced(clk clock.Real, rate int, lasts time.Duration) (lags []time.Duration, err error) {
	pacer := &beginning{Pacer: vegeta.ConstantPacer{Freq: rate, Per: time.Second}, clock: clk}
	for hit := range a.attack(pacer, lasts) {
		if hit.Error != "" && err == nil {
			err = fmt.Errorf("vegeta: %s", hit.Error)
		}
		intended := pacer.at.Add(time.Duration(hit.Seq+1) * (time.Second / time.Duration(rate)))
		lags = append(lags, clock.Instant(hit.Timestamp.Sub(clk.Started())).Sub(intended).Abs())
	}
	return lags, err
}

func (a *Alone) attack(pacer vegeta.Pacer, lasts time.Duration) <-chan *vegeta.Result {
	workers := uint64(a.Workers)
	attacker := vegeta.NewAttacker(vegeta.Workers(workers), vegeta.MaxWorkers(workers), vegeta.Connections(a.Workers), vegeta.HTTP2(false))
	hit := vegeta.Target{Method: a.Method, URL: a.URL, Header: a.Header, Body: a.Body}
	return attacker.Attack(vegeta.NewStaticTargeter(hit), pacer, lasts, "")
}

// beginning is a pacer that takes down when the attack began.
type beginning struct {
	vegeta.Pacer
	clock clock.Real
	at    clock.Instant
	begun bool
}

// Pace implements vegeta.Pacer. One goroutine calls it, before any hit is sent.
func (b *beginning) Pace(elapsed time.Duration, hits uint64) (time.Duration, bool) {
	if !b.begun {
		b.begun, b.at = true, b.clock.Now().Add(-elapsed)
	}
	return b.Pacer.Pace(elapsed, hits)
}

// Pacer makes a schedule one of vegeta's pacers. An attacker that keeps up
// sends hit n at the schedule's instant n and stops after the last.
func Pacer(s arrival.Schedule) vegeta.Pacer { return pacer{s} }

type pacer struct{ schedule arrival.Schedule }

// Pace implements vegeta.Pacer.
func (p pacer) Pace(elapsed time.Duration, hits uint64) (time.Duration, bool) {
	if hits >= p.schedule.Len() {
		return 0, true
	}
	return max(0, p.schedule.At(hits)-elapsed), false
}

// Rate implements vegeta.Pacer.
func (p pacer) Rate(elapsed time.Duration) float64 { return p.schedule.Rate(elapsed) }
