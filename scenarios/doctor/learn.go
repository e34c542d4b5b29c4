package doctor

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"time"

	"loadgen/report/compare/statistics"
	"loadgen/report/document"
	"loadgen/results"
)

// learnLatencies measures the four operations at a low rate and splits their times.
func (c *calibration) learnLatencies(ctx context.Context) error {
	m, err := c.run(ctx, "latencies at a low rate", latencies(c.Rate, c.Each))
	if m == nil {
		return err
	}
	for _, name := range []string{phaseGet, phaseInsert, phasePage, phaseBatch} {
		c.figures(m.phase(name), name, "")
	}
	get, insert := m.phase(phaseGet).times(results.Ok), m.phase(phaseInsert).times(results.Ok)
	if len(get) < least || len(insert) < least {
		c.missed("read_time, write_time", "%d reads and %d inserts succeeded at %s/s; needs %d each", len(get), len(insert), document.Rate(c.Rate), least)
		return err
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
	c.set("time_spread", wholeNumber(1000*spread.value), wholeNumber(1000*spread.low), wholeNumber(1000*spread.high), spread.samples, by)
	c.duration("read_time", c.times.mean(c.median[phaseGet]), "p50(get) - round trip, as mean")
	c.duration("write_time", c.times.mean(c.median[phaseInsert]), "p50(insert) - round trip, as mean")
	// The times per further entity of a page and of a transaction.
	if page, told := c.median[phasePage]; told {
		each := page.less(c.median[phaseGet]).dividedBy(pageEntities)
		const most = 100_000_000
		rate := func(seconds float64) string { return wholeNumber(min(most, max(1, 1/max(seconds, 1.0/most)))) }
		c.set("scan_rate", rate(each.value), rate(each.high), rate(each.low), each.samples,
			fmt.Sprintf("%d entities / (p50(page) - p50(get))", pageEntities))
	} else {
		c.missed("scan_rate", "too few pages were read")
	}
	if batch, told := c.median[phaseBatch]; told {
		c.duration("entity_time", batch.less(c.median[phaseInsert]).dividedBy(batchEntities-1),
			fmt.Sprintf("(p50(transaction) - p50(insert)) / %d more entities", batchEntities-1))
	} else {
		c.missed("entity_time", "too few transactions succeeded")
	}
	return err
}

// figures records an operation's latencies.
func (c *calibration) figures(s *stretch, name, of string) {
	times := s.times(results.Ok)
	for _, q := range []struct {
		name string
		at   float64
	}{{"p50", 0.5}, {"p99", 0.99}} {
		e, told := quantileOf(times, q.at)
		if !told {
			continue
		}
		c.figure(fmt.Sprintf("%s(%s%s)", q.name, name, of), e, fmt.Sprintf("at %s/s, service time", document.Rate(s.Rate)))
		if q.at == 0.5 && of == "" {
			c.median[name] = e
		}
	}
}

func (c *calibration) learnSizes(ctx context.Context) error {
	m, err := c.run(ctx, "latencies of large entities", largeLatencies(c.Rate, c.Each))
	if m == nil {
		return err
	}
	for _, name := range []string{phaseGet, phaseInsert} {
		c.figures(m.phase(name), name, " 16 KiB")
	}
	return err
}

// learnLimit increases the rate until a partition throttles, then offers an overload.
func (c *calibration) learnLimit(ctx context.Context) error {
	const throttles = 0.05
	served, rates := 0.0, c.ladder()
	// The last rate is repeated for longer: a limit may act late.
	for i, rate := range append(rates, c.MaxRate) {
		lasts := rungFor
		if i == len(rates) {
			lasts = holdFor
		}
		m, err := c.run(ctx, "a partition at "+document.Rate(rate)+"/s", rung(rate, lasts))
		if m == nil || err != nil {
			return err
		}
		s := m.phase(phaseRung).dueAfter(lasts * 3 / 4)
		ok := s.share(results.Ok)
		switch {
		case s.share(results.Throttled) >= throttles:
			return c.measureOverload(ctx, ok*rate)
		case s.slow() || s.share(results.Failed) > throttles:
			c.missed("partition_target", "at %s/s to one partition nothing was throttled, but replies or generator lagged; "+
				"served %s/s", document.Rate(rate), document.Rate(served))
			return nil
		}
		served = rate * ok
	}
	c.missed("partition_target", "%s/s to one partition, the maximum, served for %v without throttling; raise --max-rate", document.Rate(served), holdFor)
	return nil
}

// measureOverload offers a partition 1.5 times its estimated limit and measures what it serves.
func (c *calibration) measureOverload(ctx context.Context, about float64) error {
	const beyond = 1.5
	rate := min(c.MaxRate, max(about*beyond, about+minRate))
	for _, lasts := range []time.Duration{holdFor, settleFor} {
		m, err := c.run(ctx, "an overload of a partition", overload(rate, about/4, lasts))
		if m == nil {
			return err
		}
		s := m.phase(phaseHold)
		limit, told := s.dueAfter(lasts / 3).plateau()
		switch {
		case !told:
			c.missed("partition_target", "%s/s was throttled too rarely", document.Rate(rate))
		case lasts == holdFor && !s.settles() && err == nil:
			continue // a limit that takes its time
		case !s.settles():
			c.missed("partition_target", "the rate served of %s/s did not settle in %v", document.Rate(rate), lasts)
		default:
			if lasts == settleFor {
				limit, told = s.dueAfter(lasts * 3 / 4).plateau()
			}
			c.limit, c.found = limit, told
			c.set("partition_target", wholeNumber(limit.value), floor(limit.low), ceil(limit.high), limit.samples,
				fmt.Sprintf("served of %s/s for %v", document.Rate(rate), lasts))
		}
		if after := m.phase(phaseAfter); len(after.attempts) > 0 {
			last := time.Duration(0)
			for i := range after.attempts {
				if a := &after.attempts[i]; a.class == results.Throttled {
					last = max(last, a.sent-after.Begin)
				}
			}
			r := last.Seconds()
			c.figure("recovery", estimate{r, r, r, len(after.attempts)}, "end of overload to last throttled attempt")
		}
		return err
	}
	return nil
}

// learnBurst measures the allowance of an idle partition.
func (c *calibration) learnBurst(ctx context.Context) error {
	const least, wanted = 1.2, 3
	switch {
	case !c.found:
		c.missed("partition_burst", "the partition's limit is unknown")
		return nil
	case c.limit.value*least > c.MaxRate:
		c.missed("partition_burst", "needs more than %s/s; raise --max-rate", document.Rate(c.limit.value*least))
		return nil
	}
	m, err := c.run(ctx, "bursts after a pause", burst(min(c.MaxRate, wanted*c.limit.value)))
	if m == nil {
		return err
	}
	bursts := m.named(phaseBurst)
	// As times: how long the limit takes to fill what was saved up.
	var each []float64
	for _, s := range bursts {
		if entities, told := s.allowance(c.limit.value); told {
			each = append(each, entities/c.limit.value)
		}
	}
	if len(each) < 2 {
		c.missed("partition_burst", "%d of %d bursts were throttled: the allowance is larger", len(each), len(bursts))
		return err
	}
	const alpha = 0.05
	value, low, high, _ := statistics.MeanInterval(each, alpha)
	const nearly = 0.9
	if value > nearly*restFor.Seconds() {
		c.missed("partition_burst", "at least the allowance of a %v pause", restFor)
		return err
	}
	// A bucket counts whole entities.
	room := 1 / c.limit.value
	e := estimate{value, max(0, low-room), high + room, len(each)}
	const longest, shortest = 10, 0.001
	e.value, e.low, e.high = min(max(e.value, shortest), longest), max(e.low, 0), min(max(e.high, shortest), longest)
	c.duration("partition_burst", e, fmt.Sprintf("served above the limit after a pause of %v", restFor))
	return err
}

// learnAccount measures the account's limit if requested.
func (c *calibration) learnAccount(ctx context.Context) error {
	if c.AccountRate == 0 {
		c.missed("account_target", "not requested (--account-limit)")
		return nil
	}
	const throttles = 0.05
	lowest := min(2500, c.AccountRate)
	for rate := lowest; ; rate = min(rate*2, c.AccountRate) {
		m, err := c.run(ctx, "the account at "+document.Rate(rate)+" entities/s", accountLoad(rate, rungFor))
		if m == nil || err != nil {
			return err
		}
		s := m.phase(phaseHold).dueAfter(rungFor / 2)
		switch {
		case s.share(results.Throttled) >= throttles:
			about := rate * s.share(results.Ok)
			const beyond = 1.5
			rate := min(c.AccountRate, about*beyond)
			m, err := c.run(ctx, "an overload of the account", accountLoad(rate, holdFor))
			if m == nil {
				return err
			}
			limit, told := m.phase(phaseHold).dueAfter(holdFor / 3).plateau()
			if !told {
				c.missed("account_target", "%s entities/s was throttled too rarely", document.Rate(rate))
				return err
			}
			c.set("account_target", wholeNumber(limit.value), floor(limit.low), ceil(limit.high), limit.samples,
				fmt.Sprintf("served of %s entities/s, 256 partitions, transactions of %d", document.Rate(rate), batchEntities))
			return err
		case s.slow():
			c.missed("account_target", "at %s entities/s nothing was throttled, but replies or generator lagged", document.Rate(rate))
			return nil
		case rate >= c.AccountRate:
			c.missed("account_target", "%s entities/s, the maximum, served without throttling; raise --account-limit", document.Rate(rate))
			return nil
		}
	}
}

func wholeNumber(v float64) string { return strconv.FormatInt(int64(math.Round(v)), 10) }
func floor(v float64) string       { return strconv.FormatInt(int64(math.Floor(max(0, v))), 10) }
func ceil(v float64) string        { return strconv.FormatInt(int64(math.Ceil(v)), 10) }

// set records a model parameter.
func (c *calibration) set(name, value, low, high string, samples int, by string) {
	c.profile.Values = append(c.profile.Values, ProfileValue{Name: name, Value: value, Low: low, High: high, Samples: int64(samples), By: by})
}

const microsecond = float64(time.Microsecond)

// span returns seconds as a duration, to the microsecond.
func span(seconds float64, round func(float64) float64) string {
	return (time.Duration(round(seconds*1e9/microsecond)) * time.Microsecond).String()
}

// duration records a model parameter that is a time.
func (c *calibration) duration(name string, e estimate, by string) {
	c.set(name, span(max(0, e.value), math.Round), span(max(0, e.low), math.Floor), span(max(0, e.high), math.Ceil), e.samples, by)
}

// figure records a time without a parameter.
func (c *calibration) figure(name string, e estimate, by string) {
	c.profile.Figures = append(c.profile.Figures, ProfileValue{Name: name, Value: span(e.value, math.Round), Low: span(e.low, math.Floor),
		High: span(e.high, math.Ceil), Samples: int64(e.samples), By: by})
}
