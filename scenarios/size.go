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
	before := len(r.Faults)
	if *v.By = nil; n.Kind != fields.Dict {
		if v.one().Read(r, path, n); len(r.Faults) > before {
			r.Faults = r.Faults[:before]
			r.Expect(n, path, fmt.Sprintf("a whole number from 1 to %d, the quantiles of sizes, such as {p50: 900, p99: 4000}, or {%s: …}",
				entity.MaxEntityBytes, strings.Join(kinds(), ": …}, {")))
		}
		return
	}
	d := newDraft()
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

// draft is a distribution under way: quantiles where the curve has no kind.
type draft struct {
	quantiles keys.Quantiles
	curve     keys.Curve
	uniform   []int64
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
		says := strings.TrimPrefix(name, "p") + " % of the entities do not exceed"
		switch name {
		case "min":
			says = "no entity falls short of"
		case "max":
			says = "no entity exceeds"
		}
		o.Fields = append(o.Fields, fields.Field{Name: name, Says: "The size in bytes that " + says + ".",
			Value: fields.Whole[int]{Into: &d.quantiles[i], Least: 1, Most: entity.MaxEntityBytes, UnlessZero: true}})
	}
	given := func(into *string, what string) fields.Binding {
		return fields.Text{Into: into, Allow: func(s string) bool { return s != "" }, Expected: what}
	}
	o.Fields = append(append(o.Fields, d.curves()...),
		fields.Field{Name: keys.CurveCSV, Says: "The sizes of a file's column, each as often as it occurs there, or as a column of weights says.",
			Value: d.of(keys.CurveCSV, fields.Object{What: "a csv of sizes", Fields: []fields.Field{
				{Name: "file", Says: "The path of the file, from the folder of the scenario. Its first line names the columns.", Required: true,
					Value: given(&d.curve.File.File, "the path of a CSV file")},
				{Name: "column", Says: "The name of the column with the sizes, in bytes.", Required: true, Value: given(&d.curve.File.Column, "the name of a column")},
				{Name: "weight", Says: "The name of the column that says how often each row counts; once unless it is given.",
					Value: unlessZero{given(&d.curve.File.Weight, "the name of a column"), func() bool { return d.curve.File.Weight == "" }}},
			}})})
	o.Then = d.settle
	return o
}

// curves are those that are shaped by numbers, and a list.
func (d *draft) curves() []fields.Field {
	c := &d.curve
	optional := func(into *int) fields.Binding {
		return fields.Whole[int]{Into: into, Least: 1, Most: entity.MaxEntityBytes, UnlessZero: true}
	}
	return []fields.Field{
		{Name: keys.CurveUniform, Says: "The least and the greatest size in bytes, between which all are alike.",
			Value: d.of(keys.CurveUniform, fields.ListOf[int64]{Into: &d.uniform, Least: 2, Most: 2, What: "sizes in bytes", Bind: listedSizes})},
		{Name: keys.CurveLognormal, Says: "Sizes whose logarithms lie under a bell curve: many near the median, few that are much larger.",
			Value: d.of(keys.CurveLognormal, fields.Object{What: "a lognormal", Fields: []fields.Field{
				{Name: "p50", Says: "The median, in bytes.", Required: true, Value: parseBytes(&c.Median)},
				{Name: "p99", Says: "The size that one of a hundred entities exceeds.", Value: optional(&c.P99)},
				{Name: "sigma", Says: "The standard deviation of the logarithm, in place of p99.",
					Value: unlessZero{fields.Decimal(&c.Sigma, fields.DecimalNumber, leastSigma, mostSigma, "a number from 0.01 to 5, such as 0.6"),
						func() bool { return c.Sigma == 0 }}},
				{Name: "min", Says: "The least size; what the keys and properties take unless it is given.", Value: optional(&c.Low)},
				greatest(c),
			}})},
		{Name: keys.CurvePareto, Says: "Sizes with a heavy tail: the share above x falls with a power of x.",
			Value: d.of(keys.CurvePareto, fields.Object{What: "a pareto", Fields: []fields.Field{
				{Name: "min", Says: "The least size, in bytes, which is the commonest.", Required: true, Value: parseBytes(&c.Low)},
				{Name: "tail", Says: "The exponent of the tail: the share of sizes above x is (min/x) to its power; the smaller, the heavier.",
					Required: true, Value: fields.Decimal(&c.Tail, fields.DecimalNumber, leastTail, mostTail, "a number from 0.1 to 100, such as 1.5")},
				greatest(c),
			}})},
		{Name: keys.CurveZipf, Says: "Sizes of which the least is the commonest, and the k-th as frequent as 1/k to the power of an exponent.",
			Value: d.of(keys.CurveZipf, fields.Object{What: "a zipf of sizes", Fields: []fields.Field{
				{Name: "min", Says: "The least size, in bytes, which is the commonest.", Required: true, Value: parseBytes(&c.Low)},
				{Name: "max", Says: "The greatest size, in bytes.", Required: true, Value: parseBytes(&c.High)},
				{Name: "exponent", Says: "How steeply the shares fall: 0 is all sizes alike, 1 as 1, 1/2, 1/3.",
					Required: true, Value: fields.Decimal(&c.Exponent, fields.DecimalNumber, 0, mostExponent, "an exponent from 0 to 5, such as 0.99")},
			}})},
		{Name: keys.CurveList, Says: "Sizes in bytes, one of which each entity has.",
			Value: d.of(keys.CurveList, fields.ListOf[int64]{Into: &c.List, Least: 1, Most: mostListed, What: "sizes in bytes", Bind: listedSizes})},
		{Name: "weights", Says: "How often each size of the list is taken, as its weight over the sum of all; evenly unless this is given.",
			Value: d.of(keys.CurveList, fields.ListOf[int64]{Into: &c.Weights, Least: 1, Most: mostListed, What: "weights",
				Bind: func(w *int64) fields.Binding { return fields.Whole[int64]{Into: w, Least: 1, Most: mostWeight} }})},
	}
}

const (
	mostListed = 10_000
	mostWeight = 1_000_000_000
)

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
	if weights := n.Find("weights"); weights != nil && n.Find(keys.CurveList) == nil {
		r.Fault(weights.At, fields.Child(path, "weights"), "weights belong to a list of sizes, and there is none; expected none")
	}
	if len(given) == 1 {
		d.curve.Kind = given[0]
		d.settleCurve(r, fields.Child(path, given[0]), n.Find(given[0]), n.Find("weights"))
		return
	}
	most := 0
	for i, size := range d.quantiles {
		if size > 0 && size < most {
			name := keys.QuantileNames[i]
			r.Fault(n.Find(name).At, fields.Child(path, name), "%s is %d, less than a quantile before it; expected sizes that do not fall", name, size)
			break
		}
		most = max(most, size)
	}
	if len(n.Entries) == 0 {
		r.Fault(n.At, path, "size is {}; expected one quantile at least, such as {p50: 900, p99: 4000}")
	}
}

// settleCurve refuses values of a curve that do not go together.
func (d *draft) settleCurve(r *fields.Reader, path string, n, weights *fields.Node) {
	c := &d.curve
	fault := func(name, format string, args ...any) {
		at := n
		if found := n.Find(name); found != nil {
			at = found
		}
		r.Fault(at.At, fields.Child(path, name), format, args...)
	}
	switch {
	case c.Kind == keys.CurveUniform && len(d.uniform) == 2 && d.uniform[0] > 0 && d.uniform[1] > 0:
		if c.Low, c.High = int(d.uniform[0]), int(d.uniform[1]); c.Low > c.High {
			r.Fault(n.At, path, "uniform is from %d to %d; expected sizes that do not fall", c.Low, c.High)
		}
	case c.Kind == keys.CurveList && weights != nil && len(c.Weights) != len(c.List):
		r.Fault(weights.At, strings.TrimSuffix(path, keys.CurveList)+"weights", "there are %d weights of %d sizes; expected one for each", len(c.Weights), len(c.List))
	case c.Kind == keys.CurveLognormal:
		if (n.Find("p99") != nil) == (n.Find("sigma") != nil) && c.Median > 0 {
			fault("p99", "a lognormal has p99 and sigma, or neither; expected one of them")
		} else if c.P99 > 0 && c.P99 <= c.Median {
			fault("p99", "p99 is %d and p50 %d; expected p99 to be larger", c.P99, c.Median)
		}
		if c.Median > c.High {
			fault("max", "max is %d and p50 %d; expected max to be no smaller", c.High, c.Median)
		} else if c.Low > c.Median && c.Median > 0 {
			fault("min", "min is %d and p50 %d; expected min to be no larger", c.Low, c.Median)
		}
	case c.Kind != keys.CurveUniform && c.Low > c.High:
		fault("min", "min is %d and max %d; expected min to be no larger", c.Low, c.High)
	}
}

// Write implements [fields.Binding].
func (v SizeBinding) Write() *fields.Node {
	switch by := (*v.By).(type) {
	case *keys.Quantiles:
		return (&draft{quantiles: *by}).object().Write()
	case *keys.Curve:
		d := &draft{curve: *by, uniform: []int64{int64(by.Low), int64(by.High)}}
		return d.object().Write()
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

// Bounds of what curves are shaped by.
const (
	leastSigma, mostSigma = 0.01, 5
	leastTail, mostTail   = 0.1, 100
	mostExponent          = 5
)

// greatest is the field of the size at which a curve is cut.
func greatest(c *keys.Curve) fields.Field {
	return fields.Field{Name: "max", Says: "The size at which the curve is cut: what is larger is drawn as this; 1 MiB, which an entity may have, unless it is given.",
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
					What: c.File.Column + " is " + nearest.Shown(text) + "; expected a whole number of bytes from 1 to " + strconv.Itoa(entity.MaxEntityBytes)})
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
