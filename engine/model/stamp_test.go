package model_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
