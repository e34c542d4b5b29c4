package page

import (
	"time"

	"loadgen/report/document"
	"loadgen/report/live"
)

// sample is one or several whole seconds of a run.
type sample struct {
	// second is its first second, since the start of the run.
	second float64
	// offered and served are entities, throttled attempts, each per second.
	offered, served, throttled float64
	// p50 and p99 are response times of the ten seconds before its end, in milliseconds;
	// late is the share of operations that were sent late, cpu the share of the generator's cores
	// that was busy, both in percent. A nil value is unknown.
	p50, p99, late, cpu *float64
}

// maxSamples is the maximum number of samples of a run: from there on pairs are merged.
const maxSamples = 600

// history has the samples of a run from its start on. The zero value is empty.
type history struct {
	// each is the number of seconds of a sample; open has those of an unfinished one.
	each    int
	samples []sample
	open    []sample
}

func (h *history) add(one sample) {
	h.each = max(1, h.each)
	h.open = append(h.open, one)
	if len(h.open) < h.each {
		return
	}
	h.samples = append(h.samples, merge(h.open))
	h.open = h.open[:0]
	if len(h.samples) < maxSamples {
		return
	}
	for i := range len(h.samples) / 2 {
		h.samples[i] = merge(h.samples[2*i : 2*i+2])
	}
	h.samples = h.samples[:len(h.samples)/2]
	h.each *= 2
}

// merge combines samples: rates and shares are means, times are maxima.
func merge(list []sample) sample {
	one := sample{second: list[0].second}
	for i := range list {
		one.offered += list[i].offered / float64(len(list))
		one.served += list[i].served / float64(len(list))
		one.throttled += list[i].throttled / float64(len(list))
		one.p50, one.p99 = live.MaxKnown(one.p50, list[i].p50), live.MaxKnown(one.p99, list[i].p99)
	}
	one.late = mean(list, func(s *sample) *float64 { return s.late })
	one.cpu = mean(list, func(s *sample) *float64 { return s.cpu })
	return one
}

// mean returns the mean of the known values, nil if there are none.
func mean(list []sample, value func(*sample) *float64) *float64 {
	sum, known := 0., 0
	for i := range list {
		if v := value(&list[i]); v != nil {
			sum, known = sum+*v, known+1
		}
	}
	if known == 0 {
		return nil
	}
	return new(sum / float64(known))
}

// line returns one value of every sample.
func line(list []sample, name string, meaning document.Meaning, value func(*sample) *float64) document.Line {
	l := document.Line{Name: name, Meaning: meaning, Values: make([]*float64, len(list))}
	for i := range list {
		l.Values[i] = value(&list[i])
	}
	return l
}

// inMillis returns a duration in milliseconds, nil for nil.
func inMillis(d *time.Duration) *float64 {
	if d == nil {
		return nil
	}
	return new(float64(d.Microseconds()) / 1000)
}
