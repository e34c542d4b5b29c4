package csvfile

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"loadgen/engine/clock"
	"loadgen/engine/nearest"
)

// Counts says how many rows of a file were read, and what else the file has.
type Counts struct {
	Skips
	Blank, Comments int64
	// Recoded counts the rows that are not UTF-8 and were read as Windows-1252.
	Recoded int64
}

// Skips counts the rows of a file and limits the unreadable ones: at most one in maxSkipped is skipped.
type Skips struct {
	// Rows is the number of rows after the header, without blank rows and comments. Skipped of them cannot be
	// read; Examples are the faults of the first ones.
	Rows, Skipped int64
	Examples      []*Fault

	file string
	kind error
	// maxFaults is the number of faults of [Skips.Err].
	maxFaults int
	// alike counts the skipped rows by the form of their fault.
	alike map[string]int
}

// NewSkips returns the counts of a file. Faults wrap kind, and [Skips.Err] reports at most maxFaults.
func NewSkips(file string, kind error, maxFaults int) *Skips {
	return &Skips{file: file, kind: kind, maxFaults: maxFaults, alike: make(map[string]int)}
}

const (
	// One of maxSkipped rows may be skipped. Notes show at most maxExamples of them.
	maxSkipped  = 100
	maxExamples = 3
)

// Skip counts a row that cannot be read, with what is wrong; form is the same for faults that are alike. It
// reports whether there is no sense in the rest of the file, which has more such rows than others.
func (s *Skips) Skip(line int, form, what string) bool {
	s.Skipped++
	if s.alike[form]++; s.alike[form] <= maxExamples && len(s.Examples) < max(maxExamples, s.maxFaults) {
		s.Examples = append(s.Examples, &Fault{s.file, line, what, s.kind})
	}
	const many = 1000
	return s.Skipped >= many && 2*s.Skipped > s.Rows
}

// Note returns a sentence about the skipped rows, empty if there are none.
func (s *Skips) Note() string {
	if s.Skipped == 0 {
		return ""
	}
	var examples []string
	for _, one := range s.Examples[:min(len(s.Examples), maxExamples)] {
		examples = append(examples, one.Error())
	}
	return fmt.Sprintf("%d of %d rows skipped: %s", s.Skipped, s.Rows, strings.Join(examples, "; "))
}

// Err joins other faults and, if too many rows are skipped, those of the first ones, by their lines.
func (s *Skips) Err(others ...*Fault) error {
	all := slices.Clone(others)
	if maxSkipped*s.Skipped > s.Rows {
		shown := s.Examples[:min(len(s.Examples), s.maxFaults)]
		for i, one := range shown {
			fault := *one
			if i == len(shown)-1 && s.Skipped > int64(len(shown)) {
				fault.What += fmt.Sprintf("; %d of %d rows cannot be read, expected at most 1%%", s.Skipped, s.Rows)
			}
			all = append(all, &fault)
		}
		slices.SortStableFunc(all, func(a, b *Fault) int { return cmp.Compare(a.Line, b.Line) })
	}
	var list []error
	for _, one := range all {
		list = append(list, one)
	}
	return errors.Join(list...)
}

// Notes returns sentences about what the reader assumed and left out.
func (r *Reader) Notes() (notes []string) {
	add := func(n int64, format string, args ...any) {
		if n > 0 {
			notes = append(notes, fmt.Sprintf(format, args...))
		}
	}
	if note := r.Note(); note != "" {
		notes = append(notes, note)
	}
	add(r.Blank, "%d blank rows left out", r.Blank)
	add(r.Comments, "%d comments left out", r.Comments)
	add(r.Recoded, "%d rows are not UTF-8: read as Windows-1252", r.Recoded)
	var unzoned int64
	for i := range r.times {
		unzoned += r.times[i].Unzoned
	}
	add(unzoned, "times have no zone: read as UTC")
	return notes
}

// isBlank reports whether the row is blank, and counts blank rows.
func (r *Reader) isBlank() bool {
	if strings.TrimSpace(r.rows.text) != "" || slices.Contains(r.rows.quoted, true) {
		return false
	}
	r.Blank++
	return true
}

// isComment reports whether the row is a comment, and counts it: in a file that begins with comments, or
// if it has another number of fields.
func (r *Reader) isComment() bool {
	if !strings.HasPrefix(r.raw[0], "#") || r.rows.quoted[0] || !r.commented && len(r.raw) == r.width {
		return false
	}
	r.Comments++
	return true
}

// decode converts fields that are not UTF-8, and reports whether all fields are UTF-8 then.
func (r *Reader) decode() bool {
	inside := func(field string) bool { return field != "" && !utf8.RuneStart(field[0]) }
	if utf8.ValidString(r.rows.text) && !slices.ContainsFunc(r.raw, inside) {
		return !r.wide || !strings.ContainsRune(r.rows.text, utf8.RuneError)
	}
	recoded := false
	for i, field := range r.raw {
		if utf8.ValidString(field) {
			continue
		}
		text, err := charmap.Windows1252.NewDecoder().String(field)
		if r.wide || !r.options.Dirty || err != nil || strings.ContainsRune(text, utf8.RuneError) {
			return false
		}
		r.raw[i], recoded = text, true
	}
	if recoded {
		r.Recoded++
	}
	return true
}

// rename gives columns of the first row the names that the caller looks for. Another column of such a name
// loses it.
func (r *Reader) rename() {
	for _, name := range slices.Sorted(maps.Keys(r.options.Names)) {
		header := r.options.Names[name]
		at := slices.Index(r.raw, header)
		if at < 0 {
			r.Fault("column %s: %s", nearest.Quote(name), nearest.Unknown("column", header, r.raw))
			continue
		}
		for i := range r.raw {
			if r.raw[i] == name {
				r.raw[i] = ""
			}
		}
		r.raw[at] = name
	}
}

// TimeColumns returns where the row names a column of times, or two for the date and the clock: "Date Time".
// If there are no such columns, it records a fault.
func (r *Reader) TimeColumns(name string) (at []int, found bool) {
	for i := range name {
		if name[i] != ' ' || slices.Contains(r.fields, name) {
			continue
		}
		date, clock := slices.Index(r.fields, name[:i]), slices.Index(r.fields, name[i+1:])
		if date >= 0 && clock >= 0 {
			return []int{date, clock}, true
		}
	}
	one, found := r.Column(name)
	return []int{one}, found
}

// maxAhead limits the rows that are read before their turn, in bytes.
const maxAhead = 64 << 20

// timeColumn is a column of times, or two for the date and the clock.
type timeColumn struct {
	clock.TimeColumn
	at []int
}

// text returns the time of a row as text.
func (c *timeColumn) text(fields []string) string {
	if len(c.at) == 1 {
		return fields[c.at[0]]
	}
	return fields[c.at[0]] + " " + fields[c.at[1]]
}

// readAhead reads the next row before its turn.
func (r *Reader) readAhead() bool {
	if !r.read() {
		return false
	}
	r.ahead = append(r.ahead, heldRow{slices.Clone(r.raw), r.line})
	return true
}

// Unread has the next row be this one again: the first of a file without names of columns.
func (r *Reader) Unread() {
	r.ahead = append(r.ahead, heldRow{slices.Clone(r.raw), r.line})
}

// FindTimes finds how the times in columns are written, in a format by its name or by the values. It reads
// rows before their turn until these decide. What is wrong is a fault.
func (r *Reader) FindTimes(format string, columns ...[]int) bool {
	for _, at := range columns {
		times, err := clock.NewTimeColumn(format)
		if err != nil {
			r.Fault("%s", err)
			return false
		}
		r.times = append(r.times, timeColumn{times, at})
	}
	for next, bytes, known := 0, 0, false; !known && bytes < maxAhead; next++ {
		if next == len(r.ahead) && !r.readAhead() {
			break
		}
		known = true
		for i := range r.times {
			known = r.times[i].Learn(r.times[i].text(r.ahead[next].raw)) && known
		}
		for _, field := range r.ahead[next].raw {
			bytes += len(field) + 16
		}
	}
	if len(r.ahead) > 0 {
		r.line = r.ahead[0].line
	}
	sound := true
	for i := range r.times {
		if err := r.times[i].FindNotation(); err != nil {
			r.Fault("%s", err)
			sound = false
		}
	}
	return sound
}

// TimeOf returns the time of the row in a column of FindTimes, in nanoseconds since 1970 or from where the
// file counts. The row is skipped if it has none.
func (r *Reader) TimeOf(column int) (at clock.Instant, found bool) {
	c := &r.times[column]
	at, err := c.Parse(c.text(r.fields))
	switch {
	case err == nil:
		return at, true
	case errors.Is(err, clock.ErrContradiction):
		r.Fault("%s", err)
	default:
		// The text of an error is another one for each value.
		r.Skip(unreadTime, err)
	}
	return 0, false
}

const unreadTime = "%s"

// TimeText returns the text of TimeOf.
func (r *Reader) TimeText(column int) string { return r.times[column].text(r.fields) }

// Notation returns how the times of a column of FindTimes are written.
func (r *Reader) Notation(column int) clock.Notation { return r.times[column].Notation() }
