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
type SizeBinding struct {
	Size *int
	By   *keys.SizeDistribution
}

// Read implements [fields.Binding].
func (v SizeBinding) Read(r *fields.Reader, path string, n *fields.Node) {
	*v.By = nil
	if n.Kind != fields.Dict {
		fields.Instead{Binding: v.one(), Expected: fmt.Sprintf("a whole number from 1 to %d, quantiles such as {p50: 900, p99: 4000}, or {%s: …}",
			entity.MaxEntityBytes, strings.Join(kinds(), ": …}, {"))}.Read(r, path, n)
		return
	}
	d, before := newDraft(), len(r.Faults)
	d.object().Read(r, path, n)
	if len(r.Faults) > before {
		// Nothing else is concluded from a faulty distribution.
		*v.Size = 1
		return
	}
	if d.curve.Kind == "" {
		*v.By = &d.quantiles
	} else {
		*v.By = &d.curve
	}
	_, *v.Size = (*v.By).Ends()
}

func (v SizeBinding) one() fields.Whole[int] { return parseBytes(v.Size) }

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

// object has the quantiles by their names, of which what is left out lies between its
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
	o.Fields = append(append(o.Fields, d.curves()...),
		fields.Field{Name: keys.CurveCSV, Says: "Sizes from a CSV column, by frequency or a column of weights.",
			Value: d.of(keys.CurveCSV, fields.Object{What: "a size CSV", Fields: []fields.Field{
				{Name: "file", Says: "A CSV file with a header, plain or gzip, relative to the scenario's folder.", Required: true,
					Value: given(&d.curve.File.File, "a CSV path")},
				{Name: "column", Says: "The column of sizes, in bytes.", Required: true, Value: given(&d.curve.File.Column, "a column name")},
				{Name: "weight", Says: "The column of row weights; 1 by default.",
					Value: unlessZero{given(&d.curve.File.Weight, "a column name"), func() bool { return d.curve.File.Weight == "" }}},
			}})})
	o.Then = d.settle
	return o
}

// curves are those that are shaped by numbers, and a list.
func (d *draft) curves() []fields.Field {
	c := &d.curve
	return []fields.Field{
		{Name: keys.CurveUniform, Says: "Minimum and maximum, equally likely between.",
			Value: d.of(keys.CurveUniform, pairValue[int]{&c.Low, &c.High, "sizes in bytes", func(size *int) fields.Binding { return parseBytes(size) }})},
		{Name: keys.CurveLognormal, Says: "Log-normal sizes: many near the median, few much larger.",
			Value: d.of(keys.CurveLognormal, fields.Object{What: "a lognormal", Fields: []fields.Field{
				{Name: "p50", Says: "The median.", Required: true, Value: parseBytes(&c.Median)},
				{Name: "p99", Says: "The 99th percentile.", Value: optionalBytes(&c.P99)},
				{Name: "sigma", Says: "Standard deviation of the logarithm, instead of p99.",
					Value: unlessZero{fields.Decimal(&c.Sigma, fields.DecimalNumber, 0.01, 5, "a number from 0.01 to 5, such as 0.6"),
						func() bool { return c.Sigma == 0 }}},
				{Name: "min", Says: "Minimum; that of keys and properties by default.", Value: optionalBytes(&c.Low)},
				greatest(c),
			}})},
		{Name: keys.CurvePareto, Says: "Sizes with a heavy tail.",
			Value: d.of(keys.CurvePareto, fields.Object{What: "a pareto", Fields: []fields.Field{
				{Name: "min", Says: "Minimum, the most frequent size.", Required: true, Value: parseBytes(&c.Low)},
				{Name: "tail", Says: "Exponent: a share of (min/x)^tail is above x; smaller is heavier.",
					Required: true, Value: fields.Decimal(&c.Tail, fields.DecimalNumber, 0.1, 100, "a number from 0.1 to 100, such as 1.5")},
				greatest(c),
			}})},
		{Name: keys.CurveZipf, Says: "The k-th smallest size is 1/k^exponent as frequent.",
			Value: d.of(keys.CurveZipf, fields.Object{What: "a size zipf", Fields: []fields.Field{
				{Name: "min", Says: "Minimum, the most frequent size.", Required: true, Value: parseBytes(&c.Low)},
				{Name: "max", Says: "The maximum.", Required: true, Value: parseBytes(&c.High)},
				{Name: "exponent", Says: "How steeply shares fall with size: 0 is uniform.",
					Required: true, Value: fields.Decimal(&c.Exponent, fields.DecimalNumber, 0, 5, "an exponent from 0 to 5, such as 0.99")},
			}})},
		{Name: keys.CurveList, Says: "Sizes in bytes.",
			Value: d.of(keys.CurveList, fields.ListOf[int64]{Into: &c.List, Least: 1, Most: 10_000, What: "sizes in bytes", Bind: listedSizes})},
		{Name: "weights", Says: "Relative weight of each size; equal by default.",
			Value: d.of(keys.CurveList, fields.ListOf[int64]{Into: &c.Weights, Least: 1, Most: 10_000, What: "weights",
				Bind: func(w *int64) fields.Binding { return fields.Whole[int64]{Into: w, Least: 1, Most: 1_000_000_000} }})},
	}
}

func listedSizes(size *int64) fields.Binding {
	return fields.Whole[int64]{Into: size, Least: 1, Most: entity.MaxEntityBytes}
}

// of has a field be written where the curve is of its kind alone.
func (d *draft) of(kind string, value fields.Binding) fields.Binding {
	return unlessZero{value, func() bool { return d.curve.Kind != kind }}
}

// settle sees to it that there is one distribution, whose values go together.
func (d *draft) settle(r *fields.Reader, path string, n *fields.Node) {
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

// Write implements [fields.Binding].
func (v SizeBinding) Write() *fields.Node {
	switch by := (*v.By).(type) {
	case *keys.Quantiles:
		return (&draft{quantiles: *by}).object().Write()
	case *keys.Curve:
		return (&draft{curve: *by}).object().Write()
	default:
		return v.one().Write()
	}
}

// Schema implements [fields.Binding].
func (v SizeBinding) Schema() *fields.Schema {
	distribution := newDraft().object().Schema()
	distribution.MinProperties = 1
	return &fields.Schema{AnyOf: []*fields.Schema{v.one().Schema(), distribution}}
}

// greatest is the field of the size at which a curve is cut.
func greatest(c *keys.Curve) fields.Field {
	return fields.Field{Name: "max", Says: "Maximum, to which larger sizes are cut; 1 MiB by default.",
		Value: unlessZero{parseBytes(&c.High), func() bool { return c.High == entity.MaxEntityBytes }}}
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
			if len(faults) < keys.MostRowFaults {
				faults = append(faults, &csvfile.Fault{File: c.File.File, Line: line, Kind: keys.ErrInvalidRow,
					What: c.File.Column + " is " + nearest.Shown(text) + "; expected whole bytes from 1 to " + strconv.Itoa(entity.MaxEntityBytes)})
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
