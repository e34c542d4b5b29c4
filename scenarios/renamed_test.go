package scenarios_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/model"
	"loadgen/results/figure"
	"loadgen/scenarios"
	"loadgen/scenarios/fields"
)

// Each name of before is a fault at its line that names the one of now, and the only one: of a
// field, and of a figure within a claim.
func TestRenamedFieldsAndFigures(t *testing.T) {
	workflows, contrary := textsIn(t, "testdata/valid")["workflows.yaml"], example("phases.peak.each: 7s")
	check := func(was, is, text string) {
		t.Helper()
		before, _, _ := strings.Cut(text, was)
		place := fmt.Sprintf("own.yaml:%d:%d: ", 1+strings.Count(before, "\n"), len(before)-strings.LastIndex(before, "\n"))
		_, err := scenarios.Parse("own.yaml", []byte(text))
		if faults := faultPlaces(t, err); len(faults) != 1 || !strings.HasPrefix(err.Error(), place+was+" ") || !strings.Contains(err.Error(), " "+is+" ") {
			t.Errorf("Parse with %s = %v; want %s and %s", was, err, place, is)
		}
	}
	for _, one := range fields.Renamed() {
		text := map[string]string{"workflow": workflows, "anti_pattern": contrary}[one[1]]
		if text == "" {
			text = contrary
		}
		check(one[0], one[1], strings.Replace(text, one[1]+":", one[0]+":", 1))
	}
	for _, one := range figure.RenamedMetrics() {
		check(one[0], one[1], race+"expect:\n  - p99 < 1s\n  - "+one[0]+" < 1\n")
	}
}

// So is each parameter of the model, in a file, in --set and where it is set by itself.
func TestRenamedParameters(t *testing.T) {
	for _, one := range model.Renamed() {
		was, is := one[0], one[1]
		assert.Truef(t, !slices.Contains(model.Names(), was) && slices.Contains(model.Names(), is),
			"%s and %s: want the second alone to be a parameter", was, is)
		if err := parsed(t, race).Set("model."+was, "5"); err == nil || !strings.Contains(err.Error(), " "+is+" ") {
			t.Errorf("Set(model.%s) = %v; want %s", was, err, is)
		}
		m, err := model.New(model.Documented)
		require.NoError(t, err)
		if err := m.Set(was, "5"); !errors.Is(err, model.ErrValue) || !strings.Contains(err.Error(), " "+is+" ") {
			t.Errorf("the model's Set(%s) = %v; want %s", was, err, is)
		}
	}
}

// So is each scenario of before, by all who take the name of one.
func TestRenamedExamples(t *testing.T) {
	for _, one := range scenarios.RenamedExamples() {
		was, is := one[0], one[1]
		if names := scenarios.Library(); slices.Contains(names, was) || !slices.Contains(names, is) {
			t.Errorf("%s and %s: want the second alone to be built in", was, is)
		}
		if _, _, err := scenarios.Open(was); !errors.Is(err, scenarios.ErrUnknown) || !strings.Contains(err.Error(), " "+is+" ") {
			t.Errorf("Open(%s) = %v; want %s", was, err, is)
		}
	}
}
