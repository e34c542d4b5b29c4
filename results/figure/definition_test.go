package figure_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/results/figure"
)

// Every definition says what it is and of what, and can be asked for by its name, of what it
// says, in a claim and alone.
func TestEveryDefinitionIsWhole(t *testing.T) {
	figures := figure.Of(kept(t))
	seen := map[string]bool{}
	for _, name := range figure.Names() {
		d, known := figure.Find(name)
		if !known || seen[name] || d.Name != name || d.About == "" || strings.HasSuffix(d.About, ".") || d.Scopes() == "" {
			t.Errorf("Find(%q) = %+v; want one definition, with a sentence and a scope", name, d)
		}
		seen[name] = true
		text := d.Name
		if d.Scope == figure.OfCounter {
			text += "(look, both)"
		}
		ref, err := figure.ParseFigure(text)
		assert.Truef(t, err == nil && ref.String() == text && ref.Unit() == d.Unit,
			"ParseFigure(%q) = %v, %v; want it as it is", text, ref, err)
		v := figures.Take(ref)
		assert.Truef(t, v.Told != (v.Why != "") && (v.Provenance != "" || !v.Told), "%s = %+v", text, v)
		asked := false
		for _, limit := range []string{"2", "2ms"} {
			if claim, err := figure.ParseClaim(text + " < " + limit); err == nil {
				asked = claim.String() == text+" < "+limit && claim.Judge(fixed(1)).Pass
			}
		}
		assert.Truef(t, asked, "no claim of %q can be made", name)
		for what, of := range map[string]string{"a phase": "(*, peak)", "an operation": "(get, *)", "a partition": `("NYC")`} {
			if what == "a phase" && d.Scopes() == "of the run or a phase" {
				of = "(peak)"
			}
			if _, err := figure.ParseFigure(name + of); name != "counter" && (err == nil) != strings.Contains(d.Scopes(), what) {
				t.Errorf("%s is %q, and %s%s = %v; want that they agree", name, d.Scopes(), name, of, err)
			}
		}
	}
	_, known := figure.Find("refused")
	assert.False(t, known, "Find knows what is no figure")
}

// A partition of 1,000 entities/s under twice that load.
func Example() {
	record := steps(same(10, 500, 500), same(10, 2000, 1000))
	figures := figure.Of(record)
	for _, name := range []string{"saturation", "share_lost", "share_lost_settled", "lost_writes"} {
		if v := figures.Named(name); v.Told {
			fmt.Printf("%s: %.4g, of %d, %s\n", name, v.Value, v.Count, v.Provenance)
		} else {
			fmt.Printf("%s: not told, %s\n", name, v.Why)
		}
	}
	// Output:
	// saturation: 1000, of 9, modelled
	// share_lost: 0.4, of 25000, modelled
	// share_lost_settled: 0.4, of 12500, modelled
	// lost_writes: not told, writes not verified
}
