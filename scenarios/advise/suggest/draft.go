package suggest

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"loadgen/scenarios"
)

// draft is a design that the rule comes to, before anything is computed of it.
type draft struct {
	// set are the attributes of the PartitionKey, in its order.
	set []string
	parts
	// copied is for how many of the questions that the keys serve badly there are copies.
	copied int
	design scenarios.Design
	// appends says that inserts would all go to one end of the table.
	appends bool
}

// parts is over how many buckets keys are spread, 1 for none.
type parts struct {
	// buckets are those of each value of the entity's own PartitionKey, apart those of
	// copies in tables of their own, where that is more than the least that they need.
	buckets, apart int
}

// The bounds of what is drafted.
const (
	mostSets    = 40
	mostKnown   = 6
	mostCopies  = 3
	mostBuckets = 1000
	// fewestBuckets are those that a key which appends begins with.
	fewestBuckets = 2
	longestName   = 48
	// copyTable is how many characters the name of a copy's table has at most.
	copyTable = 12
)

// sets returns what the PartitionKey could be formed from: one, two, three or all of
// the attributes that a question knows, those of the dominant questions first.
func (r *rule) sets() [][]string {
	var list [][]string
	seen := make(map[string]bool)
	add := func(set []string) {
		set = r.inOrder(set)
		sorted := slices.Clone(set)
		slices.Sort(sorted)
		if key := strings.Join(sorted, " "); !seen[key] && len(list) < mostSets {
			seen[key] = true
			list = append(list, set)
		}
	}
	for i := range r.questions {
		know := r.questions[i].spec.By
		add(know)
		know = know[:min(len(know), mostKnown)]
		for a := range know {
			add(know[a : a+1])
			for b := a + 1; b < len(know); b++ {
				add([]string{know[a], know[b]})
				for c := b + 1; c < len(know); c++ {
					add([]string{know[a], know[b], know[c]})
				}
			}
		}
	}
	return list
}

// inOrder returns attributes without those that follow from others, such that what is
// ordered by time comes last: a key that begins with it appends.
func (r *rule) inOrder(set []string) []string {
	var first, last []string
	for i, name := range set {
		others := slices.Concat(set[:i], set[i+1:])
		derived := !slices.Contains(r.attributes.differing(name, nil), name) && r.attributes.implies(others, name)
		switch {
		case derived:
		case r.attributes.nature(name).ordered:
			last = append(last, name)
		default:
			first = append(first, name)
		}
	}
	return append(first, last...)
}

// appends reports whether a key of these attributes begins, but for what all entities
// have alike, with what is ordered by time.
func (r *rule) appends(set []string) bool {
	for _, name := range set {
		if n := r.attributes.nature(name); !n.constant {
			return n.ordered
		}
	}
	return false
}

// knowsAll reports whether the application knows all of some attributes when it asks.
func (r *rule) knowsAll(q *question, set []string) bool {
	return !slices.ContainsFunc(set, func(name string) bool {
		return !r.attributes.knows(q.spec.By, name) && !r.attributes.nature(name).constant
	})
}

func (r *rule) partitionKey(set []string, buckets int) string {
	var parts []string
	if buckets > 1 {
		parts = append(parts, fmt.Sprintf("{hash(%s,%d):0%dd}", r.bucketBy, buckets, len(strconv.Itoa(buckets-1))))
	}
	for _, name := range set {
		parts = append(parts, "{"+name+"}")
	}
	return strings.Join(parts, "_")
}

// row is what a RowKey is formed from.
type row struct {
	// names are the attributes, without the last that makes the key unique; timed says
	// that the time follows them.
	names []string
	timed bool
	text  string
}

// rowKey returns the RowKey under a set of attributes for those of some questions that
// know them: it begins with what the first of them knows beside, and goes on with what
// the next does, as long as that one knows what comes before. What makes it unique is
// its end.
func (r *rule) rowKey(set []string, asked []question) row {
	var k row
	for i := range asked {
		q := &asked[i]
		if !r.knowsAll(q, set) || !r.knowsAll(q, k.names) {
			continue
		}
		for _, name := range q.spec.By {
			if !r.attributes.implies(slices.Concat(set, k.names), name) && !r.attributes.nature(name).constant {
				k.names = append(k.names, name)
			}
		}
		if k.timed = r.attributes.time != "" && (q.spec.Span > 0 || q.latest()); k.timed {
			break
		}
	}
	var parts []string
	for _, name := range k.names {
		parts = append(parts, "{"+name+"}")
	}
	if k.timed {
		parts = append(parts, "{"+r.attributes.time+":"+r.timeFormat+"}")
	}
	if all := slices.Concat(set, k.names); len(parts) == 0 || !slices.ContainsFunc(all, r.attributes.isUnique) {
		parts = append(parts, "{"+r.unique+"}")
	}
	k.text = strings.Join(parts, "_")
	return k
}

func (k *row) leads(r *rule) string {
	switch {
	case len(k.names) > 0:
		return k.names[0]
	case k.timed:
		return r.attributes.time
	default:
		return r.unique
	}
}

// draft returns the design of a set of attributes with copies for so many of the
// questions that it serves badly, and false where there are not so many.
func (r *rule) draft(set []string, over parts, copied int) (draft, bool) {
	d := draft{set: set, parts: over, copied: copied, appends: over.buckets == 1 && r.appends(set)}
	key := r.rowKey(set, r.questions)
	d.design = scenarios.Design{PartitionKey: r.partitionKey(set, over.buckets), RowKey: key.text}
	together := false
	for range copied {
		worst := slices.IndexFunc(r.questions, func(q question) bool {
			plan, err := r.plan(&q, &d.design)
			return err == nil && !plan.serves()
		})
		if worst < 0 {
			return d, false
		}
		together = r.copy(&d, &r.questions[worst]) || together
	}
	if together {
		// Beside copies in its own partition an entity says which it is.
		d.design.RowKey = prefixed(key.leads(r), d.design.RowKey)
	}
	// The same is called the same, and as no other is, for of long names the end is cut.
	is := fmt.Sprint(strings.Join(d.set, " "), " in ", d.buckets, " copied ", len(d.design.Copies))
	name, known := r.named[is]
	if !known {
		// What the PartitionKey is formed from, and what there is beside.
		end := ""
		if d.buckets > 1 {
			end += "-in-" + strconv.Itoa(d.buckets)
		}
		if copies := len(d.design.Copies); copies == 1 {
			end += "-copied"
		} else if copies > 1 {
			end += "-copied-" + strconv.Itoa(copies)
		}
		name = r.free(slices.Collect(maps.Values(r.named)), func(n int) string {
			return numbered(cut("by-"+strings.Join(d.set, "-"), longestName-len(end))+end, n)
		})
		r.named[is] = name
	}
	d.design.Name = name
	return d, true
}

// copy adds to a draft the copy that serves a question, and reports whether it lies in
// the entity's own partition, so that one transaction writes both.
func (r *rule) copy(d *draft, q *question) (together bool) {
	one := scenarios.Copy{PartitionKey: d.design.PartitionKey}
	key := r.rowKey(d.set, []question{*q})
	together = r.knowsAll(q, d.set) && (len(key.names) > 0 || key.timed)
	word := key.leads(r)
	if together {
		one.RowKey = prefixed(word, key.text)
	} else {
		set := r.inOrder(q.spec.By)
		key = r.rowKey(set, []question{*q})
		buckets := d.apart
		if r.appends(set) {
			buckets = max(buckets, fewestBuckets)
		}
		one.PartitionKey, one.RowKey = r.partitionKey(set, buckets), key.text
		if own := slices.DeleteFunc(slices.Clone(set), func(name string) bool { return slices.Contains(d.set, name) }); len(own) > 0 {
			set = own
		}
		word = strings.Join(set, "-")
		// Its table is called after what it knows: ByAge.
		whole := "By"
		for part := range strings.FieldsFuncSeq(word, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }) {
			whole += strings.ToUpper(part[:1]) + part[1:]
		}
		var tables []string
		for i := range d.design.Copies {
			tables = append(tables, d.design.Copies[i].Table)
		}
		one.Table = r.free(tables, func(n int) string {
			if n == 1 {
				return cut(whole+"1", max(3, min(copyTable, len(whole))))
			}
			end := strconv.Itoa(n)
			return cut(whole, copyTable-len(end)) + end
		})
	}
	var others []string
	for i := range d.design.Copies {
		others = append(others, d.design.Copies[i].Name)
	}
	one.Name = r.free(others, func(n int) string { return numbered(cut("by-"+word, longestName), n) })
	d.design.Copies = append(d.design.Copies, one)
	return together
}

func prefixed(word, key string) string { return word + ":" + key }

func cut(text string, most int) string { return text[:min(len(text), most)] }

// free returns the first of the names that a function counts, from 1 on, that is neither
// taken by the scenario nor by others.
func (r *rule) free(others []string, name func(n int) string) string {
	for n := 1; ; n++ {
		one := name(n)
		_, taken := r.taken[strings.ToLower(one)]
		if !taken && !slices.ContainsFunc(others, func(other string) bool { return strings.EqualFold(other, one) }) {
			return one
		}
	}
}

func numbered(name string, n int) string {
	if n == 1 {
		return name
	}
	return name + "-" + strconv.Itoa(n)
}
