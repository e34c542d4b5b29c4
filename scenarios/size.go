package scenarios

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"loadgen/engine/csvfile"
	"loadgen/engine/entity"
	"loadgen/engine/nearest"
	"loadgen/scenarios/fields"
	"loadgen/scenarios/keys"
)

// SizeBinding is the binding of the size of entities: a number of bytes, their quantiles, or a curve. The
// distribution is nil for a number; the size is the greatest otherwise.
func SizeBinding(size *int, by *keys.SizeDistribution) fields.Binding {
	number := parseBytes(size)
	number.Expected = fmt.Sprintf("a whole number from 1 to %d, quantiles such as {p50: 900, p99: 4000}, or {%s: …}",
		entity.MaxEntityBytes, strings.Join(kinds(), ": …}, {"))
	return fields.Either{{Binding: number, Given: func() bool { return *by == nil }},
		{Binding: sizesValue{size, by}, Takes: fields.Dict, Given: func() bool { return *by != nil }}}
}

// sizesValue is a distribution of sizes.
type sizesValue struct {
	size *int
	by   *keys.SizeDistribution
}

func (v sizesValue) Read(r *fields.Reader, path string, n *fields.Node) {
	d, before := newDraft(), len(r.Faults)
	if d.object().Read(r, path, n); len(r.Faults) > before {
		// Nothing else is concluded from a faulty distribution.
		*v.size = 1
		return
	}
	*v.by = &d.quantiles
	if d.curve.Kind != "" {
		*v.by = &d.curve
	}
	_, *v.size = (*v.by).Ends()
}

func (v sizesValue) Write() *fields.Node {
	d := new(draft)
	switch by := (*v.by).(type) {
	case *keys.Quantiles:
		d.quantiles = *by
	case *keys.Curve:
		d.curve = *by
	}
	return d.object().Write()
}

func (v sizesValue) Schema() *fields.Schema {
	s := newDraft().object().Schema()
	s.MinProperties = 1
	return s
}

func parseBytes(into *int) fields.Whole[int] {
	return fields.Whole[int]{Into: into, Least: 1, Most: entity.MaxEntityBytes}
}

// optionalBytes is a number of bytes that may be left out.
func optionalBytes(into *int) fields.Binding {
	return unlessZero{parseBytes(into), func() bool { return *into == 0 }}
}

// draft is a distribution under way: quantiles where the curve has no kind.
type draft struct {
	quantiles keys.Quantiles
	curve     keys.Curve
}

func newDraft() *draft { return &draft{curve: keys.Curve{High: entity.MaxEntityBytes}} }

// kinds are the words of the curves, in their order.
func kinds() []string {
	return []string{keys.CurveUniform, keys.CurveLognormal, keys.CurvePareto, keys.CurveZipf, keys.CurveList, keys.CurveCSV}
}

// object has the quantiles by their names, of which an omitted one lies between its
// neighbours, and the curves.
func (d *draft) object() fields.Object {
	o := fields.Object{What: "sizes"}
	for i, name := range keys.QuantileNames {
		says := strings.TrimPrefix(name, "p") + "% of entities do not exceed"
		switch name {
		case "min":
			says = "no entity falls below"
		case "max":
			says = "no entity exceeds"
		}
		o.Fields = append(o.Fields, fields.Field{Name: name, Says: "Bytes that " + says + ".",
			Value: optionalBytes(&d.quantiles[i])})
	}
	given := func(into *string, what string) fields.Binding {
		return fields.Text{Into: into, Allow: func(s string) bool { return s != "" }, Expected: what}
	}
	view := func(kind, what, says string) fields.Field {
		own := fields.Binder{Form: formValue, View: kind}.Bind(&d.curve)
		own.What = what
		return fields.Field{Name: kind, Says: says, Value: d.bindingOf(kind, own)}
	}
	ends := pairValue[int]{&d.curve.Low, &d.curve.High, "sizes in bytes", func(size *int) fields.Binding { return parseBytes(size) }}
	list := bind(&d.curve).Fields
	for i := range list {
		list[i].Value = d.bindingOf(keys.CurveList, list[i].Value)
	}
	o.Fields = append(append(o.Fields,
		fields.Field{Name: keys.CurveUniform, Says: "Minimum and maximum, equally likely between.", Value: d.bindingOf(keys.CurveUniform, ends)},
		view(keys.CurveLognormal, "a lognormal", "Log-normal sizes: many near the median, few much larger."),
		view(keys.CurvePareto, "a pareto", "Sizes with a heavy tail."),
		view(keys.CurveZipf, "a size zipf", "The k-th smallest size is 1/k^exponent as frequent.")),
		append(list, fields.Field{Name: keys.CurveCSV, Says: "Sizes from a CSV column, by frequency or a column of weights.",
			Value: d.bindingOf(keys.CurveCSV, fields.Object{What: "a size CSV", Fields: []fields.Field{
				{Name: "file", Says: "A CSV file with a header, plain or gzip, relative to the scenario's folder.", Required: true,
					Value: given(&d.curve.File.File, "a CSV path")},
				{Name: "column", Says: "The column of sizes, in bytes.", Required: true, Value: given(&d.curve.File.Column, "a column name")},
				{Name: "weight", Says: "The column of row weights; 1 by default.",
					Value: unlessZero{given(&d.curve.File.Weight, "a column name"), func() bool { return d.curve.File.Weight == "" }}},
			}})})...)
	o.Then = d.resolve
	return o
}

// bindingOf has a field be written where the curve is of its kind alone.
func (d *draft) bindingOf(kind string, value fields.Binding) fields.Binding {
	return unlessZero{value, func() bool { return d.curve.Kind != kind }}
}

// resolve sees to it that there is one distribution, whose values go together.
func (d *draft) resolve(r *fields.Reader, path string, n *fields.Node) {
	var given []string
	quantiles := 0
	for _, e := range n.Entries {
		switch {
		case slices.Contains(kinds(), e.Key):
			given = append(given, e.Key)
		case slices.Contains(keys.QuantileNames[:], e.Key):
			quantiles++
		}
	}
	if len(given) > 1 || len(given) == 1 && quantiles > 0 {
		if quantiles > 0 {
			given = append(given, "quantiles")
		}
		r.Fault(n.At, path, "size has %s; expected quantiles alone, or one of %s", strings.Join(given, " beside "), strings.Join(kinds(), ", "))
		return
	}
	check(r, path, n, rule{n.Has("weights") && !n.Has(keys.CurveList), "weights", "weights need a list of sizes; expected none"})
	if len(given) == 1 {
		d.curve.Kind = given[0]
		d.settleCurve(r, fields.Child(path, given[0]), n.Find(given[0]), n.Find("weights"))
		return
	}
	most := 0
	for i, size := range d.quantiles {
		if size > 0 && size < most {
			name := keys.QuantileNames[i]
			r.Fault(n.Find(name).At, fields.Child(path, name), "%s is %d, below the previous quantile; expected ascending sizes", name, size)
			break
		}
		most = max(most, size)
	}
	if len(n.Entries) == 0 {
		r.Fault(n.At, path, "size is {}; expected a quantile, such as {p50: 900, p99: 4000}")
	}
}

// settleCurve refuses values of a curve that do not go together.
func (d *draft) settleCurve(r *fields.Reader, path string, n, weights *fields.Node) {
	c := &d.curve
	uniform, bell := c.Kind == keys.CurveUniform, c.Kind == keys.CurveLognormal
	check(r, path, n, []rule{
		{uniform && c.High > 0 && c.Low > c.High, "", fmt.Sprintf("uniform is %d to %d; expected ascending sizes", c.Low, c.High)},
		{bell && n.Has("p99") == n.Has("sigma") && c.Median > 0, "p99", "p99 and sigma are both given or missing; expected one"},
		{bell && !n.Has("sigma") && c.P99 > 0 && c.P99 <= c.Median, "p99", fmt.Sprintf("p99 is %d, p50 %d; expected p99 larger", c.P99, c.Median)},
		{bell && c.Median > c.High, "max", fmt.Sprintf("max is %d, p50 %d; expected max at least p50", c.High, c.Median)},
		{bell && c.Median <= c.High && c.Low > c.Median && c.Median > 0, "min", fmt.Sprintf("min is %d, p50 %d; expected min at most p50", c.Low, c.Median)},
		{!bell && !uniform && c.Low > c.High, "min", fmt.Sprintf("min is %d, max %d; expected min at most max", c.Low, c.High)},
	}...)
	if c.Kind == keys.CurveList && weights != nil && len(c.Weights) != len(c.List) {
		r.Fault(weights.At, strings.TrimSuffix(path, keys.CurveList)+"weights", "%d weights of %d sizes; expected one for each", len(c.Weights), len(c.List))
	}
}

// ReadCurve returns a curve with the sizes of its file. The error joins up to twenty
// [*csvfile.Fault], or is that of the reader.
func ReadCurve(c *keys.Curve, from io.Reader) (*keys.Curve, error) {
	set, err := c.File.Read(from)
	if err != nil {
		return nil, err
	}
	read := *c
	var faults []error
	for i := range set.Len() {
		text, weight, line := set.Row(i)
		size, err := strconv.ParseInt(text, 10, 64)
		if err != nil || size < 1 || size > entity.MaxEntityBytes {
			if len(faults) < keys.MaxRowFaults {
				faults = append(faults, &csvfile.Fault{File: c.File.File, Line: line, Kind: keys.ErrInvalidRow,
					What: c.File.Column + " is " + nearest.Quote(text) + "; expected whole bytes from 1 to " + strconv.Itoa(entity.MaxEntityBytes)})
			}
			continue
		}
		read.List, read.Weights = append(read.List, size), append(read.Weights, weight)
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	return &read, nil
}
