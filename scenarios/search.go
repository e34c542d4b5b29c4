package scenarios

import (
	"cmp"
	_ "embed"
	"slices"
	"strings"
	"unicode"

	"loadgen/engine/nearest"
)

// synonyms has a line for words and titles of the documents, and words of the field, for which the library uses
// other words: "words, other words: what the library calls it". A search for the former also finds the latter.
//
//go:embed synonyms.txt
var synonyms string

// fillers are words that say nothing about a scenario; a search ignores them.
var fillers = strings.Fields("a an the of for in on to and with your how design pattern data table azure storage service from working use ensuring stored")

// endings are those of number, tense and derivation, the longest first.
var endings = strings.Fields("izations isations ization isation ations ation izing ising ized ised ings ions ing ion ies ity ise ize ed es ly s e y")

// stem returns a word without its ending, so that partitions, partitioned and partitioning have one stem. It is
// crude: a stem needs no meaning, only related words with the same one.
func stem(word string) string {
	for _, ending := range endings {
		if short, found := strings.CutSuffix(word, ending); found && len(short) > 2 {
			if n := len(short); short[n-1] == short[n-2] {
				short = short[:n-1]
			}
			return short
		}
	}
	return word
}

// wordsOf returns the words of a text in lower case, without punctuation, and CamelCase split into its parts.
func wordsOf(text string) []string {
	var spaced strings.Builder
	before := ' '
	for _, r := range text {
		if unicode.IsUpper(r) && unicode.IsLower(before) {
			spaced.WriteByte(' ')
		}
		spaced.WriteRune(unicode.ToLower(r))
		before = r
	}
	return strings.FieldsFunc(spaced.String(), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// stemsOf returns the stems of a search, without fillers unless there are only fillers.
func stemsOf(text string) []string {
	words := wordsOf(text)
	said := slices.DeleteFunc(slices.Clone(words), func(word string) bool { return slices.Contains(fillers, word) })
	if len(said) == 0 {
		said = words
	}
	return nearest.NamesOf(said, stem)
}

// passage has the stems of a part of a scenario's text, and the compounds of neighbours, so that back-off matches
// backoff.
type passage map[string]bool

func passageOf(texts ...string) passage {
	stems := make(passage)
	for _, text := range texts {
		words := wordsOf(text)
		for i, word := range words {
			stems[stem(word)] = true
			if i > 0 {
				stems[stem(words[i-1]+word)] = true
			}
		}
	}
	return stems
}

// worth has the points of a word in a name, a subject, a description and the rest of the text.
var worth = [...]int{1000, 100, 10, 1}

// passages returns the parts of an entry in the order of [worth].
func passages(one *Entry) [len(worth)]passage {
	name, about := []string{one.Name}, []string{one.About, one.Why}
	if one.Pattern != nil {
		name, about = append(name, one.Pattern.Row), append(about, one.Pattern.Buys, one.Pattern.Costs)
	}
	if one.AntiPattern != nil {
		about = append(about, *one.AntiPattern)
	}
	text, _ := builtin(one.Name)
	return [...]passage{passageOf(name...), passageOf(one.Subject), passageOf(about...), passageOf(string(text))}
}

// minPrefix is the minimum length of a stem that also matches longer words.
const minPrefix = 4

func (p passage) has(wanted string) bool {
	if p[wanted] || len(wanted) < minPrefix {
		return p[wanted]
	}
	for one := range p {
		if strings.HasPrefix(one, wanted) {
			return true
		}
	}
	return false
}

// score returns how well an entry's passages match stems, and how many of the stems they have.
func score(of [len(worth)]passage, stems []string) (points, matched int) {
	for _, wanted := range stems {
		if at := slices.IndexFunc(of[:], func(p passage) bool { return p.has(wanted) }); at >= 0 {
			points, matched = points+worth[at], matched+1
		}
	}
	return points * 100 / len(stems), matched
}

// wordings returns the alternatives of a search: its own stems, and those with a synonym in their place.
func wordings(term string) [][]string {
	own := stemsOf(term)
	all := [][]string{own}
	for line := range strings.Lines(synonyms) {
		asked, finds, _ := strings.Cut(line, ": ")
		for words := range strings.SplitSeq(asked, ",") {
			if asked := stemsOf(words); !slices.ContainsFunc(asked, func(s string) bool { return !slices.Contains(own, s) }) {
				rest := slices.DeleteFunc(slices.Clone(own), func(s string) bool { return slices.Contains(asked, s) })
				all = append(all, append(stemsOf(finds), rest...))
			}
		}
	}
	return all
}

// Search returns the built-in scenarios that match words or their synonyms, best first: names before subjects
// before descriptions before the rest of the text. Where none has all of the words, those with at least half of
// them match; if none matches, near are the most similar names. The error is [loadgen/scenarios/fields.Faults].
func Search(words string) (found []Entry, near []string, err error) {
	all, err := Catalogue()
	if err != nil {
		return nil, nil, err
	}
	if found = newIndex(all).search(words); len(found) == 0 {
		name := strings.Join(wordsOf(words), "-")
		near = slices.SortedStableFunc(slices.Values(Library()), func(a, b string) int {
			return cmp.Compare(nearest.Distance(name, a), nearest.Distance(name, b))
		})[:maxNear]
	}
	return found, near, nil
}

// maxNear is how many similar names a search without a match returns.
const maxNear = 3

// index has the entries in the order of the documents, with their passages.
type index struct {
	entries  []Entry
	passages [][len(worth)]passage
}

func newIndex(all []Entry) *index {
	x := &index{entries: all}
	for i := range all {
		x.passages = append(x.passages, passages(&all[i]))
	}
	return x
}

// search returns the entries that match words, as [Search] does.
func (x *index) search(words string) []Entry {
	looked := wordings(words)
	if len(looked[0]) == 0 {
		return nil
	}
	whole, partial := make(map[string]int), make(map[string]int)
	for i, of := range x.passages {
		name := x.entries[i].Name
		for _, stems := range looked {
			points, matched := score(of, stems)
			if matched == len(stems) {
				// Of two names with the words, the shorter comes first.
				whole[name] = max(whole[name], points-len(of[0]))
			}
			if 2*matched >= len(stems) {
				partial[name] = max(partial[name], points)
			}
		}
	}
	ranks := whole
	if len(ranks) == 0 {
		ranks = partial
	}
	found := slices.DeleteFunc(slices.Clone(x.entries), func(one Entry) bool { return ranks[one.Name] <= 0 })
	slices.SortStableFunc(found, func(a, b Entry) int { return cmp.Compare(ranks[b.Name], ranks[a.Name]) })
	return found
}
