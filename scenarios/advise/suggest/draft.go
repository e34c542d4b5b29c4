package suggest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"loadgen/scenarios"
)

// draft is a design by the rule, without figures.
type draft struct {
	// set are the attributes of the PartitionKey, in its order.
	set []string
	parts
	// copied is the number of copies for questions that the keys serve badly.
	copied int
	design scenarios.Design
	// appends reports that all inserts fall on one end of the table.
	appends bool
}

// parts are numbers of buckets, 1 for none.
type parts struct {
	// buckets is the number of buckets for each value of the entity's own PartitionKey, apart
	// the minimum for copies in tables of their own.
	buckets, apart int
}

// The limits of drafts.
const (
	maxSets    = 40
	maxKnown   = 6
	maxCopies  = 3
	maxBuckets = 1000
	// minBuckets is the number for a key that appends.
	minBuckets = 2
	// maxName is the length of names of designs and copies, in characters.
	maxName = 48
)

// sets returns the attributes for a PartitionKey: one, two, three or all of those that a question knows,
// those of the dominant questions first; without questions one or two of all attributes.
func (r *rule) sets() [][]string {
	var list [][]string
	seen := make(map[string]bool)
	add := func(set []string) {
		set = r.inOrder(set)
		key := strings.Join(slices.Sorted(slices.Values(set)), " ")
		if !seen[key] && len(list) < maxSets && len(set) > 0 && !r.isTooFine(set) {
			seen[key] = true
			list = append(list, set)
		}
	}
	for i := range r.questions {
		add(r.questions[i].spec.By)
		subsets(r.questions[i].spec.By, 3, add)
	}
	if len(r.questions) == 0 {
		var all []string
		for _, one := range r.attributes.options.Attributes {
			if !r.attributes.isUnique(one.Name) {
				all = append(all, one.Name)
			}
		}
		subsets(all, 2, add)
	}
	return list
}

// subsets calls add with each of up to size of the first names, in their order.
func subsets(names []string, size int, add func([]string)) {
	names = names[:min(len(names), maxKnown)]
	var extend func(set []string, from int)
	extend = func(set []string, from int) {
		for i := from; i < len(names) && len(set) < size; i++ {
			longer := append(slices.Clone(set), names[i])
			add(longer)
			extend(longer, i+1)
		}
	}
	extend(nil, 0)
}

// isTooFine reports whether some attributes make each entity a partition, although a question asks for
// several entities by an attribute that every question about one entity knows, too.
func (r *rule) isTooFine(set []string) bool {
	at := slices.IndexFunc(set, r.attributes.isUnique)
	for i := range r.questions {
		group := r.questions[i].spec.By
		if at < 0 || slices.ContainsFunc(group, r.attributes.isUnique) {
			continue
		}
		if slices.ContainsFunc(group, func(name string) bool {
			n := r.attributes.nature(name)
			return !n.constant && !n.ordered && !slices.ContainsFunc(r.questions, func(q question) bool {
				return r.attributes.knows(q.spec.By, set[at]) && !r.attributes.knows(q.spec.By, name)
			})
		}) {
			return true
		}
	}
	return false
}

// inOrder returns attributes without constants and those that others determine. Attributes that are ordered by time come
// last: a key that begins with one appends.
func (r *rule) inOrder(set []string) []string {
	var first, last []string
	for i, name := range set {
		others := slices.Concat(set[:i], set[i+1:])
		derived := !slices.Contains(r.attributes.differing(name, nil), name) && r.attributes.implies(others, name)
		switch {
		case derived, r.attributes.nature(name).constant:
		case r.attributes.nature(name).ordered:
			last = append(last, name)
		default:
			first = append(first, name)
		}
	}
	return append(first, last...)
}

// knowsAll reports whether a question knows all of some attributes.
func (r *rule) knowsAll(q *question, set []string) bool {
	return !slices.ContainsFunc(set, func(name string) bool {
		return !r.attributes.knows(q.spec.By, name) && !r.attributes.nature(name).constant
	})
}

func (r *rule) partitionKey(set []string, buckets int) string {
	if buckets > 1 {
		return strings.TrimSuffix(bucket(r.bucketBy, buckets)+"_"+template(set...), "_")
	}
	return template(set...)
}

// row is a RowKey.
type row struct {
	// names are the attributes, without the one that makes the key unique; timed reports that the time
	// follows them. The first placeholder of the text is of the attribute leading.
	names         []string
	timed         bool
	text, leading string
}

// rowKey returns the RowKey under a set of attributes for the questions that know them. It begins with what
// the first question knows in addition, and continues with what the next ones know as long as they know its
// beginning. A unique attribute ends it.
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
		if k.timed = r.attributes.time != "" && (q.spec.Span > 0 || q.isLatest()); k.timed {
			break
		}
	}
	parts := slices.Clone(k.names)
	if k.timed {
		parts = append(parts, r.attributes.time+":"+r.timeFormat)
	}
	if len(parts) == 0 || !slices.ContainsFunc(slices.Concat(set, k.names), r.attributes.isUnique) {
		parts = append(parts, r.unique)
	}
	k.text = template(parts...)
	k.leading, _, _ = strings.Cut(parts[0], ":")
	return k
}

// draft returns the design of a set of attributes with a number of copies for questions that it serves
// badly, and false if there are fewer such questions.
func (r *rule) draft(set []string, over parts, copied int) (draft, bool) {
	d := draft{set: set, parts: over, copied: copied, appends: over.buckets == 1 && r.attributes.nature(set[0]).ordered}
	key := r.rowKey(set, r.questions)
	d.design = scenarios.Design{PartitionKey: r.partitionKey(set, over.buckets), RowKey: key.text}
	together := false
	for range copied {
		worst := slices.IndexFunc(r.questions, func(q question) bool {
			how, err := r.accessOf(&q, &d.design)
			return err == nil && !how.isGood()
		})
		if worst < 0 {
			return d, false
		}
		together = r.copy(&d, &r.questions[worst]) || together
	}
	if together {
		// A prefix distinguishes the entity from its copies in the same partition.
		d.design.RowKey = key.leading + ":" + d.design.RowKey
	}
	d.design.Name = r.nameOf(&d)
	return d, true
}

// nameOf returns the name of a draft, which is unique although long names are cut, and the same each time.
func (r *rule) nameOf(d *draft) string {
	is := fmt.Sprint(strings.Join(d.set, " "), " in ", d.buckets, " copied ", len(d.design.Copies))
	name, known := r.names[is]
	if !known {
		end := ""
		if d.buckets > 1 {
			end += "-in-" + strconv.Itoa(d.buckets)
		}
		if copies := len(d.design.Copies); copies > 0 {
			end += numbered("-copied", copies)
		}
		name = r.free(nil, nil, func(n int) string { return numbered(cut("by-"+strings.Join(d.set, "-"), maxName-len(end))+end, n) })
		r.names[is], r.taken[strings.ToLower(name)] = name, true
	}
	return name
}

// copy adds to a draft the copy that serves a question, and reports whether it is in the entity's own
// partition, so that one transaction writes both.
func (r *rule) copy(d *draft, q *question) (together bool) {
	one := scenarios.Copy{PartitionKey: d.design.PartitionKey}
	key := r.rowKey(d.set, []question{*q})
	together = r.knowsAll(q, d.set) && (len(key.names) > 0 || key.timed)
	word := key.leading
	if together {
		one.RowKey = word + ":" + key.text
	} else {
		set := r.inOrder(q.spec.By)
		key = r.rowKey(set, []question{*q})
		buckets := d.apart
		if len(set) > 0 && r.attributes.nature(set[0]).ordered {
			buckets = max(buckets, minBuckets)
		}
		one.PartitionKey, one.RowKey = r.partitionKey(set, buckets), key.text
		if own := slices.DeleteFunc(slices.Clone(set), func(name string) bool { return slices.Contains(d.set, name) }); len(own) > 0 {
			set = own
		}
		word = strings.Join(set, "-")
		one.Table = r.free(d.design.Copies, func(c scenarios.Copy) string { return c.Table }, func(n int) string { return "Copy" + strconv.Itoa(n) })
	}
	one.Name = r.free(d.design.Copies, func(c scenarios.Copy) string { return c.Name }, func(n int) string { return numbered(cut("by-"+word, maxName), n) })
	d.design.Copies = append(d.design.Copies, one)
	return together
}

func cut(text string, most int) string { return text[:min(len(text), most)] }

// free returns the first of numbered names that neither the scenario nor other copies have.
func (r *rule) free(others []scenarios.Copy, of func(scenarios.Copy) string, name func(n int) string) string {
	for n := 1; ; n++ {
		one := name(n)
		if !r.taken[strings.ToLower(one)] && !slices.ContainsFunc(others, func(other scenarios.Copy) bool { return strings.EqualFold(of(other), one) }) {
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
