package gate

import (
	"unicode/utf8"

	"loadgen/report/export"
)

// cut returns a text of so many bytes at most, and says where it was cut off.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most -= len(cutOff); most > 0 && !utf8.RuneStart(text[most]); {
		most--
	}
	return text[:max(most, 0)] + cutOff
}

const cutOff = " …"

// sentence returns the reason of a result, and what was compared with.
func (r *Result) sentence() string {
	if r.Against == "" {
		return export.Plain(r.Reason)
	}
	return export.Plain(r.Reason) + ", against " + export.Plain(r.Against)
}

// kind says how the runs of a result were made.
func (r *Result) kind() string {
	if r.Virtual {
		return "virtual"
	}
	return "live"
}

// lines returns what stands below a result, each without an end of line.
func (r *Result) lines() []string {
	var lines []string
	if r.Difference != nil {
		lines = append(lines, r.Difference.Lines(mostLines, "phases")...)
	}
	if r.Judgement != nil {
		for i := range r.Judgement.Findings {
			lines = append(lines, r.Judgement.Findings[i].Sentence())
		}
	}
	lines = append(lines, r.Notes...)
	for i := range lines {
		lines[i] = export.Plain(lines[i])
	}
	return lines
}

// mostLines is how many values that differ are listed for people.
const mostLines = 40
