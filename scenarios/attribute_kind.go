package scenarios

import (
	"math"
	"regexp"
	"slices"
	"strconv"

	"loadgen/engine/entity"
	"loadgen/engine/nearest"
	"loadgen/scenarios/fields"
	"loadgen/scenarios/keys"
)

// The kinds of values that an attribute can have.
const (
	kindList       = "list"
	kindUniform    = "uniform"
	kindSequence   = "sequence"
	kindZipf       = "zipf"
	kindHotSet     = "hot_set"
	kindPartitions = "partitions"
	kindGaussian   = "gaussian"
	kindLatest     = "latest"
	kindCSV        = "csv"
)

// kinds returns all of them, in the order in which they are listed.
func (d *distribution) kinds() []attributeKind {
	chosen := []attributeKind{{
		fields: []fields.Field{
			{Name: kindList, Says: "The texts drawn.", Value: textsValue(&d.list)},
			{Name: "weights",
				Says:  "Relative weight of each text; equal by default.",
				Value: fields.ListOf[int64]{Into: &d.weights, Most: math.MaxInt32, What: "whole numbers", Bind: anyInteger}},
		},
		values: func() keys.Distribution { return keys.ValueList{Values: d.list, Weights: d.weights} },
	}, {
		fields: []fields.Field{{Name: kindUniform, Says: "Lowest and highest integer, equally likely.",
			Value: fields.ListOf[int64]{Into: &d.uniform, Least: 2, Most: 2, What: "whole numbers", Bind: anyInteger}}},
		values: func() keys.Distribution { return keys.Uniform{Low: d.uniform[0], High: d.uniform[1]} },
	}, {
		fields: []fields.Field{{Name: kindSequence, Says: "The first entity's number.",
			Value: anyInteger(&d.sequence)}},
		values: func() keys.Distribution { return keys.Sequence{Start: d.sequence} },
	}, {
		fields: []fields.Field{{Name: kindZipf,
			Says: "Values of rank k in proportion to 1/k^exponent.",
			Value: rankedBinding("a zipf", &d.zipf.Ranked, fields.Field{Name: "exponent",
				Says:     "How steeply shares fall with rank: 0 is uniform.",
				Required: true, Value: exponentValue(&d.zipf.Exponent)})}},
		values: func() keys.Distribution { return d.zipf },
	}, {
		fields: []fields.Field{{Name: kindHotSet, Says: "A few values with most entities.",
			Value: rankedBinding("a hot set", &d.hotSet.Ranked,
				fields.Field{Name: "hot", Says: "Hot share of the values.", Required: true, Value: shareValue(&d.hotSet.Hot)},
				fields.Field{Name: "share", Says: "Share of entities with a hot value.",
					Required: true, Value: shareValue(&d.hotSet.Share)})}},
		values: func() keys.Distribution { return d.hotSet },
	}}
	return slices.Concat(chosen, d.integerKinds(), d.foreignKinds())
}

// integerKinds are integers, some of which there are more of than of others.
func (d *distribution) integerKinds() []attributeKind {
	const most = keys.MaxInteger
	return []attributeKind{{
		fields: []fields.Field{
			{Name: kindPartitions, Says: "Number of values, integers from 0.",
				Value: fields.Whole[int64]{Into: &d.partitions.Of, Least: 1, Most: keys.MaxOf}},
			{Name: "rows", Says: "Entities per partition, exactly; drawn uniformly by default.",
				Value: fields.Whole[int64]{Into: &d.partitions.Rows, Least: 1, Most: keys.MaxRows, UnlessZero: true}},
			{Name: "sizes",
				Says: "Shares of the partitions and their multiples of rows.",
				Value: fields.ListOf[keys.Size]{Into: &d.partitions.Sizes, Least: 1, Most: keys.MaxSizes, What: "sizes, such as 20% x2.5",
					Bind: func(size *keys.Size) fields.Binding {
						return fields.Single[keys.Size]{Into: size, Parse: keys.ParseSize, Written: keys.Size.String, Quotes: true,
							Expected: "a share of partitions and a factor, such as 20% x2.5", Form: fields.Patterned(keys.SizeForm)}
					}}},
		},
		values: func() keys.Distribution { return d.partitions },
	}, {
		fields: []fields.Field{{Name: kindGaussian, Says: "Normally distributed integers.",
			Value: fields.Object{What: "a gaussian", Fields: []fields.Field{
				{Name: "mean", Says: "The mean.", Required: true, Value: decimalValue(&d.gaussian.Mean, -most, most)},
				{Name: "sd", Says: "Standard deviation, above 0.", Required: true, Value: decimalValue(&d.gaussian.Deviation, 0, most)},
				{Name: "low", Says: "The lowest integer.", Required: true,
					Value: fields.Whole[int64]{Into: &d.gaussian.Low, Least: -most, Most: most}},
				{Name: "high", Says: "The highest integer.", Required: true,
					Value: fields.Whole[int64]{Into: &d.gaussian.High, Least: -most, Most: most}},
			}}}},
		values: func() keys.Distribution { return d.gaussian },
	}, {
		fields: []fields.Field{{Name: kindLatest,
			Says: "Recent numbers, such as the ordering customer.",
			Value: fields.Object{What: "a latest", Fields: []fields.Field{
				{Name: "window", Says: "How many recent numbers qualify.", Required: true,
					Value: fields.Whole[int64]{Into: &d.latest.Window, Least: 1, Most: keys.MaxOf}},
				{Name: "exponent", Says: "How steeply shares fall with age: 0 is uniform.",
					Value: exponentValue(&d.latest.Exponent)},
				{Name: "every", Says: "Entities per new number.",
					Value: fields.Whole[int64]{Into: &d.latest.Every, Least: 1, Most: keys.MaxOf}},
				{Name: "start", Says: "Entity 0's number.",
					Value: fields.Whole[int64]{Into: &d.latest.Start, Least: -most, Most: most}},
			}}}},
		values: func() keys.Distribution { return d.latest },
	}}
}

// foreignKinds follow from a file, the event itself or other attributes.
func (d *distribution) foreignKinds() []attributeKind {
	const instant = "an instant such as 2026-11-01T00:00:00Z, in the years 1601 to 9999"
	return []attributeKind{{
		fields: []fields.Field{{Name: kindCSV, Says: "The values of a CSV column, by frequency.",
			Value: fields.Object{What: "a csv", Fields: []fields.Field{
				{Name: "file", Says: saysTable,
					Required: true, Value: pathValue(&d.csv.File)},
				{Name: "column", Says: "The column of values.",
					Required: true, Value: fields.LongText(&d.csv.Column, maxColumn)},
				{Name: "weight", Says: "A column of whole numbers that weights rows; 1 by default.",
					Value: unlessZero{fields.LongText(&d.csv.Weight, maxColumn), func() bool { return d.csv.Weight == "" }}},
			}}}},
		values: func() keys.Distribution { return d.csv },
	}, {
		fields: []fields.Field{
			{Name: kindTime, Says: "The first event's time.", Value: fields.Single[entity.Ticks]{
				Into: &d.time.Start, Expected: instant, Written: entity.Ticks.String, Quotes: true,
				Form: &fields.Schema{Type: fields.Types{"string"}, Description: fields.Sentence(instant)},
				Parse: func(text string) (entity.Ticks, bool) {
					t, err := entity.ParseTicks(text)
					return t, err == nil && t >= entity.EarliestDateTime && t <= entity.LatestDateTime
				}}},
			{Name: "every", Says: "Time between loaded events; 1s by default.",
				Value: fields.Duration{Into: &d.time.Every, Least: 0, Most: keys.MaxEvery}},
			{Name: "speed", Says: "Event time per offered time; 1 by default.",
				Value: decimalValue(&d.time.Speed, 0, keys.MaxSpeed)},
		},
		values: func() keys.Distribution { return d.time },
	}, {
		fields: []fields.Field{{Name: kindText, Says: "A template of attributes, such as {user}@example.com.",
			Value: templateValue{&d.text}}},
		values: func() keys.Distribution { return keys.Text{Template: d.text} },
	}}
}

// anyInteger is a whole number whose bounds are left to the keys package.
func anyInteger(i *int64) fields.Binding {
	return fields.Whole[int64]{Into: i, Least: math.MinInt64, Most: math.MaxInt64}
}

func textsValue(into *[]string) fields.Binding {
	return fields.ListOf[string]{Into: into, Most: math.MaxInt32, What: "texts",
		Bind: func(s *string) fields.Binding { return fields.Text{Into: s} }}
}

// rankedBinding is an object over values by rank: so many numbers, or a list.
func rankedBinding(what string, ranked *keys.Ranked, own ...fields.Field) fields.Object {
	parts := []fields.Field{
		{Name: "of", Says: "Number of values, integers from 0, most frequent first.",
			Value: fields.Whole[int64]{Into: &ranked.Of, Least: 1, Most: keys.MaxOf, UnlessZero: true}},
		{Name: "list", Says: "Distinct texts instead of integers, most frequent first.",
			Value: textsValue(&ranked.List)},
	}
	parts = append(append(parts, own...), fields.Field{Name: "scramble",
		Says: "Whether common values are scattered rather than adjacent; " +
			"frequencies stay the same.",
		Value: unlessZero{fields.Truth(&ranked.Scramble), func() bool { return !ranked.Scramble }}})
	return fields.Object{What: what, Fields: parts, One: []string{"of", "list"}, Then: func(r *fields.Reader, path string, n *fields.Node) {
		if given := present(n, []string{"of", "list"}); len(given) != 1 {
			r.Fault(n.At, path, "%s has %d of of and list; expected exactly one", fields.Label(path), len(given))
		}
	}}
}

const maxColumn = 1000

func decimalValue(into *float64, least, most float64) fields.Binding {
	return fields.Decimal(into, fields.JSONNumeric, least, most,
		"a number such as 38 or 9.5, from "+keys.Decimal(least)+" to "+keys.Decimal(most))
}

// attributeName is what templates can call an attribute.
var attributeName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

func (v attributesValue) Schema() *fields.Schema {
	return &fields.Schema{Type: fields.Types{"object"}, Names: fields.Patterned(attributeName), Additional: newDistribution().binding().Schema()}
}

// Rows are the rows of a file, of which each entity has one as a whole, so that what
// stands in one row stays together.
type Rows struct {
	// File is the path, from the folder of the scenario.
	File string
	// Columns are the attributes that the rows yield.
	Columns []RowColumn
	// Draw is how an entity gets its row: [DrawInOrder] or [DrawByChance].
	Draw string
	// mapped says that the columns are spelled as a map.
	mapped bool
}

// RowColumn is one attribute, and what the file calls the column that it is.
type RowColumn struct {
	Attribute, Column string
	// step is where it stands among the columns.
	step string
}

// The ways to draw a row.
const (
	// DrawInOrder: entity n has row n, and behind the last row comes the first.
	DrawInOrder = "in order"
	// DrawByChance: each row is as likely as any other.
	DrawByChance = "by chance"
)

// columnsValue is a list of columns, or a map from attributes to columns.
type columnsValue struct{ of *Rows }

var _ fields.Binding = columnsValue{}

func (v columnsValue) Read(r *fields.Reader, path string, n *fields.Node) {
	v.of.Columns, v.of.mapped = nil, n.Kind == fields.Dict
	switch n.Kind {
	case fields.Dict:
		r.Once(path, n)
		for _, e := range n.Entries {
			column := RowColumn{Attribute: e.Key, step: e.Key}
			fields.LongText(&column.Column, maxColumn).Read(r, fields.Child(path, e.Key), e.Value)
			if n.Find(e.Key) == e.Value {
				v.of.Columns = append(v.of.Columns, column)
			}
		}
	case fields.List:
		var names []string
		v.list(&names).Read(r, path, n)
		for i, name := range names {
			at := fields.Child(path, strconv.Itoa(i))
			switch {
			case slices.Contains(names[:i], name):
				r.Fault(n.Items[i].At, at, "column %s occurs twice; expected once", nearest.Shown(name))
			case !attributeName.MatchString(name):
				r.Fault(n.Items[i].At, at, "%s cannot name an attribute; expected a map, such as {finished: %s}", nearest.Shown(name), nearest.Shown(name))
			default:
				v.of.Columns = append(v.of.Columns, RowColumn{name, name, strconv.Itoa(i)})
			}
		}
	default:
		r.Expect(n, path, "a list of columns, or a map from attributes to columns")
		return
	}
	if len(v.of.Columns) == 0 && len(r.Faults) == 0 {
		r.Fault(n.At, path, "rows have no columns; expected at least one")
	}
}

func (v columnsValue) list(into *[]string) fields.ListOf[string] {
	return longTexts(into, 1, keys.MaxAttributes, "names of columns", maxColumn)
}

func (v columnsValue) Write() *fields.Node {
	if v.of.mapped {
		n := &fields.Node{Kind: fields.Dict}
		for _, one := range v.of.Columns {
			n.Entries = append(n.Entries, fields.Entry{Key: one.Attribute, Value: fields.TextNode(one.Column)})
		}
		return n
	}
	names := nearest.Of(v.of.Columns, func(c RowColumn) string { return c.Column })
	return v.list(&names).Write()
}

func (v columnsValue) Schema() *fields.Schema {
	return &fields.Schema{AnyOf: []*fields.Schema{v.list(new([]string)).Schema(),
		{Type: fields.Types{"object"}, Names: fields.Patterned(attributeName), Additional: fields.Typed(), MinProperties: 1}}}
}

// path returns where the column that an attribute is stands in the scenario, empty
// where it is none.
func (w *Rows) path(attribute string) string {
	for _, one := range w.Columns {
		if one.Attribute == attribute {
			return "rows.columns." + one.step
		}
	}
	return ""
}
