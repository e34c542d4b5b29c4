package suggest_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/scenarios"
	"loadgen/scenarios/advise/suggest"
	"loadgen/scenarios/run/runtest"
)

// ordered is a small table whose operations and expectations the tests fill in.
func ordered(t testing.TB, target, perSecond int, operations, expect string, set ...string) *scenarios.Scenario {
	t.Helper()
	return runtest.Parse(t, file(t, "orders"), append(set, fmt.Sprintf("model.partition_target=%d", target),
		fmt.Sprintf("phases.work.arrivals.constant=%d", perSecond), "phases.work.operations=["+operations+"]", "expect=["+expect+"]")...)
}

// What nothing can be proposed for says what is at fault.
func TestUnsuitedScenarios(t *testing.T) {
	const often = "arrivals: {constant: 9}, for: 2s, "
	for _, tt := range []struct{ name, phase, want string }{
		{"a stress test of one partition", `peak: {partition_key: "7_fr", rates: [10], each: 1s, operations: [{verb: get}]}`, "no event traffic"},
		{"traffic that names partitions", "traffic: {" + often + "partitions: 3, operations: [{verb: get}]}", "no event traffic"},
		{"a trace", "traffic: {arrivals: {trace: rows.csv}, operations: [{verb: query, by: [customer]}]}", "phase work replays a trace"},
		{"a workflow", "traffic: {" + often + "operations: [{verb: query, by: [customer]}, {workflow: read-set, with: {sets: 20}}]}", "workflow read-set"},
	} {
		s := runtest.Parse(t, strings.Replace(file(t, "orders"), "traffic: {arrivals: {constant: 9}, for: 2s, operations: [{verb: insert}]}", tt.phase, 1))
		if _, err := suggest.Designs(s, nil); !errors.Is(err, suggest.ErrUnsuited) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: Designs() = %v; want %s", tt.name, err, tt.want)
		}
	}
}

// The proposed scenario has the designs, the best in use, and of the expectations those
// that any design should bear out; printed and read again it is the same.
func TestScenarioOfAProposal(t *testing.T) {
	s := ordered(t, 2000, 100, "{verb: insert}, {verb: query, by: [customer]}",
		`p99(query) < 50ms, throttled < 1%, offered(hottest) < 500, ok >= 99%, requests(insert) == operations(insert), counted(query) > 2 * returned(query), throttled(insert) > 10%, "offered(\"7\") < 10"`)
	p := proposed(t, s)
	got, err := p.Scenario()
	require.NoError(t, err)
	first := p.Candidates[0].Design.Name
	if names := got.Alternatives(); !slices.Equal(names[:2], []string{"own", first}) || got.Use != first {
		t.Errorf("the designs are %v with %s in use; want own and %s first, and that in use", names, got.Use, first)
	}
	kept := []string{"p99(query) < 50ms", "throttled < 1%", "offered(hottest) < 500", "ok >= 99%"}
	assert.Equal(t, kept, got.Expect)
	again := runtest.Parse(t, string(got.Text()))
	assert.Equal(t, string(got.Text()), string(again.Text()), "printed and read again the scenario is another")
	assert.True(t, len(s.Designs) == 0 && s.Design.PartitionKey == "{customer}_{country}" && len(s.Expect) == 8, "the scenario itself was changed")
}

// The scenario's own designs are kept beside under the names that they have, which nothing
// that is proposed takes, and one that has the keys of a proposal stands for it.
func TestOwnDesignsBeside(t *testing.T) {
	text := strings.Replace(file(t, "orders"), `design: {partition_key: "{customer}_{country}", row_key: "{id}"}`,
		`designs: [{name: by-customer, partition_key: "{country}", row_key: "{id}"}, {name: same, partition_key: "{customer}", row_key: "{id}"}]`, 1)
	p := proposed(t, runtest.Parse(t, text, "phases.work.operations=[{verb: insert}, {verb: query, by: [customer]}]"))
	s, err := p.Scenario()
	require.NoError(t, err)
	if names := s.Alternatives(); !slices.Equal(names[:2], []string{"by-customer", "same"}) || s.Designs[0].PartitionKey != "{country}" {
		t.Errorf("the designs are %+v; want the two of the scenario first, as they are", s.Designs)
	}
	for _, one := range p.Candidates {
		assert.Falsef(t, one.Design.PartitionKey == "{customer}" && len(one.Design.Copies) == 0 || one.Design.Name == "by-customer" || one.Design.Name == "same",
			"%+v is proposed beside the same keys, or under a name that is taken", one.Design)
	}
}

func TestProposals(t *testing.T) {
	find := func(p *suggest.Proposal, partitionKey string) *suggest.Candidate {
		for i := range p.Candidates {
			if p.Candidates[i].Design.PartitionKey == partitionKey {
				return &p.Candidates[i]
			}
		}
		return nil
	}
	rejected := func(p *suggest.Proposal, partitionKey, why string) bool {
		return slices.ContainsFunc(p.Rejected, func(text string) bool {
			return strings.HasPrefix(text, partitionKey+": ") && strings.Contains(text, why)
		})
	}
	t.Run("a key that appends under few inserts is proposed, with a warning", func(t *testing.T) {
		p := proposed(t, ordered(t, 0, 100, "{verb: insert, weight: 2}, {verb: query, by: [hour], weight: 98}", ""))
		c := find(p, "{hour}")
		assert.Truef(t, c != nil && strings.Contains(c.Why[len(c.Why)-1], "appends"),
			"proposed %+v; want {hour}, with a warning", p.Candidates)
	})
	t.Run("a key that appends under many is not, and says why", func(t *testing.T) {
		p := proposed(t, ordered(t, 0, 100, "{verb: insert}, {verb: query, by: [hour]}", ""))
		assert.Truef(t, find(p, "{hour}") == nil && rejected(p, "{hour}", "append-only: it begins with hour"),
			"proposed %+v, rejected %+v; want {hour} rejected", p.Candidates, p.Rejected)
		if c := p.Candidates[0]; c.Design.PartitionKey != "{hash(id,2):01d}_{hour}" || c.Buckets != 2 || c.Reads[0].Requests != 2 {
			t.Errorf("proposed first: %+v; want the hour in two buckets", c)
		}
	})
	t.Run("transactions keep to one partition, and buckets to what they share", func(t *testing.T) {
		p := proposed(t, ordered(t, 2000, 50, "{verb: batch, entities: 5, together: [customer, country]}, {verb: query, by: [hour]}, {name: one, verb: query, by: [id]}", ""))
		assert.Truef(t, find(p, "{hash(customer,2):01d}_{hour}") != nil && rejected(p, "{hash(customer,2):01d}_{id}", "cannot serve"),
			"proposed %+v, rejected %+v; want buckets by the customer, and nothing by the id", p.Candidates, p.Rejected)
	})
	t.Run("a scan is rejected where another design serves the question", func(t *testing.T) {
		p := proposed(t, ordered(t, 2000, 100, "{verb: insert}, {verb: query, by: [customer]}, {name: rare, verb: query, by: [country]}", "p99(rare) < 1s"))
		assert.Truef(t, rejected(p, "{customer}", "rare would scan") && find(p, "{country}") != nil,
			"proposed %+v, rejected %+v; want {customer} alone rejected as a scan", p.Candidates, p.Rejected)
	})
	t.Run("where nothing holds, that is said", func(t *testing.T) {
		s := ordered(t, 2000, 200, "{verb: insert}, {verb: query, by: [customer]}", "", "model.account_target=50")
		p := proposed(t, s)
		c := p.Candidates[0]
		assert.Truef(t, !c.Holds && strings.Contains(c.Why[len(c.Why)-1], "account"),
			"proposed first: %+v; want that it does not hold the peak", c)
	})
	t.Run("a hot value is spread over the fewest buckets that leave the headroom", func(t *testing.T) {
		s := ordered(t, 100, 400, "{verb: insert, weight: 99}, {verb: query, by: [country], top: 5, pages: 1}", "")
		c := proposed(t, s).Candidates[0]
		assert.Truef(t, c.Buckets >= 2 && c.Hottest <= 80, "%d buckets of %.0f/s at most; want some, with a fifth left free", c.Buckets, c.Hottest)
	})
	t.Run("without questions the simplest column that sustains the peak", func(t *testing.T) {
		p := proposed(t, ordered(t, 100, 300, "{verb: insert}", ""))
		assert.Truef(t, p.Candidates[0].Design.PartitionKey == "{customer}" && p.Candidates[0].Holds && find(p, "{id}") == nil, "%+v", p.Candidates)
	})
	t.Run("the same each time", func(t *testing.T) {
		s := ordered(t, 2000, 60, "{verb: insert}, {verb: query, by: [customer, country]}, {name: id, verb: query, by: [id]}", "")
		a, b := proposed(t, s), proposed(t, s)
		assert.Truef(t, reflect.DeepEqual(a, b), "proposed %+v and %+v", a, b)
	})
}
