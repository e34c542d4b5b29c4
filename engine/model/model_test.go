package model_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/model"
)

// mustNew returns the model of a profile that exists.
func mustNew(t *testing.T, profile string) *model.Model {
	t.Helper()
	m, err := model.New(profile)
	require.NoError(t, err)
	return m
}

func TestProfiles(t *testing.T) {
	for _, profile := range model.Profiles() {
		assert.Emptyf(t, mustNew(t, profile).Validate(), "New(%q).Validate()", profile)
	}
	documented := mustNew(t, model.Documented)
	assert.Truef(t, documented.PartitionTarget == 2000 && documented.AccountTarget == 20_000,
		"documented targets = %d, %d; want 2000, 20000", documented.PartitionTarget, documented.AccountTarget)
	assert.EqualValues(t, 50_000, documented.PageScan(), "PageScan()")
	off := mustNew(t, model.Off)
	assert.Truef(t, off.PartitionTarget == 0 && off.AccountTarget == 0 && off.ReadTime == 0 && off.PageScan() == 50_000,
		"off = %+v; want no limits, no times, and pages of 50000 scanned", off)
	_, err := model.New("documentd")
	assert.Truef(t, errors.Is(err, model.ErrUnknown), "New of a misspelt profile = %v; want ErrUnknown", err)
}

func TestSet(t *testing.T) {
	rows := []struct {
		sentence, name, text string
		want                 error
	}{
		{"a rate is a whole number", "partition_target", "500", nil},
		{"no limit is zero", "account_target", "0", nil},
		{"a time is a duration", "read_time", "1.5ms", nil},
		{"a choice has words", "page_boundary", "partition", nil},
		{"or numbers", "page_boundary", "2", nil},
		{"and no other words", "page_boundary", "parttion", model.ErrValue},
		{"a rate is not negative", "partition_target", "-1", model.ErrValue},
		{"a rate is not a fraction", "partition_target", "1.5", model.ErrValue},
		{"a rate is not a duration", "partition_target", "3ms", model.ErrValue},
		{"a duration has a unit", "read_time", "3", model.ErrValue},
		{"a burst is at least a millisecond", "partition_burst", "10us", model.ErrValue},
		{"a rate has a bound", "partition_target", "100000001", model.ErrValue},
		{"a region is one of a few", "region", "other-continent", nil},
		{"and no other", "region", "another-continent", model.ErrValue},
		{"not every packet can be lost", "packet_loss", "1000", model.ErrValue},
		{"half of them can", "packet_loss", "500", nil},
		{"somebody sends", "client_machines", "0", model.ErrValue},
		{"a name is spelt as it is", "partition_targets", "1", model.ErrUnknown},
	}
	for _, row := range rows {
		m := mustNew(t, model.Documented)
		before := *m
		err := m.Set(row.name, row.text)
		assert.ErrorIsf(t, err, row.want, "%s: Set(%q, %q)", row.sentence, row.name, row.text)
		assert.Truef(t, row.want == nil || *m == before,
			"%s: Set(%q, %q) failed and changed the model", row.sentence, row.name, row.text)
		assert.Truef(t, row.want != nil || *m != before, "%s: Set(%q, %q) changed nothing", row.sentence, row.name, row.text)
	}
}

// Every parameter is described, and is what its own text says; one that is changed is assumed.
func TestParameters(t *testing.T) {
	for _, profile := range model.Profiles() {
		m := mustNew(t, profile)
		assert.Len(t, model.Names(), len(m.Parameters()), "len(Names())")
		for _, p := range m.Parameters() {
			assert.Truef(t, p.Unit != "" && p.From != "" && p.About != "" && p.Least <= p.Greatest && p.Greatest != 0,
				"%s of %s = %+v; want a unit, a provenance, a line on it, and bounds", p.Name, profile, p)
			before := *m
			err := m.Set(p.Name, p.Text())
			assert.Truef(t, err == nil && *m == before, "Set(%q, %q) = %v", p.Name, p.Text(), err)
		}
	}
	m := mustNew(t, model.Documented)
	target := func() model.Parameter {
		all := m.Parameters()
		return all[slices.IndexFunc(all, func(p model.Parameter) bool { return p.Name == "partition_target" })]
	}
	before := target().From
	if err := m.Set("partition_target", "500"); err != nil || before != model.FromDocuments || target().From != model.Assumed {
		t.Errorf("the target is from %q, and %q once it is set, %v; want the documents, and an assumption", before, target().From, err)
	}
}

// A region is a round trip with a word on where it is from; a round trip of the user's own
// takes both back.
func TestRegionsAreRoundTrips(t *testing.T) {
	last := time.Duration(0)
	for _, r := range model.Regions() {
		m := mustNew(t, model.Documented)
		if err := m.Set(model.RegionName, r.Name); err != nil || m.RoundTrip != r.RoundTrip || m.Region != r.Name {
			t.Errorf("Set(region, %s) = %v, a round trip of %v; want %v", r.Name, err, m.RoundTrip, r.RoundTrip)
		}
		assert.Truef(t, last < r.RoundTrip, "%s is %v away, and one before it %v", r.Name, r.RoundTrip, last)
		last = r.RoundTrip
		about := func() string {
			for _, p := range m.Parameters() {
				if p.Name == "round_trip" {
					return p.About
				}
			}
			return ""
		}
		assert.Containsf(t, about(), r.Where, "%s: the round trip is told as", r.Name)
		if err := m.Set("round_trip", "77ms"); err != nil || strings.Contains(about(), r.Where) {
			t.Errorf("%s, then 77 ms: %v, told as %q; want no word on the region", r.Name, err, about())
		}
	}
	m := mustNew(t, model.Documented)
	if err := m.Set(model.RegionName, "same-regoin"); !errors.Is(err, model.ErrValue) || !strings.Contains(err.Error(), `did you mean "same-region"`) {
		t.Errorf("Set of a misspelt region = %v; want the nearest", err)
	}
	m.ClientMachines = 4
	if faults := m.Validate(); len(faults) != 1 || !strings.Contains(faults[0].Error(), "client_bandwidth") {
		t.Errorf("four machines without a bandwidth: %v; want a fault that asks for one", faults)
	}
}

// A former name is refused with the name of now.
func TestRenamedParameters(t *testing.T) {
	for _, one := range model.Renamed {
		assert.Contains(t, model.Names(), one[1])
		assert.NotContains(t, model.Names(), one[0])
		err := mustNew(t, model.Documented).Set(one[0], "5")
		assert.ErrorIs(t, err, model.ErrValue, one[0])
		assert.ErrorContains(t, err, " "+one[1]+" ", one[0])
	}
}

// A profile that assumes something else is another version of the model.
func TestVersionIsOfTheseProfiles(t *testing.T) {
	const digest, of = "843780160807898c", 1
	all := sha256.New()
	for _, profile := range model.Profiles() {
		for _, p := range mustNew(t, profile).Parameters() {
			least, greatest := p.Bounds()
			fmt.Fprintf(all, "%s %s=%s %s %s..%s\n", profile, p.Name, p.Text(), p.Unit, least, greatest)
		}
	}
	if got := hex.EncodeToString(all.Sum(nil))[:16]; got != digest || model.Version != of {
		t.Errorf("version %d assumes %s, and %s was version %d: raise model.Version, write both here, and say in CHANGELOG.md what is assumed now",
			model.Version, got, digest, of)
	}
}

func namesOf(list []model.Parameter) []string {
	var names []string
	for _, p := range list {
		names = append(names, p.Name)
	}
	return names
}

func TestRunListsWhatItRestsOn(t *testing.T) {
	admission := strings.Fields("partition_target account_target partition_burst account_burst page_entities page_time " +
		"scan_rate round_trip read_time write_time entity_time throttle_time time_spread name_delay timeout account_ingress account_egress account_capacity")
	cost, client := []string{"throttle_cost"}, strings.Fields("client_bandwidth client_machines packet_loss retransmit_time")
	idle := strings.Fields("headroom utilisation_low utilisation_high background_load rate_memory")
	all := model.Names()
	served := slices.DeleteFunc(slices.Clone(all), func(name string) bool { return slices.Contains(client, name) })
	cold := slices.DeleteFunc(slices.Clone(served), func(name string) bool { return name == cost[0] })
	rows := []struct {
		sentence, profile, start string
		want                     []string
		set                      []string
	}{
		{"a warm run rests on partition, account and times", model.Documented, model.Warm, admission, nil},
		{"a warm run without limits rests on the same", model.Off, model.Warm, admission, nil},
		{"a warm run with headroom rests on what grants it", model.Headroom, model.Warm, slices.Concat(admission, cost, idle, []string{"size_weight"}), nil},
		{"a warm run in which sizes count rests on their weight", model.Documented, model.Warm, append(slices.Clone(admission), "size_weight"), []string{"size_weight=500"}},
		{"a cold run rests on everything but what is not set", model.Documented, model.Cold, cold, nil},
		{"a cold run with headroom too", model.Headroom, model.Cold, served, nil},
		{"a start of no name counts as warm", model.Documented, "", admission, nil},
		{"clients with a bandwidth rest on it and on how many machines they are", model.Documented, model.Warm,
			slices.Concat(admission, client[:2]), []string{"client_bandwidth=1000000"}},
		{"clients that lose packets rest on how many and for how long", model.Documented, model.Warm,
			slices.Concat(admission, client[2:]), []string{"packet_loss=10"}},
	}
	for _, row := range rows {
		m := mustNew(t, row.profile)
		for _, one := range row.set {
			name, value, _ := strings.Cut(one, "=")
			require.NoError(t, m.Set(name, value))
		}
		assert.Equalf(t, row.want, namesOf(m.ParametersOf(row.start)),
			"%s: ParametersOf(%q) of %s", row.sentence, row.start, row.profile)
	}
	got := namesOf(mustNew(t, model.Documented).Parameters())
	assert.Truef(t, slices.Equal(got, all) && slices.Equal(got[:len(admission)], admission), "Parameters() = %v", got)
}

func TestModelThatCannotBe(t *testing.T) {
	for _, row := range []struct {
		sentence string
		change   func(*model.Model)
		// want are the names and the figures of all faults.
		want string
	}{
		{"no server", func(m *model.Model) { m.Stamp.Servers = 0 }, "servers 1 10000"},
		{"a negative rate", func(m *model.Model) { m.Stamp.RangeTarget = -1 }, "range_target -1"},
		{"detection shorter than a tick", func(m *model.Model) { m.Stamp.Detection = time.Second }, "detection 1s tick 15s"},
		{"quiet shorter than a tick", func(m *model.Model) { m.Stamp.Quiet = time.Second }, "quiet 1s tick 15s"},
		{"headroom below the target", func(m *model.Model) { m.Idle.Headroom = 999 }, "headroom 999 1000"},
		{"headroom that grows as a server gets busy", func(m *model.Model) { m.Idle.UtilisationLow = 900 },
			"utilisation_high 800 utilisation_low 900"},
		{"two at once", func(m *model.Model) { m.Stamp.OfflineMost, m.Stamp.PendingLow = time.Second, time.Second },
			"pending_high 120ms pending_low; offline_most 1s offline_least 5s"},
		{"three at once", func(m *model.Model) { m.PartitionTarget, m.ScanRate, m.ReadTime = -1, 0, -time.Second },
			"partition_target -1; scan_rate 0; read_time -1s"},
	} {
		m := mustNew(t, model.Documented)
		row.change(m)
		faults, wants := m.Validate(), strings.Split(row.want, "; ")
		if len(faults) != len(wants) {
			t.Errorf("%s: Validate() = %v; want faults of %s", row.sentence, faults, row.want)
			continue
		}
		for i, words := range wants {
			for word := range strings.FieldsSeq(words) {
				assert.Truef(t, errors.Is(faults[i], model.ErrValue) && strings.Contains(faults[i].Error(), word),
					"%s: Validate()[%d] = %v; want %s in it", row.sentence, i, faults[i], word)
			}
		}
	}
}
