package html_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"loadgen/report/document"
	"loadgen/report/html"
)

func TestNumbersOnAxes(t *testing.T) {
	for _, row := range []struct {
		name string
		in   float64
		want string
	}{
		{"zero", 0, "0"}, {"thousands apart", 2000, "2,000"}, {"millions, twice apart", 1234567, "1,234,567"},
		{"no trailing zeros", 2.50, "2.5"}, {"six digits", 1.2345678, "1.23457"}, {"below one", .5, "0.5"},
		{"below zero, with a minus sign", -1500, "−1,500"}, {"too small to write out", 1e-7, "1e-07"}, {"too great to write out", 2e18, "2e+18"},
	} {
		if got := html.Grouped(row.in); got != row.want {
			t.Errorf("%s: grouped(%v) = %q; want %q", row.name, row.in, got, row.want)
		}
	}
	for _, row := range []struct {
		name         string
		last, second float64
		want         string
	}{
		{"a short run is told in seconds", 60, 49, "49"}, {"a long one in minutes", 3600, 61, "1:01"},
		{"and parts of seconds", 3600, 3599.5, "59:59.5"}, {"beyond an hour, too", 9000, 7265, "121:05"}, {"the start", 3600, 0, "0:00"},
		{"before the start", 3600, -5, "−0:05"},
	} {
		if got := html.Clock(row.last, row.second); got != row.want {
			t.Errorf("%s: clock(%v) = %q; want %q", row.name, row.second, got, row.want)
		}
	}
	for span, want := range map[float64]float64{10: 1, 60: 10, 200: 20, 3600: 600, 86400: 14400} {
		if got := html.TimeStep(span); got != want {
			t.Errorf("timeStep(%v) = %v; want %v", span, got, want)
		}
	}
}

func TestOpeningAndRestAreTheText(t *testing.T) {
	for _, row := range []struct{ name, text, first string }{
		{"two sentences", "It holds. Of it all.", "It holds."},
		{"a number is no end", "At 2.5 it holds. So.", "At 2.5 it holds."},
		{"an abbreviation before a small letter", "It holds, e.g. here. So.", "It holds, e.g. here."},
		{"one sentence", "It holds.", "It holds."},
		{"nothing", "", ""},
	} {
		first, rest := html.Opening(row.text)
		if first != row.first || first+rest != row.text {
			t.Errorf("%s: opening = %q and %q; want %q and the rest", row.name, first, rest, row.first)
		}
	}
}

func line(values ...float64) document.Line {
	l := document.Line{Meaning: document.Served}
	for _, v := range values {
		if math.IsNaN(v) {
			l.Values = append(l.Values, nil)
		} else {
			l.Values = append(l.Values, value(v))
		}
	}
	return l
}

func TestAxisHoldsWhatIsDrawn(t *testing.T) {
	gap := math.NaN()
	for _, row := range []struct {
		name      string
		in        document.Series
		low, high float64
		level     string
	}{
		{"from zero to a round number", document.Series{Seconds: clockOf(2), Lines: []document.Line{line(10, 93)}}, 0, 100, ""},
		{"the level is within", document.Series{Seconds: clockOf(2), Lines: []document.Line{line(600, 900)}, Level: &document.Level{Name: "target", Value: 2000}}, 0, 2000, "target"},
		{"a level far above stays out and is told", document.Series{Seconds: clockOf(2), Lines: []document.Line{line(10, 90)}, Level: &document.Level{Name: "target", Value: 2000}}, 0, 100, "target (2,000, above the picture)"},
		{"nothing but a level", document.Series{Level: &document.Level{Name: "target", Value: 2000}}, 0, 2000, "target"},
		{"below zero", document.Series{Seconds: clockOf(2), Lines: []document.Line{line(-7, 3)}}, -8, 4, ""},
		{"all the same, zero", document.Series{Seconds: clockOf(2), Lines: []document.Line{line(0, 0)}}, 0, 1, ""},
		{"nothing", document.Series{}, 0, 1, ""},
		{"decades", document.Series{Log: true, Seconds: clockOf(3), Lines: []document.Line{line(7, gap, 510)}}, 1, 1000, ""},
		{"a decade at least", document.Series{Log: true, Seconds: clockOf(1), Lines: []document.Line{line(10)}}, 10, 100, ""},
		{"a logarithmic axis has no zero", document.Series{Log: true, Seconds: clockOf(2), Lines: []document.Line{line(0, 20)}}, 10, 100, ""},
		{"zeros alone are seen on a plain axis", document.Series{Log: true, Seconds: clockOf(2), Lines: []document.Line{line(0, 0)}}, 0, 1, ""},
		{"nothing on a logarithmic axis", document.Series{Log: true}, 1, 10, ""},
	} {
		got := html.Draw(row.in, 1)
		if math.Abs(got.Low-row.low) > 1e-9 || math.Abs(got.High-row.high) > 1e-9 || got.Level != row.level {
			t.Errorf("%s: axis from %v to %v, level %q; want %v, %v and %q", row.name, got.Low, got.High, got.Level, row.low, row.high, row.level)
		}
	}
}

func TestNumbersWithoutAPlaceAreTold(t *testing.T) {
	s := document.Series{Log: true, Seconds: clockOf(4), Lines: []document.Line{line(0, 20, math.NaN(), -3)}}
	of := func() string {
		return said(parsed(t, rendered(t, &document.Document{Sections: []document.Section{{Blocks: []document.Block{s}}}}, nil)))
	}
	if page := of(); !strings.Contains(page, "without a place on the logarithmic axis: 2 values.") {
		t.Errorf("the page does not tell of the zero and of what is below: %s", page)
	}
	s.Log = false
	if strings.Contains(of(), "without a place") {
		t.Error("a plain axis has a place for all")
	}
}

func TestInstantsOutOfOrderAreLeftOut(t *testing.T) {
	s := document.Series{Seconds: []float64{0, 2, 1, 2, math.NaN(), 3}, Lines: []document.Line{line(1, 2, 3, 4, 5, 6)}}
	got := html.Draw(s, 1)
	if !slices.Equal(got.X, []float64{0, 2, 3}) || !slices.Equal(got.Lines[0], []float64{1, 2, 6}) {
		t.Errorf("drawn at %v: %v; want 0, 2 and 3: 1, 2 and 6", got.X, got.Lines[0])
	}
	page := rendered(t, &document.Document{Sections: []document.Section{{Blocks: []document.Block{s}}}}, nil)
	if !strings.Contains(string(page), "Not drawn, because not later than those before: 3 instants.") {
		t.Error("the page does not tell of the instants that it leaves out")
	}
}

func TestMergedStretchesKeepTheirExtremes(t *testing.T) {
	gap := math.NaN()
	s := document.Series{Seconds: clockOf(10), Lines: []document.Line{line(5, 1, 9, 3, gap, gap, gap, gap, 4, 2)}}
	got := html.Draw(s, 4)
	if !slices.Equal(got.X, []float64{0, 3, 4, 7, 8, 9}) {
		t.Errorf("drawn at %v; want the ends of the stretches", got.X)
	}
	if want := "[1 9 NaN NaN 4 2]"; fmt.Sprint(got.Lines[0]) != want {
		t.Errorf("drawn %v; want %s: the least and the greatest as they came, gaps, and a stretch too short to merge", got.Lines[0], want)
	}
	if got.Stretch != 4 {
		t.Errorf("the page says that %d instants are merged; want 4", got.Stretch)
	}
	for _, row := range []struct {
		name string
		in   []float64
	}{{"falling", []float64{9, 5, 1, 7}}, {"rising", []float64{2, 1, 8, 9}}} {
		l := html.Draw(document.Series{Seconds: clockOf(4), Lines: []document.Line{line(row.in...)}}, 4).Lines[0]
		if slices.Min(l) != slices.Min(row.in) || slices.Max(l) != slices.Max(row.in) || slices.Index(row.in, l[0]) > slices.Index(row.in, l[1]) {
			t.Errorf("%s: %v became %v; want its extremes in their order", row.name, row.in, l)
		}
	}
}

func TestStillPictureKeepsExtremesAndGaps(t *testing.T) {
	gap := math.NaN()
	path := html.Draw(document.Series{Seconds: clockOf(6), Lines: []document.Line{line(1, 2, gap, 3, gap, 5)}}, 1).Path
	if n := strings.Count(path, "M"); n != 3 {
		t.Errorf("the line %s begins %d times; want anew after each gap", path, n)
	}
	if n := strings.Count(path, "h.01"); n != 2 {
		t.Errorf("the line %s has %d dots; want one for each number by itself", path, n)
	}
	// 10,000 instants in 824 columns: a needle up and one down must still be seen.
	values := make([]float64, 10_000)
	for i := range values {
		values[i] = 50
	}
	values[5003], values[5006] = 100, 0
	path = html.Draw(document.Series{Seconds: clockOf(10_000), Lines: []document.Line{line(values...)}}, 1).Path
	if !strings.Contains(path, " 26L") || !strings.Contains(path, " 240L") {
		t.Error("the still picture has lost a needle")
	}
	if n := strings.Count(path, "L"); n > 4*824 {
		t.Errorf("the still picture has %d points; want at most four a column", n)
	}
}

func TestMarksAndLinesAreToldApart(t *testing.T) {
	s := document.Series{Seconds: clockOf(2)}
	for i := range 250 {
		s.Marks = append(s.Marks, document.Mark{Second: float64(i), Text: "split"})
	}
	for _, m := range []document.Meaning{document.Offered, document.Served, document.Failed, document.Throttled, document.Throttled, document.Throttled} {
		s.Lines = append(s.Lines, document.Line{Meaning: m})
	}
	got := html.Draw(s, 1)
	if got.Marks != 200 || got.More != 50 {
		t.Errorf("%d marks are listed and %d not; want 200 and 50", got.Marks, got.More)
	}
	if want := []int{2, 0, 3, 0, 1, 2}; !slices.Equal(got.Dashes, want) {
		t.Errorf("patterns %v; want %v: no two of the same colour alike", got.Dashes, want)
	}
	page := rendered(t, &document.Document{Sections: []document.Section{{Blocks: []document.Block{s}}}}, nil)
	if !strings.Contains(string(page), "(200; 50 more are not listed)") {
		t.Error("the page does not say how many marks it leaves out")
	}
}

func TestTitlesAreSeenOnce(t *testing.T) {
	d := stress(9)
	d.Sections[2].Title = stressTable().Caption
	root := parsed(t, rendered(t, d, drawn()))
	for _, caption := range all(root, "caption") {
		unseen := len(all(caption, "span")) == 1
		if again := said(caption) == stressTable().Caption; again != unseen {
			t.Errorf("the caption %q is hidden: %v; want that of what the heading says alone", said(caption), unseen)
		}
	}
}
