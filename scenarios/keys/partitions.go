package keys

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"loadgen/engine/clock"
)

// Partitions takes the integers 0 … Of-1 with a given number of rows for each. The rows are
// dealt, not drawn: each consecutive lot of entities that fills the partitions once, in a random
// order, has exactly the number of rows of each partition.
type Partitions struct {
	// Of is how many partitions there are, 1 to a billion.
	Of int64 `yaml:"partitions" says:"Number of values, integers from 0." range:"1..1000000000"`
	// Rows is how many entities a partition of weight 1 has, at most a million; 0
	// draws them instead, so that the weights hold on the average.
	Rows int64 `yaml:"rows,omitempty" says:"Entities per partition, exactly; drawn uniformly by default." range:"1..1000000"`
	// Sizes says which share of the partitions is larger or smaller than that; none
	// has all of one size. Which ones are large depends on the seed and the
	// attribute's name.
	Sizes []Size `yaml:"sizes" says:"Shares of the partitions and their multiples of rows." list:"1..20 sizes, such as 20% x2.5" form:"size"`
}

// Size is a share of the partitions, and how many times Rows each of them has.
type Size struct {
	// Share is above 0 and at most 1, Weight from 0.000001 to 1,000,000.
	Share, Weight float64
}

// String returns the size as a scenario has it: "20% x2.5".
func (s Size) String() string { return Percent(s.Share) + " x" + Decimal(s.Weight) }

// SizeForm is what the text of a size looks like.
var SizeForm = regexp.MustCompile(`^((?:0|[1-9][0-9]?|100)(?:\.[0-9]{1,6})?)% *x *` +
	`((?:0|[1-9][0-9]{0,6})(?:\.[0-9]{1,6})?)$`)

// ParseSize reads a size, and returns false where the text is none.
func ParseSize(text string) (Size, bool) {
	match := SizeForm.FindStringSubmatch(text)
	if match == nil {
		return Size{}, false
	}
	share, _ := strconv.ParseFloat(match[1], 64)
	weight, _ := strconv.ParseFloat(match[2], 64)
	s := Size{share / 100, weight}
	return s, s.sound()
}

// Bounds of sizes: their number and their weight.
const (
	MaxSizes      = 20
	minWeight     = 0.000001
	maxSizeWeight = 1_000_000
)

func (s Size) sound() bool {
	return s.Share > 0 && s.Share <= 1 && s.Weight >= minWeight && s.Weight <= maxSizeWeight
}

var _ Distribution = Partitions{}

// Faults implements [Distribution].
func (p Partitions) Faults(path string) []error {
	all := 0.0
	for _, size := range p.Sizes {
		all += size.Share
	}
	if len(p.Sizes) > 0 && math.Abs(all-1) > 1e-9 {
		return []error{valueFaultf(path+".sizes", "sizes add up to %s; expected 100%%", Percent(all))}
	}
	rows := 0.0
	for i, c := range p.classes() {
		if c.values < 1 {
			return []error{valueFaultf(fmt.Sprintf("%s.sizes.%d", path, i),
				"sizes[%d] is %s, none of %d partitions; expected one",
				i, p.Sizes[i], p.Of)}
		}
		rows += float64(c.values) * float64(c.rows)
	}
	if p.Rows > 0 && rows > MaxInteger {
		return []error{valueFaultf(path+".rows", "partitions have over %d rows together; expected fewer",
			int64(MaxInteger))}
	}
	return nil
}

// class is the partitions of one size.
type class struct {
	// first is the number of the first, values how many there are.
	first, values int64
	// rows is how many each has where they are dealt, upTo how many this class and
	// those before have together.
	rows, upTo int64
	// weight is that of each where they are drawn, sumTo that of this class and
	// those before.
	weight, sumTo float64
}

// classes returns the partitions by size, with their numbers rounded so that all
// together are right.
func (p Partitions) classes() []class {
	sizes := p.Sizes
	if len(sizes) == 0 {
		sizes = []Size{{1, 1}}
	}
	classes := make([]class, len(sizes))
	last, share := class{}, 0.0
	for i, size := range sizes {
		// To the eight decimals that a share has, so that 70% and 20% are 90%.
		share = math.Round((share+size.Share)*1e8) / 1e8
		c := class{first: last.first + last.values, weight: size.Weight}
		c.values = int64(math.Round(share*float64(p.Of))) - c.first
		c.rows = max(1, int64(math.Round(float64(p.Rows)*size.Weight)))
		c.upTo = last.upTo + c.values*c.rows
		c.sumTo = last.sumTo + float64(c.values)*c.weight
		classes[i], last = c, c
	}
	return classes
}

// Probes implements [Distribution].
func (p Partitions) Probes() []string { return outermost(0, p.Of-1) }

// Compile implements [Distribution].
func (p Partitions) Compile(once clock.Stream) ValueSource {
	classes := p.classes()
	var partitions picker = lot{classes}
	if p.Rows > 0 {
		partitions = deal{classes, newPermutation(classes[len(classes)-1].upTo, once)}
	}
	if len(classes) > 1 {
		partitions = scrambled{partitions, newPermutation(p.Of, once)}
	}
	return ValueSource{picker: partitions}
}

// deal gives each entity of a lot a row of its own: the rows stand in the order of
// their partitions, and the entities come to them in no order.
type deal struct {
	classes []class
	spread  *permutation
}

func (d deal) pick(n uint64, _ clock.Draw) int64 {
	row := d.spread.walk(n%d.spread.size, n/d.spread.size)
	i := 0
	for row >= d.classes[i].upTo {
		i++
	}
	c := &d.classes[i]
	return c.first + (row-c.upTo+c.values*c.rows)/c.rows
}

// lot draws a partition by its weight.
type lot struct{ classes []class }

func (l lot) pick(_ uint64, draw clock.Draw) int64 {
	point := draw.Float64() * l.classes[len(l.classes)-1].sumTo
	i := 0
	for i < len(l.classes)-1 && point >= l.classes[i].sumTo {
		i++
	}
	c := &l.classes[i]
	before := c.sumTo - float64(c.values)*c.weight
	return c.first + min(int64((point-before)/c.weight), c.values-1)
}

// Decimal returns a number in as few digits as say it.
func Decimal(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// Percent returns a share with the six decimals that a percentage in a scenario can
// have, without zeros at its end.
func Percent(share float64) string {
	digits := strconv.FormatFloat(share*100, 'f', 6, 64)
	return strings.TrimSuffix(strings.TrimRight(digits, "0"), ".") + "%"
}
