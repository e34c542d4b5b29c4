package model_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"loadgen/engine/model"
)

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
			if err := m.Set(name, value); err != nil {
				t.Fatal(err)
			}
		}
		if got := namesOf(m.ParametersOf(row.start)); !slices.Equal(got, row.want) {
			t.Errorf("%s: ParametersOf(%q) of %s = %v; want %v", row.sentence, row.start, row.profile, got, row.want)
		}
	}
	if got := namesOf(mustNew(t, model.Documented).Parameters()); !slices.Equal(got, all) || !slices.Equal(got[:len(admission)], admission) {
		t.Errorf("Parameters() = %v; want the names in order, those of admission first", got)
	}
}

func TestEveryParameterIsDescribed(t *testing.T) {
	for _, profile := range model.Profiles() {
		for _, p := range mustNew(t, profile).Parameters() {
			if p.Unit == "" || p.From == "" || p.About == "" || p.Least > p.Greatest || p.Greatest == 0 {
				t.Errorf("%s of %s = %+v; want a unit, a provenance, a line on it, and bounds", p.Name, profile, p)
			}
		}
	}
}

func TestProvenanceIsTheProfiles(t *testing.T) {
	rows := []struct {
		sentence, profile, name string
		want                    model.Provenance
	}{
		{"seconds offline are documented", model.Documented, "offline_least", model.FromDocuments},
		{"no document says what a range takes", model.Documented, "range_target", model.Assumed},
		{"the pipeline of 2010 was measured", model.Measured2010, "pipeline_entity", model.FromMeasurement},
		{"a quarter of it is assumed", model.Headroom, "pipeline_entity", model.Assumed},
		{"the target of 2010 was documented", model.Measured2010, "partition_target", model.FromDocuments},
	}
	for _, row := range rows {
		for _, p := range mustNew(t, row.profile).Parameters() {
			if p.Name == row.name && p.From != row.want {
				t.Errorf("%s: %s of %s is from %q; want %q", row.sentence, row.name, row.profile, p.From, row.want)
			}
		}
	}
}

func TestModelThatCannotBe(t *testing.T) {
	rows := []struct {
		sentence string
		change   func(*model.Model)
		want     []string
	}{
		{"no server", func(m *model.Model) { m.Stamp.Servers = 0 },
			[]string{"servers is 0; it must be from 1 to 10000"}},
		{"a negative rate", func(m *model.Model) { m.Stamp.RangeTarget = -1 },
			[]string{"range_target is -1; it must be from 0 to 100000000"}},
		{"detection shorter than a tick", func(m *model.Model) { m.Stamp.Detection = time.Second },
			[]string{"detection is 1s; it must be at least tick, which is 15s (overload is seen at a tick only)"}},
		{"quiet shorter than a tick", func(m *model.Model) { m.Stamp.Quiet = time.Second },
			[]string{"quiet is 1s; it must be at least tick, which is 15s"}},
		{"headroom below the target", func(m *model.Model) { m.Idle.Headroom = 999 },
			[]string{"headroom is 999; it must be from 1000 to 100000"}},
		{"headroom that grows as a server gets busy", func(m *model.Model) { m.Idle.UtilisationLow = 900 },
			[]string{"utilisation_high is 800; it must be at least utilisation_low, which is 900"}},
		{"two at once", func(m *model.Model) { m.Stamp.OfflineMost, m.Stamp.PendingLow = time.Second, time.Second },
			[]string{"pending_high is 120ms; it must be at least pending_low", "offline_most is 1s; it must be at least offline_least, which is 5s"}},
	}
	for _, row := range rows {
		m := mustNew(t, model.Documented)
		row.change(m)
		faults := m.Validate()
		if len(faults) != len(row.want) {
			t.Errorf("%s: Validate() = %v; want %q", row.sentence, faults, row.want)
			continue
		}
		for i, want := range row.want {
			if !errors.Is(faults[i], model.ErrValue) || !strings.Contains(faults[i].Error(), want) {
				t.Errorf("%s: Validate()[%d] = %v; want %q", row.sentence, i, faults[i], want)
			}
		}
	}
}
