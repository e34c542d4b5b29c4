package suggest

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"loadgen/report/document"
	"loadgen/scenarios/advise"
	"loadgen/scenarios/keys"
)

// The limits of keys for the rows of a file.
const (
	// maxColumns is the number of columns that form pairs: those with the smallest largest group.
	maxColumns = 8
	// maxPlain is the number of designs without buckets that are tried, maxSplit the number of those that
	// are tried again in buckets if none sustains the rate.
	maxPlain = 16
	maxSplit = 4
	// maxUnique is the number of unique columns that are tried.
	maxUnique = 2
	// maxSampled is the number of rows for the sizes of groups.
	maxSampled = 1 << 17
)

// columns are the columns of a file that form keys.
type columns struct {
	table *keys.ValueTable
	// groups are columns with several rows for some value, the smallest largest group first, unique those
	// with one row for each. The column of times is in neither.
	groups []group
	unique []string
}

// group is some columns, with the number of their different values and the share of the most common.
type group struct {
	names   []string
	count   int
	largest float64
}

func (c *columns) group(names ...string) group {
	count, largest := c.table.Groups(maxSampled, names...)
	return group{names, count, largest}
}

func sortGroups(list []group) {
	slices.SortStableFunc(list, func(a, b group) int { return cmp.Compare(a.largest, b.largest) })
}

// Columns proposes keys for the rows of a CSV file: PartitionKeys of one or two columns, with buckets if
// these do not sustain the rate of the options, and RowKeys of the others. All are judged by the rows, and
// the best are returned. Designs that sustain the rate with a fifth of it to spare are equal: fewer columns
// then come first, and unique keys last. The file is opened for each of up to three readings. The error is
// that of [keys.ReadTable] or [advise.FromRows].
func Columns(open func() (io.ReadCloser, error), o advise.KeysOptions) (*advise.Candidates, error) {
	var c *columns
	err := reading(open, func(from io.Reader) (err error) {
		c, err = readColumns(from, &o)
		return err
	})
	if err != nil {
		return nil, err
	}
	o.Enough = min(o.PerSecond/(1-headroom), float64(o.Targets.Account))
	judge := func(list []advise.Candidate) (judged *advise.Candidates, err error) {
		err = reading(open, func(from io.Reader) (err error) {
			judged, err = advise.FromRows(from, list, o)
			return err
		})
		return judged, err
	}
	list, all := c.plain()
	if len(list) == 0 {
		return nil, fmt.Errorf("%w: %s has no column with several values besides the times", ErrUnsuited, o.File)
	}
	judged, err := judge(list)
	if err != nil {
		return nil, err
	}
	tried := len(list)
	if first := judged.Ranked[0]; first.Capacity() < o.Enough || first.Repeated > 0 {
		list = c.bucketed(judged.Ranked, &o)
		if judged, err = judge(list); err != nil {
			return nil, err
		}
		tried += len(list)
	}
	first := judged.Ranked[0]
	first.Notes = append(first.Notes, sentence("columns/tried", document.Counted(tried, "design"), document.Counted(all, "set of columns", "sets of columns")))
	judged.Ranked = judged.Ranked[:min(len(judged.Ranked), maxProposed)]
	return judged, nil
}

func reading(open func() (io.ReadCloser, error), read func(io.Reader) error) error {
	from, err := open()
	if err != nil {
		return err
	}
	defer from.Close()
	return read(from)
}

func readColumns(from io.Reader, o *advise.KeysOptions) (*columns, error) {
	table, err := keys.ReadTable(from, keys.TableOptions{File: o.File, Names: o.Names})
	if err != nil {
		return nil, err
	}
	c := &columns{table: table}
	for _, name := range table.Names() {
		_, fault := keys.ParseColumns(template(name))
		switch one := c.group(name); {
		case fault != nil, one.count == 1, isTime(name, o.Time):
		case table.AllDiffer(one.names):
			c.unique = append(c.unique, name)
		default:
			c.groups = append(c.groups, one)
		}
	}
	sortGroups(c.groups)
	return c, nil
}

// isTime reports whether a column has the times of the rows, or a part of them, under the option of their
// column.
func isTime(name, time string) bool {
	if time == "" {
		return slices.Contains([]string{"instant", "time", "timestamp"}, strings.ToLower(name))
	}
	return strings.EqualFold(name, time) || strings.HasPrefix(time, name+" ") || strings.HasSuffix(time, " "+name)
}

// plain returns the designs without buckets in the order of preference, and the number of sets of columns:
// groups by one column and by two, the smallest groups first, and unique columns.
func (c *columns) plain() (list []advise.Candidate, all int) {
	few := c.groups[:min(len(c.groups), maxColumns)]
	var pairs []group
	for i := range few {
		for j := range i {
			// A column that another determines adds nothing.
			if two := c.group(few[i].names[0], few[j].names[0]); two.count > max(few[i].count, few[j].count) {
				pairs = append(pairs, two)
			}
		}
	}
	sortGroups(pairs)
	unique := c.unique[:min(len(c.unique), maxUnique)]
	sets := slices.Concat(few, pairs[:min(len(pairs), maxPlain-len(few)-len(unique))])
	for _, name := range unique {
		sets = append(sets, group{names: []string{name}})
	}
	for _, set := range sets {
		list = append(list, advise.Candidate{PartitionKey: template(set.names...), RowKey: template(c.rowKey(set.names)...)})
	}
	return list, len(c.groups) + len(pairs) + len(c.unique)
}

func template(names ...string) string {
	if len(names) == 0 {
		return ""
	}
	return "{" + strings.Join(names, "}_{") + "}"
}

// rowKey returns the columns of a RowKey under a PartitionKey: a unique one, or else as few others as make
// the rows unique, or all others if nothing does.
func (c *columns) rowKey(set []string) (names []string) {
	if len(c.unique) > 0 {
		return c.unique[:1]
	}
	others := slices.DeleteFunc(c.table.Names(), func(name string) bool {
		_, fault := keys.ParseColumns(template(name))
		return fault != nil || slices.Contains(set, name)
	})
	for i := 0; i < len(others) && c.table.AllDiffer(slices.Concat(set, others)); {
		if less := slices.Delete(slices.Clone(others), i, i+1); len(less) > 0 && c.table.AllDiffer(slices.Concat(set, less)) {
			others = less
		} else {
			i++
		}
	}
	return others
}

// bucketed returns the best designs and, after them, these in buckets: as many as sustain the rate, and
// twice as many.
func (c *columns) bucketed(ranked []*advise.Keys, o *advise.KeysOptions) []advise.Candidate {
	var list, split []advise.Candidate
	for _, k := range ranked[:min(len(ranked), maxSplit)] {
		list = append(list, advise.Candidate{PartitionKey: k.PartitionKey, RowKey: k.RowKey})
		by := strings.Trim(strings.Split(k.RowKey, "}_{")[0], "{}")
		if k.Repeated > 0 || by == "" || k.Capacity() <= 0 {
			continue
		}
		// A hash is not even.
		number := 1.1 * o.Enough / k.Capacity()
		for _, n := range []float64{number, 2 * number} {
			n := min(max(int(math.Ceil(n)), minBuckets), maxBuckets)
			one := advise.Candidate{PartitionKey: bucket(by, n), RowKey: k.RowKey}
			if k.PartitionKey != k.RowKey {
				one.PartitionKey += "_" + k.PartitionKey
			}
			split = append(split, one)
		}
	}
	return append(list, split...)
}

// bucket returns the placeholder of one of n buckets by an attribute.
func bucket(by string, n int) string {
	return fmt.Sprintf("{hash(%s,%d):0%dd}", by, n, len(strconv.Itoa(n-1)))
}
