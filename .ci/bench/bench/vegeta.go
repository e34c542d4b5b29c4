package bench

import (
	"fmt"
	"net/http"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"

	"loadgen/engine/clock"
)

// vegetaAlone is vegeta as others use it, to hold this tool's own driver against: its attacker, its
// client, its latencies, one request again and again.
type vegetaAlone struct {
	method, url string
	header      http.Header
	body        []byte
	// workers is how many hits are under way at most, over a number of connections.
	workers int
}

// flatOut hits for so long as fast as it can, and returns how many hits were answered with
// success. Its error is the first hit's that was not.
func (a *vegetaAlone) flatOut(lasts time.Duration) (hits int64, err error) {
	for hit := range a.attack(vegeta.Rate{}, lasts) {
		if hits++; hit.Error != "" && err == nil {
			err = fmt.Errorf("vegeta: %s", hit.Error)
		}
	}
	return hits, err
}

// paced hits at a rate a second, and returns how far from its instant each hit was sent, early
// and late alike. Hits are numbered in the order of their ticks, by which their instants can
// be known: vegeta itself does not report them.
func (a *vegetaAlone) paced(clk clock.Real, rate int, lasts time.Duration) (lags []time.Duration, err error) {
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

func (a *vegetaAlone) attack(pacer vegeta.Pacer, lasts time.Duration) <-chan *vegeta.Result {
	workers := uint64(a.workers)
	attacker := vegeta.NewAttacker(vegeta.Workers(workers), vegeta.MaxWorkers(workers), vegeta.Connections(a.workers), vegeta.HTTP2(false))
	hit := vegeta.Target{Method: a.method, URL: a.url, Header: a.header, Body: a.body}
	return attacker.Attack(vegeta.NewStaticTargeter(hit), pacer, lasts, "")
}

// beginning is a pacer that records when the attack began.
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
