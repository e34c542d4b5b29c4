package scenarios_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine"
	"loadgen/results/resultstest"
	"loadgen/scenarios"
	"loadgen/scenarios/fields"
)

// writtenFaults returns rules as a text.
func writtenFaults(rules []engine.FaultRule) string {
	return fields.Inline(scenarios.FaultsBinding(&rules).Write())
}

func TestARuleIsReadAsItIsMeant(t *testing.T) {
	const s = time.Second
	for _, row := range []struct {
		says, text string
		want       engine.FaultRule
	}{
		{"a refusal is 503 unless its code is given", "{kind: refuse, share: 2%}", engine.FaultRule{Kind: engine.FaultRefuse, Code: "ServerBusy", Share: 20_000, To: scenarios.UntilTheEnd}},
		{"a loss is of the reply", "{kind: drop, share: 0.0001%, seed: 3}", engine.FaultRule{Kind: engine.FaultDrop, Moment: engine.FaultAfter, Share: 1, To: scenarios.UntilTheEnd, Seed: 3}},
		{"or of the request", "{kind: drop, moment: before, by: 5s, from: 1s, to: 2s}", engine.FaultRule{Kind: engine.FaultDrop, Moment: engine.FaultBefore, Share: engine.WholeShare, By: 5 * s, From: s, To: 2 * s}},
		{"all meet what has no share", "{kind: cut, key: \"a b\"}", engine.FaultRule{Kind: engine.FaultCut, Share: engine.WholeShare, Key: "a b", To: scenarios.UntilTheEnd}},
		{"a window ends", "{kind: freeze, to: 1m30s, key_prefix: a}", engine.FaultRule{Kind: engine.FaultFreeze, Share: engine.WholeShare, KeyPrefix: "a", To: 90 * s}},
		{"a drip lasts", "{kind: drip, by: 1500ms, share: 99.5%}", engine.FaultRule{Kind: engine.FaultDrip, Share: 995_000, By: 1500 * time.Millisecond, To: scenarios.UntilTheEnd}},
	} {
		rules, wrong := readAs("["+row.text+"]", scenarios.FaultsBinding)
		require.Emptyf(t, wrong, "%s: %s", row.says, row.text)
		assert.Equalf(t, []engine.FaultRule{row.want}, rules, "%s: %s", row.says, row.text)
		again, _ := readAs(writtenFaults(rules), scenarios.FaultsBinding)
		assert.Equalf(t, rules, again, "%s: it is written as %s", row.says, writtenFaults(rules))
	}
}

// What goes wrong with several rules together is told of the one that comes later.
func TestCheckOfSeveral(t *testing.T) {
	for _, row := range resultstest.Rows(t, "testdata/faults.txt", 3) {
		rules, wrong := readAs(row[1], scenarios.FaultsBinding)
		require.Emptyf(t, wrong, "%s: %v", row[0], wrong)
		var found []string
		scenarios.CheckFaults(rules, scenarios.UntilTheEnd, func(place int, what string) {
			for _, key := range []string{"faults[0]", "every attempt"} {
				if strings.Contains(what, key) {
					found = append(found, fmt.Sprint(place, " ", key))
				}
			}
		})
		assert.Equalf(t, row[2], strings.Join(found, ", "), "%s: CheckFaults finds", row[0])
	}
}

// What is refused as hopeless is: of any draw nothing is left that could succeed; and what
// is not lets some attempt pass at some time.
func TestHopelessIsWhatLeavesNothing(t *testing.T) {
	found := 0
	for seed := range uint64(6000) {
		rng := rand.New(rand.NewPCG(seed, 2))
		rules := make([]engine.FaultRule, 1+rng.IntN(4))
		for i := range rules {
			from := time.Duration(rng.IntN(4))
			rules[i] = engine.FaultRule{Kind: engine.FaultKinds()[rng.IntN(6)], Moment: engine.FaultAfter, By: 1, From: from, To: from + 1 + time.Duration(rng.IntN(6)),
				Share: engine.WholeShare - rng.IntN(2)*rng.IntN(engine.WholeShare), Key: []string{"", "", "a"}[rng.IntN(3)]}
		}
		const lasts = 6
		hopeless := false
		scenarios.CheckFaults(rules, lasts, func(_ int, what string) { hopeless = hopeless || strings.HasPrefix(what, "every attempt") })
		passes := false
		for at := range time.Duration(lasts) {
			certain := false
			for _, r := range rules {
				certain = certain || r.Fails() && r.Share == engine.WholeShare && r.Key == "" && r.From <= at && at < r.To
			}
			passes = passes || !certain
		}
		if hopeless == passes {
			t.Fatalf("seed %d: %+v are refused %t, and let something pass %t", seed, rules, hopeless, passes)
		}
		if hopeless {
			found++
		}
	}
	assert.Truef(t, found >= 100, "%d of 6000 lists are hopeless; want a hundred, or little is shown", found)
}

// contestedWith is a scenario of three designs, of which one alone serves every operation.
func contestedWith(t testing.TB, use, copies string) []byte {
	return []byte(edited(t, "contested.yaml", "use: page", "use: "+use, `_{id}"}`, `_{id}"`+copies+"}"))
}

// What one design alone cannot do is an obstacle of it and no fault of the scenario,
// whichever design is in use.
func TestObstacles(t *testing.T) {
	for _, use := range []string{"page", "id", "hour"} {
		s, err := scenarios.ParseContested("c.yaml", contestedWith(t, use, ""))
		require.NoErrorf(t, err, "use %s: %v; want a scenario that can be contested", use, err)
		for _, row := range []struct {
			sentence, design string
			want             []string
		}{
			{"nothing is in the way", "page", nil},
			{"a transaction across partitions", "id", []string{"save {id}"}},
			{"a point whose key is not known", "hour", []string{"open {at:hour}"}},
		} {
			got := s.Obstacles(row.design)
			require.Lenf(t, got, len(row.want), "use %s, %s", use, row.sentence)
			for i, want := range row.want {
				operation, part, _ := strings.Cut(want, " ")
				assert.Equalf(t, operation, got[i].Operation, "use %s, %s", use, row.sentence)
				assert.Containsf(t, got[i].Why, part, "use %s, %s", use, row.sentence)
			}
		}
		assert.Equal(t, use, s.Use, "the scenario uses")
	}
}

// A copy under the keys that the reader knows makes the point one.
func TestACopyServesAPoint(t *testing.T) {
	s, err := scenarios.ParseContested("c.yaml", contestedWith(t, "hour", `, copies: [{name: number, partition_key: "n{id}", row_key: "{page}"}]`))
	require.NoError(t, err)
	// What is left is that the copies of a transaction lie apart, which is no fault.
	assert.Len(t, s.Obstacles("hour"), 0, "Obstacles(hour)")
}

// Faults that concern no operation name the phase, or the part of the scenario.
func TestWhatAnObstacleConcerns(t *testing.T) {
	s, err := scenarios.ParseContested("c.yaml", contestedWith(t, "page", ""))
	require.NoError(t, err)
	for path, want := range map[string]string{
		"phases.1.traffic.operations.1.together": "save", "phases.1.traffic.operations.7": "measure", "phases.1.traffic": "measure",
		"phases.0.load.entities": "load", "phases.9.load": "phases", "accounts.by": "accounts", "": "",
	} {
		assert.Equalf(t, want, s.ObstaclesOf(fields.Faults{{Path: path, What: "x"}})[0].Operation, "a fault at %q is of", path)
	}
}

// Under one design the anti-pattern of another is no business of anybody's.
func TestUnderADesignThereIsNoAntiPattern(t *testing.T) {
	s := builtin(t, "day-key")
	for _, design := range []string{"", "hour"} {
		other, err := s.WithDesign(design)
		assert.Truef(t, err == nil && other.AntiPattern == nil && s.AntiPattern != nil,
			"Under(%q) has the anti-pattern %v, %v; want none, and the scenario as it was", design, other.AntiPattern, err)
		assert.Falsef(t, design != "" && (other.Use != design || other.Design.Name != design),
			"Under(%q) uses %q", design, other.Use)
	}
	if _, err := s.WithDesign("hours"); err != nil && !strings.Contains(err.Error(), "hours") {
		t.Errorf("Under(hours): %v", err)
	}
}

// brokenFolder holds files with a mistake each, which the first line tells, and
// what is said of them. The second line marks those that the schema refuses, too.
const (
	brokenFolder = "testdata/broken"
	brokenWant   = brokenFolder + "/want.txt"
	refusedToo   = "\n# The schema refuses it, too.\n"
)

// brokenTexts returns the broken files by their names.
func brokenTexts(t testing.TB) map[string]string { return textsIn(t, brokenFolder) }

// textsIn returns the scenarios of a folder by the names of their files.
func textsIn(t testing.TB, folder string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(folder + "/*.yaml")
	require.NoError(t, err)
	texts := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		texts[filepath.Base(file)] = string(text)
	}
	return texts
}

// faultsOf returns the lines that are said of a broken text.
func faultsOf(t *testing.T, name, text string) []string {
	t.Helper()
	s, err := scenarios.Parse(name, []byte(text))
	require.Nilf(t, s, "Parse(%s)", name)
	require.ErrorIs(t, err, fields.ErrInvalid, name)
	return strings.Split(err.Error(), "\n")
}

// Each broken file is told what is wrong with it, and where.
func TestBrokenFiles(t *testing.T) {
	texts := brokenTexts(t)
	require.Truef(t, len(texts) >= 100, "%s holds %d broken files; want a hundred", brokenFolder, len(texts))
	j := schemaJudge(t)
	var got strings.Builder
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		text := texts[name]
		for _, line := range faultsOf(t, name, text) {
			fmt.Fprintln(&got, line)
		}
		faults, isYAML := j.text(text)
		assert.Equalf(t, strings.Contains(text, refusedToo), isYAML && len(faults) > 0,
			"the schema says of %s %q, YAML %t", name, faults, isYAML)
	}
	if *rewrite {
		require.NoError(t, os.WriteFile(brokenWant, []byte(got.String()), 0o644))
	}
	want, err := os.ReadFile(brokenWant)
	require.NoError(t, err)
	assert.Equalf(t, string(want), got.String(), "%s: run the test with -rewrite and read the difference", brokenWant)
}
