package doctor

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// pageWidth is how long the lines of a page may be, as long as a word does not
// make one longer.
const pageWidth = 120

// JSON returns a diagnosis for scripts, which may rely on its keys.
func (d *Diagnosis) JSON() string {
	text, _ := json.MarshalIndent(d, "", "  ") // texts and counts are always fit for it
	return string(text) + "\n"
}

// Text returns a diagnosis as a page: a line for each check, its note below, and the
// sentence last.
func (d *Diagnosis) Text() string {
	name := 0
	for _, one := range d.Checks {
		name = max(name, utf8.RuneCountInString(one.Name))
	}
	verdict := len(CannotTell)
	indent := strings.Repeat(" ", verdict+2+name+2)
	var page strings.Builder
	for _, one := range d.Checks {
		head := padded(one.told(), verdict) + "  " + padded(one.Name, name) + "  "
		page.WriteString(wrapped(head, indent, one.line()))
		if one.Note != "" && one.line() != one.Note {
			page.WriteString(wrapped(indent, indent, one.Note))
		}
	}
	return page.String() + "\n" + wrapped("", "", "doctor: "+d.Verdict)
}

// told returns the verdict as a page shows it: a failure is to be seen.
func (f Finding) told() string {
	if f.Verdict == Fail {
		return strings.ToUpper(f.Verdict)
	}
	return f.Verdict
}

// line returns what was measured and what was wanted, or else the note.
func (f Finding) line() string {
	switch {
	case f.Measured == "":
		return f.Note
	case f.Bound == "":
		return f.Measured
	default:
		return f.Measured + "; wanted " + f.Bound
	}
}

// padded returns a text with blanks up to a width.
func padded(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(text)))
}

// wrapped returns a text in lines, of which the first begins with a head and the
// others with an indent.
func wrapped(head, indent, text string) string {
	var lines strings.Builder
	line, empty := head, true
	for _, word := range strings.Fields(text) {
		if !empty && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > pageWidth {
			lines.WriteString(line + "\n")
			line, empty = indent, true
		}
		if !empty {
			line += " "
		}
		line, empty = line+word, false
	}
	return lines.String() + strings.TrimRight(line, " ") + "\n"
}

// brief returns a duration of 0 or more to three figures or so, in the unit that
// suits it.
func brief(d time.Duration) string {
	switch {
	case d >= time.Minute:
		return d.Round(time.Second).String()
	case d >= time.Second && d%time.Second == 0:
		return strconv.FormatInt(int64(d/time.Second), 10) + " s"
	case d >= time.Second:
		return strconv.FormatFloat(d.Seconds(), 'f', 2, 64) + " s"
	case d >= 10*time.Millisecond:
		return strconv.FormatInt(int64(d.Round(time.Millisecond)/time.Millisecond), 10) + " ms"
	case d >= 100*time.Microsecond:
		return strconv.FormatFloat(float64(d)/float64(time.Millisecond), 'f', 2, 64) + " ms"
	case d >= time.Microsecond:
		return strconv.FormatInt(int64(d.Round(time.Microsecond)/time.Microsecond), 10) + " µs"
	default:
		return strconv.FormatInt(d.Nanoseconds(), 10) + " ns"
	}
}

// joined returns sentences as one.
func joined(sentences []string) string { return strings.Join(sentences, "; ") }
