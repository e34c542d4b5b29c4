package fleet

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"loadgen/results"
	"loadgen/results/figure"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/fleet/protocol"
)

// errNothing is wrapped if no member has sent a record.
var errNothing = errors.New("no member has sent a record")

// gather merges the members' records, and compares each with the plan. Local members are on one machine.
func gather(run protocol.Outcome, plan []campaign.Offered, local bool) (*results.Record, error) {
	var parts []results.MergePart
	faults, records := slices.Clone(run.Faults), make([]*results.Record, len(run.Shares))
	for i := range run.Shares {
		m := &run.Shares[i]
		if want := planned(plan, m.Index); m.Record == nil && want != nil && m.Lost != "" {
			faults = append(faults, fmt.Sprintf("Of the plan, %d operations were the share of %s.", *want, m.Name))
		}
		if m.Record == nil {
			continue
		}
		record, err := unpack(m.Record, m.Seconds)
		if err != nil {
			faults = append(faults, fmt.Sprintf("%s sent an invalid record: %v.", m.Name, err))
			continue
		}
		records[i] = record
		// All members send to the target of the first.
		if first := records[0]; first != nil {
			record.Manifest.Target, record.Manifest.Service = first.Manifest.Target, first.Manifest.Service
		}
		parts = append(parts, results.MergePart{Name: m.Name, Record: record})
		if m.Partial == "" {
			faults = append(faults, differences(m, record, plan)...)
		}
	}
	if len(parts) == 0 {
		return nil, fmt.Errorf("%w: %s", errNothing, strings.Join(faults, " "))
	}
	record, err := results.Merge(parts)
	if err != nil {
		return nil, err
	}
	for p := range record.Phases {
		if p < len(plan) {
			record.Phases[p].Rate = plan[p].Rate
		}
	}
	if first := parts[0].Record; local && record.Generator != nil {
		record.Generator.Cores, record.Manifest.Environment.CPUs = first.Generator.Cores, first.Manifest.Environment.CPUs
		record.Manifest.Environment.GOMAXPROCS = first.Manifest.Environment.GOMAXPROCS
	}
	record.Manifest.Fleet = &results.Fleet{Members: members(run.Shares, records, plan), Labels: labels(run.Shares, records), Skew: run.Skew, Notes: append([]string{}, run.Notes...)}
	if len(faults) > 0 {
		record.Validity, record.Reasons = results.Invalid, append(faults, record.Reasons...)
	}
	return record, nil
}

// differences returns the phases in which the number of operations due at a member is not that of the plan.
func differences(m *protocol.Share, record *results.Record, plan []campaign.Offered) (faults []string) {
	for p := range plan {
		if plan[p].Shares == nil {
			continue
		}
		var due results.KindStats
		if p < len(record.Phases) {
			kinds := record.Phases[p].Kinds
			for k := range kinds {
				due.Add(&kinds[k])
			}
		}
		if got, want := due.Scheduled, plan[p].Shares[m.Index]; got != want {
			faults = append(faults, fmt.Sprintf("%s had %d operations due in %s, and the plan has %d for it.", m.Name, got, plan[p].Name, want))
		}
	}
	return faults
}

// members returns the results of each member.
func members(shares []protocol.Share, records []*results.Record, plan []campaign.Offered) (list []results.FleetMember) {
	for i, record := range records {
		member := shares[i].FleetMember
		member.Planned = planned(plan, member.Index)
		if record != nil {
			member.Counts = record.Counts(results.Everything).Counts
			if lag := results.QuantilesOf(record.Lag).P99; lag != nil {
				member.LagP99 = new(time.Duration(*lag) * time.Microsecond)
			}
			if g := record.Generator; g != nil && g.CPUKnown && g.Cores > 0 && g.Seconds > 0 {
				member.CPU = new(g.CPU.Seconds() / float64(g.Seconds) / float64(g.Cores))
			}
		}
		list = append(list, member)
	}
	return list
}

// planned returns the number of operations that the plan has for a member, nil if that depends on the run.
func planned(plan []campaign.Offered, index int) *int64 {
	sum := int64(0)
	for p := range plan {
		if plan[p].Shares == nil {
			return nil
		}
		sum += plan[p].Shares[index]
	}
	return &sum
}

// labels returns the merged results of the members with each label.
func labels(shares []protocol.Share, records []*results.Record) []results.FleetLabel {
	list, parts := []results.FleetLabel{}, make(map[[2]string][]results.MergePart)
	for i, record := range records {
		for label, value := range shares[i].Labels {
			if record != nil {
				key := [2]string{label, value}
				parts[key] = append(parts[key], results.MergePart{Name: shares[i].Name, Record: record})
			}
		}
	}
	byText := func(a, b [2]string) int { return strings.Compare(a[0]+"="+a[1], b[0]+"="+b[1]) }
	for _, key := range slices.SortedFunc(maps.Keys(parts), byText) {
		merged, err := results.Merge(parts[key])
		if err != nil {
			continue // merging all of them has the same error
		}
		figures := figure.NewFigures(merged.Condensed())
		list = append(list, results.FleetLabel{Label: key[0], Value: key[1], Members: len(parts[key]), Throughput: figures.Named("throughput").Pointer(),
			Throttled: figures.Share("throttled").Pointer(), ShareLost: figures.Named("share_lost").Pointer(),
			P50: figures.Named("p50").Pointer(), P99: figures.Named("p99").Pointer()})
	}
	return list
}

// A packed record may unpack to maxUnpacked bytes, and to maxUnpackedSecond more for each second that its member reported.
// Each JSON object counts for objectBytes in addition, because the shortest one, {}, takes as much memory as a long one. A
// second of an honest record has at most some hundred objects.
const (
	maxUnpacked       = 64 << 20
	maxUnpackedSecond = 1 << 20
	objectBytes       = 1 << 10
)

// pack returns a record as one gzip stream for each of its files, with the name of the file.
func pack(r *results.Record) ([]byte, error) {
	var folder results.Memory
	if err := r.Write(&folder); err != nil {
		return nil, err
	}
	var text bytes.Buffer
	stream := gzip.NewWriter(&text)
	for _, name := range []string{results.RunFile, results.IntervalsFile, results.EventsFile} {
		stream.Reset(&text)
		stream.Name = name
		_, err := stream.Write(folder.Bytes(name))
		if err = errors.Join(err, stream.Close()); err != nil {
			return nil, err
		}
	}
	return text.Bytes(), nil
}

// unpack reads a packed record of a member that reported so many seconds.
func unpack(text []byte, seconds uint64) (*results.Record, error) {
	return results.ReadSeconds(&packedFolder{text: bytes.NewReader(text), limit: maxUnpacked + maxUnpackedSecond*int64(seconds)})
}

// packedFolder is the folder of a packed record. Its files can be read once, in their order.
type packedFolder struct {
	results.Folder
	text   *bytes.Reader
	stream gzip.Reader
	// unpacked is the number of bytes so far, at most limit.
	unpacked, limit int64
}

// Open implements [results.Folder].
func (f *packedFolder) Open(name string) (io.ReadCloser, error) {
	if err := f.stream.Reset(f.text); err != nil {
		return nil, err
	}
	if f.stream.Multistream(false); f.stream.Name != name {
		return nil, fmt.Errorf("it has %q; expected %s", f.stream.Name, name)
	}
	return io.NopCloser(f), nil
}

// Read implements [io.Reader] for the open file.
func (f *packedFolder) Read(p []byte) (int, error) {
	n, err := f.stream.Read(p)
	if f.unpacked += int64(n + objectBytes*bytes.Count(p[:n], []byte("{"))); f.unpacked > f.limit {
		return 0, fmt.Errorf("%d bytes unpack to more than %d; expected less", f.text.Size(), f.limit)
	}
	return n, err
}

// countsOf returns the sum of the counts of a record's seconds.
func countsOf(r *results.Record) (sum results.Counts) {
	for i := range r.Intervals {
		sum.Add(&r.Intervals[i].Counts)
	}
	return sum
}
