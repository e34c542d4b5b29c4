package figure_test

import (
	"fmt"
	"strings"
	"testing"

	"loadgen/results/figure"
)

// Every definition says what it is and of what, and can be asked for by its name.
func TestEveryDefinitionIsWhole(t *testing.T) {
	record := kept()
	figures := figure.Of(record)
	seen := map[string]bool{}
	for _, name := range figure.Names() {
		d, known := figure.Find(name)
		if !known || seen[d.Name] || d.Name == "" || d.About == "" || strings.HasSuffix(d.About, ".") || d.Scopes() == "" {
			t.Errorf("%q, %q, is defined twice or lacks a name, a sentence or a scope", d.Name, d.About)
		}
		seen[d.Name] = true
		if d.Name != name {
			t.Errorf("Find(%q) = %q, %q; want the definition", name, d.Name, d.About)
		}
		text := d.Name
		if d.Scope == figure.OfCounter {
			text += "(look, both)"
		}
		ref, err := figure.ParseFigure(text)
		if err != nil || ref.String() != text || ref.Unit() != d.Unit {
			t.Errorf("ParseFigure(%q) = %v, %v; want it as it is", text, ref, err)
		}
		if v := figures.Take(ref); v.Told == (v.Why != "") || v.Provenance == "" && v.Told {
			t.Errorf("%s = %+v; want it told with its provenance, or why not", text, v)
		}
	}
	if _, known := figure.Find("refused"); known || len(seen) != len(figure.Names()) {
		t.Errorf("Find knows what is no figure, or Names = %d differ from the %d definitions", len(figure.Names()), len(seen))
	}
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
	// lost_writes: not told, the writes were not verified
}
