package doctor

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"loadgen/report/compare/statistics"
	"loadgen/report/document"
	"loadgen/results"
)

// experiments runs all of them in order, and returns the error that ended them early.
func (c *calibration) experiments(ctx context.Context) error {
	partition := &limitSearch{parameter: "partition_target", what: "a partition", unit: "/s", to: " to one partition", flag: "--max-rate",
		lowest: lowestRate, highest: c.MaxRate, load: overload, acts: 3, late: true}
	account := &limitSearch{parameter: "account_target", what: "the account", unit: " entities/s", flag: "--account-limit",
		lowest: lowestAccountRate, highest: c.AccountRate, load: accountLoad, acts: 2,
		by: fmt.Sprintf(", 256 partitions, transactions of %d", batchEntities)}
	for _, one := range []struct {
		what  string
		learn func(context.Context) error
	}{
		{"latencies", c.learnLatencies},
		{"latencies of large entities", func(ctx context.Context) error {
			m, err := c.run(ctx, "latencies of large entities", largeLatencies(c.Rate, c.Each))
			c.figures(m, " 16 KiB", phaseGet, phaseInsert)
			return err
		}},
		{"limit of a partition", func(ctx context.Context) error { return c.search(ctx, partition) }},
		{"burst", c.learnBurst},
		{"limit of the account", func(ctx context.Context) error { return c.search(ctx, account) }},
	} {
		err := one.learn(ctx)
		switch {
		case errors.Is(err, errBudget):
			c.missed(one.what, "%v", err)
		case err != nil:
			return err
		}
	}
	// The time of a throttled attempt comes from all experiments.
	e, known := quantileOf(c.refusals, 0.5)
	if !known {
		c.missed("throttle_time", "%s; needs %d", document.Counted(len(c.refusals), "attempt was throttled", "attempts were throttled"), minSamples)
		return nil
	}
	c.figure("p50(throttled)", e, "over all experiments")
	if way := c.times.way; way.samples > 0 {
		c.duration("throttle_time", estimate{e.value - way.value, e.low - way.high, e.high - way.low, e.samples}, "p50(throttled) - round trip")
	}
	return nil
}

// learnLatencies measures the four operations at a low rate.
func (c *calibration) learnLatencies(ctx context.Context) error {
	m, err := c.run(ctx, "latencies at a low rate", latencies(c.Rate, c.Each))
	if m != nil {
		c.splitLatencies(m)
	}
	return err
}

// splitLatencies splits the times of the four operations.
func (c *calibration) splitLatencies(m stretches) {
	c.figures(m, "", phaseGet, phaseInsert, phasePage, phaseBatch)
	get, insert := m.phase(phaseGet).times(results.Ok), m.phase(phaseInsert).times(results.Ok)
	if len(get) < minSamples || len(insert) < minSamples {
		c.missed("read_time, write_time", "%d reads and %d inserts succeeded at %s/s; needs %d each", len(get), len(insert), document.Rate(c.Rate), minSamples)
		return
	}
	c.times = fit(get, insert)
	// The model limits the value; the interval keeps the measurement.
	spread := &c.times.spread
	seen := spread.value
	spread.value, spread.low = min(seen, maxSpread), min(spread.low, maxSpread)
	c.duration("round_trip", c.times.way, "constant part of get and insert")
	by := "spread of the rest"
	if seen > maxSpread {
		by += fmt.Sprintf("; measured %s of the mean, the model's maximum is %d", document.Decimals(seen, 1), maxSpread)
	}
	c.count("time_spread", spread.transform(func(v float64) float64 { return math.Round(1000 * v) }), by)
	c.duration("read_time", c.times.mean(c.median[phaseGet]), "p50(get) - round trip, as mean")
	c.duration("write_time", c.times.mean(c.median[phaseInsert]), "p50(insert) - round trip, as mean")
	// The times per further entity of a page and of a transaction.
	if page, known := c.median[phasePage]; known {
		rate := page.less(c.median[phaseGet]).transform(func(seconds float64) float64 {
			const highest = 100_000_000
			return math.Round(min(highest, max(1, 1/max(seconds/pageEntities, 1.0/highest))))
		})
		rate.low, rate.high = rate.high, rate.low
		c.count("scan_rate", rate, fmt.Sprintf("%d entities / (p50(page) - p50(get))", pageEntities))
	} else {
		c.missed("scan_rate", "too few pages were read")
	}
	if batch, known := c.median[phaseBatch]; known {
		c.duration("entity_time", batch.less(c.median[phaseInsert]).transform(func(v float64) float64 { return v / (batchEntities - 1) }),
			fmt.Sprintf("(p50(transaction) - p50(insert)) / %d more entities", batchEntities-1))
	} else {
		c.missed("entity_time", "too few transactions succeeded")
	}
}

// figures records the latencies of operations, each in the phase of its name; of describes the entities.
func (c *calibration) figures(m stretches, of string, names ...string) {
	for _, name := range names {
		s := m.phase(name)
		times := s.times(results.Ok)
		for _, percent := range []int{50, 99} {
			e, known := quantileOf(times, float64(percent)/100)
			if !known {
				continue
			}
			c.figure(fmt.Sprintf("p%d(%s%s)", percent, name, of), e, fmt.Sprintf("at %s/s, service time", document.Rate(s.Rate)))
			if percent == 50 && of == "" {
				c.median[name] = e
			}
		}
	}
}

// limitSearch describes how the limit of a partition or of the account is found: increasing rates until the target throttles, then
// an overload.
type limitSearch struct {
	parameter, what string
	// unit follows a rate, to the unit; flag sets highest, 0 for no search; by describes the overload.
	unit, to, flag, by string
	lowest, highest    float64
	// load offers a rate, and a lower one after it if that is not 0.
	load func(rate, below float64, lasts time.Duration) experiment
	// acts is the time of a rate, in quarters, before its attempts count.
	acts time.Duration
	// late repeats the highest rate for longer, and an overload if its served rate does not settle.
	late bool
}

// search increases the rate until the target throttles, then offers an overload.
func (c *calibration) search(ctx context.Context, l *limitSearch) error {
	if l.highest == 0 {
		c.missed(l.parameter, "not requested (%s)", l.flag)
		return nil
	}
	const throttles = 0.05
	served, rates := 0.0, ladder(l.lowest, l.highest)
	steps, lasts := len(rates), rungFor
	if l.late {
		rates = append(rates, l.highest)
	}
	for i, rate := range rates {
		if i == steps {
			lasts = holdFor
		}
		m, err := c.run(ctx, l.what+" at "+document.Rate(rate)+l.unit, l.load(rate, 0, lasts))
		if err != nil {
			return err
		}
		s := m.phase(phaseHold).dueAfter(lasts * l.acts / 4)
		ok := s.share(results.Ok)
		switch {
		case s.share(results.Throttled) >= throttles:
			return c.measureOverload(ctx, l, ok*rate, holdFor)
		case s.slow() || s.share(results.Failed) > throttles:
			c.missed(l.parameter, "at %s%s%s nothing was throttled, but replies or generator lagged; served %s/s", document.Rate(rate), l.unit, l.to,
				document.Rate(served))
			return nil
		}
		served = rate * ok
	}
	c.missed(l.parameter, "%s%s%s, the maximum, served for %v without throttling; raise %s", document.Rate(served), l.unit, l.to, lasts, l.flag)
	return nil
}

// measureOverload offers 1.5 times the estimated limit and measures what is served.
func (c *calibration) measureOverload(ctx context.Context, l *limitSearch, about float64, lasts time.Duration) error {
	const beyond = 1.5
	rate := min(l.highest, max(about*beyond, about+minRate))
	m, err := c.run(ctx, "an overload of "+l.what, l.load(rate, max(1, about/4), lasts))
	if m == nil {
		return err
	}
	s := m.phase(phaseHold)
	found, known := s.dueAfter(lasts / 3).plateau()
	settles := !l.late || s.settles()
	offered := document.Rate(rate) + l.unit
	switch {
	case !known:
		c.missed(l.parameter, "%s was throttled too rarely", offered)
	case !settles && lasts == holdFor:
		if err != nil {
			return err
		}
		return c.measureOverload(ctx, l, about, settleFor)
	case !settles:
		c.missed(l.parameter, "the rate served of %s did not settle in %v", offered, lasts)
	default:
		if lasts == settleFor {
			found, _ = s.dueAfter(lasts * 3 / 4).plateau()
		}
		c.limits[l.parameter] = found
		c.count(l.parameter, found, fmt.Sprintf("served of %s for %v%s", offered, lasts, l.by))
	}
	c.recovery(m.phase(phaseAfter))
	return err
}

// recovery records how long a partition throttles after an overload.
func (c *calibration) recovery(after *stretch) {
	if len(after.attempts) == 0 {
		return
	}
	last := 0.0
	for a := range after.ofClass(results.Throttled) {
		last = max(last, (a.sent - after.Begin).Seconds())
	}
	c.figure("recovery", estimate{last, last, last, len(after.attempts)}, "end of overload to last throttled attempt")
}

// learnBurst measures the allowance of an idle partition.
func (c *calibration) learnBurst(ctx context.Context) error {
	const margin, wanted = 1.2, 3
	limit := c.limits["partition_target"].value
	switch {
	case limit == 0:
		c.missed("partition_burst", "the partition's limit is unknown")
		return nil
	case limit*margin > c.MaxRate:
		c.missed("partition_burst", "needs more than %s/s; raise --max-rate", document.Rate(limit*margin))
		return nil
	}
	m, err := c.run(ctx, "bursts after a pause", burst(min(c.MaxRate, wanted*limit)))
	if m == nil {
		return err
	}
	// As times: how long the limit takes to fill what was saved up.
	var each []float64
	bursts := m.named(phaseBurst)
	for _, s := range bursts {
		if entities, known := s.allowance(limit); known {
			each = append(each, entities/limit)
		}
	}
	const alpha, nearly = 0.05, 0.9
	value, low, high, known := statistics.MeanInterval(each, alpha)
	switch {
	case !known:
		c.missed("partition_burst", "%d of %d bursts were throttled: the allowance is larger", len(each), len(bursts))
	case value > nearly*restFor.Seconds():
		c.missed("partition_burst", "at least the allowance of a %v pause", restFor)
	default:
		// A bucket counts whole entities.
		const longest, shortest = 10, 0.001
		room := 1 / limit
		c.duration("partition_burst", estimate{min(max(value, shortest), longest), low - room, min(max(high+room, shortest), longest), len(each)},
			fmt.Sprintf("served above the limit after a pause of %v", restFor))
	}
	return err
}

// text formats an estimate, its interval rounded outward.
func (e estimate) text(name, by string, format func(v float64, round func(float64) float64) string) ProfileValue {
	return ProfileValue{Name: name, Value: format(max(0, e.value), math.Round), Low: format(max(0, e.low), math.Floor),
		High: format(max(0, e.high), math.Ceil), Samples: int64(e.samples), By: by}
}

func wholeText(v float64, round func(float64) float64) string {
	return strconv.FormatInt(int64(round(v)), 10)
}

// spanText formats seconds as a duration, to the microsecond.
func spanText(seconds float64, round func(float64) float64) string {
	const microsecond = float64(time.Microsecond)
	return (time.Duration(round(seconds*1e9/microsecond)) * time.Microsecond).String()
}

// count records a model parameter that is a number.
func (c *calibration) count(name string, e estimate, by string) {
	c.Profile.Values = append(c.Profile.Values, e.text(name, by, wholeText))
}

// duration records a model parameter that is a time.
func (c *calibration) duration(name string, e estimate, by string) {
	c.Profile.Values = append(c.Profile.Values, e.text(name, by, spanText))
}

// figure records a time without a parameter.
func (c *calibration) figure(name string, e estimate, by string) {
	c.Profile.Figures = append(c.Profile.Figures, e.text(name, by, spanText))
}
