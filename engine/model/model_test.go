package model_test

import (
	"errors"
	"slices"
	"testing"

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
