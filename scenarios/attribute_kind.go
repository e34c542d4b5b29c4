package scenarios

import (
	"math"
	"regexp"
	"slices"
	"strconv"

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
	return slices.Concat(d.plainKinds(), d.unevenKinds(), d.eventKinds())
}

// plainKinds are a list, or one or two numbers.
func (d *distribution) plainKinds() []attributeKind {
	return []attributeKind{{
		fields: []field{
			{name: kindList, says: "The values: one of these texts.", value: textsValue(&d.list)},
			{name: "weights",
				says:  "How often each text of the list is taken, as its weight over the sum of all; evenly unless this is given.",
				value: listOf[int64]{into: &d.weights, most: math.MaxInt32, what: "whole numbers", bind: anyInteger}},
		},
		values: func() keys.Distribution { return keys.List{Values: d.list, Weights: d.weights} },
	}, {
		fields: []field{{name: kindUniform, says: "The lowest and the highest of integers that are all taken alike.",
			value: listOf[int64]{into: &d.uniform, least: 2, most: 2, what: "whole numbers", bind: anyInteger}}},
		values: func() keys.Distribution { return keys.Uniform{Low: d.uniform[0], High: d.uniform[1]} },
	}, {
		fields: []field{{name: kindSequence, says: "The number of the first entity, from which all are numbered.",
			value: anyInteger(&d.sequence)}},
		values: func() keys.Distribution { return keys.Sequence{Start: d.sequence} },
	}}
}

// unevenKinds are those that some values are more of than others.
func (d *distribution) unevenKinds() []attributeKind {
	return []attributeKind{{
		fields: []field{{name: kindZipf,
			says:  "Values of which the one of rank k is taken in proportion to 1/k to the power of an exponent.",
			value: zipfBinding(&d.zipf)}},
		values: func() keys.Distribution { return d.zipf },
	}, {
		fields: []field{{name: kindHotSet, says: "A part of the values that has most of the entities.",
			value: hotSetBinding(&d.hotSet)}},
		values: func() keys.Distribution { return d.hotSet },
	}, {
		fields: partitionsFields(&d.partitions),
		values: func() keys.Distribution { return d.partitions },
	}, {
		fields: []field{{name: kindGaussian, says: "Integers under a bell curve.",
			value: gaussianBinding(&d.gaussian)}},
		values: func() keys.Distribution { return d.gaussian },
	}, {
		fields: []field{{name: kindLatest,
			says:  "Numbers that came into being lately, such as that of the customer who orders.",
			value: latestBinding(&d.latest)}},
		values: func() keys.Distribution { return d.latest },
	}, {
		fields: []field{{name: kindCSV, says: "The values of a file's column, each as often as it occurs there.",
			value: csvBinding(&d.csv)}},
		values: func() keys.Distribution { return d.csv },
	}}
}

// anyInteger is a whole number whose bounds are left to the keys package.
func anyInteger(i *int64) binding {
	return wholeValue[int64]{into: i, least: math.MinInt64, most: math.MaxInt64}
}

func textsValue(into *[]string) binding {
	return listOf[string]{into: into, most: math.MaxInt32, what: "texts",
		bind: func(s *string) binding { return textValue{into: s} }}
}

// rankedBinding is an object over values by rank: so many numbers, or a list.
func rankedBinding(what string, ranked *keys.Ranked, own ...field) object {
	fields := []field{
		{name: "of", says: "How many values there are, the integers from 0 on; the first is the commonest.",
			value: wholeValue[int64]{into: &ranked.Of, least: 1, most: keys.MaxOf, unlessZero: true}},
		{name: "list", says: "Texts to take instead of integers, none of them twice; the first is the commonest.",
			value: textsValue(&ranked.List)},
	}
	fields = append(append(fields, own...), field{name: "scramble",
		says: "Whether the common values are spread over the others rather than side by side; " +
			"how uneven they are stays exactly as it is.",
		value: unlessZero{truthValue{&ranked.Scramble}, func() bool { return !ranked.Scramble }}})
	return object{what: what, fields: fields, one: []string{"of", "list"}, then: func(r *reader, path string, n *node) {
		if given := present(n, []string{"of", "list"}); len(given) != 1 {
			r.fault(n.at, path, "%s has %d of of and list; expected exactly one", label(path), len(given))
		}
	}}
}

func zipfBinding(z *keys.Zipf) object {
	return rankedBinding("a zipf", &z.Ranked, field{name: "exponent",
		says:     "How steeply the shares fall with the rank: 0 is all alike, 1 as 1, 1/2, 1/3.",
		required: true, value: exponentValue{&z.Exponent}})
}

func hotSetBinding(h *keys.HotSet) object {
	return rankedBinding("a hot set", &h.Ranked,
		field{name: "hot", says: "The part of the values that is hot.", required: true, value: shareValue{&h.Hot}},
		field{name: "share", says: "The share of the entities that has one of the hot values.",
			required: true, value: shareValue{&h.Share}})
}

func partitionsFields(p *keys.Partitions) []field {
	return []field{
		{name: kindPartitions, says: "How many values there are, the integers from 0 on, each with its rows.",
			value: wholeValue[int64]{into: &p.Of, least: 1, most: keys.MaxOf}},
		{name: "rows", says: "How many entities each of the partitions has, exactly; drawn evenly unless this is given.",
			value: wholeValue[int64]{into: &p.Rows, least: 1, most: keys.MaxRows, unlessZero: true}},
		{name: "sizes",
			says: "Which part of the partitions has how many times as much as is said by rows; all alike unless this is given.",
			value: listOf[keys.Size]{into: &p.Sizes, least: 1, most: keys.MaxSizes, what: "sizes, such as 20% x2.5",
				bind: func(s *keys.Size) binding { return sizeValue{s} }}},
	}
}

func gaussianBinding(g *keys.Gaussian) object {
	const most = keys.MaxInteger
	return object{what: "a gaussian", fields: []field{
		{name: "mean", says: "Where the bell has its middle.", required: true, value: decimalValue{&g.Mean, -most, most}},
		{name: "sd", says: "The standard deviation, above 0.", required: true, value: decimalValue{&g.Deviation, 0, most}},
		{name: "low", says: "The lowest integer.", required: true,
			value: wholeValue[int64]{into: &g.Low, least: -most, most: most}},
		{name: "high", says: "The highest integer.", required: true,
			value: wholeValue[int64]{into: &g.High, least: -most, most: most}},
	}}
}

func latestBinding(l *keys.Latest) object {
	const most = keys.MaxInteger
	return object{what: "a latest", fields: []field{
		{name: "window", says: "How many of the latest numbers are in reach.", required: true,
			value: wholeValue[int64]{into: &l.Window, least: 1, most: keys.MaxOf}},
		{name: "exponent", says: "How steeply the shares fall with the age of a number: 0 is all in the window alike.",
			value: exponentValue{&l.Exponent}},
		{name: "every", says: "How many entities there are to each new number.",
			value: wholeValue[int64]{into: &l.Every, least: 1, most: keys.MaxOf}},
		{name: "start", says: "The first number, that of entity 0.",
			value: wholeValue[int64]{into: &l.Start, least: -most, most: most}},
	}}
}

func csvBinding(c *keys.CSV) object {
	return object{what: "a csv", fields: []field{
		{name: "file", says: "The path of the file, from the folder of the scenario. Its first line names the columns.",
			required: true, value: pathValue(&c.File)},
		{name: "column", says: "The name of the column that holds the values.",
			required: true, value: longText(&c.Column, maxColumn)},
		{name: "weight", says: "The name of a column of whole numbers: how often each row counts. Once unless this is given.",
			value: unlessZero{longText(&c.Weight, maxColumn), func() bool { return c.Weight == "" }}},
	}}
}

const maxColumn = 1000

// sizeValue is a share of the partitions and a weight.
type sizeValue struct{ into *keys.Size }

var (
	_ binding = sizeValue{}
	_ binding = decimalValue{}
)

func (v sizeValue) read(r *reader, path string, n *node) {
	size, sound := keys.ParseSize(n.text)
	if n.kind != scalar || !sound {
		r.expect(n, path, "a share of the partitions and a weight, such as 20% x2.5")
		return
	}
	*v.into = size
}

func (v sizeValue) write() *node { return text(v.into.String()) }

func (v sizeValue) schema() *schema { return patterned(keys.SizeForm()) }

// decimalValue is a decimal number within bounds.
type decimalValue struct {
	into        *float64
	least, most float64
}

func (v decimalValue) read(r *reader, path string, n *node) {
	number, err := strconv.ParseFloat(n.text, 64)
	sound := n.kind == scalar && !n.quoted && jsonNumeric.MatchString(n.text) && err == nil
	if !sound || number < v.least || number > v.most {
		r.expect(n, path, "a number such as 38 or 9.5, from "+decimalText(v.least)+" to "+decimalText(v.most))
		return
	}
	*v.into = number
}

func decimalText(number float64) string { return strconv.FormatFloat(number, 'f', -1, 64) }

func (v decimalValue) write() *node { return plain(decimalText(*v.into)) }

func (v decimalValue) schema() *schema {
	return numeric("number", decimalText(v.least), decimalText(v.most))
}

// attributeName is what templates can call an attribute.
var attributeName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

func (v attributesValue) schema() *schema {
	return &schema{Type: types{"object"}, Names: patterned(attributeName), Additional: newDistribution().binding().schema()}
}
