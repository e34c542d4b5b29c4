package results

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Refusal is one way in which attempts were refused. An answer that never came has the
// status 0, and so have those of [OtherRefusals] together.
type Refusal struct {
	Status   int    `json:"status"`
	Code     string `json:"code"`
	Attempts int64  `json:"attempts"`
}

// OtherRefusals is the code of the refused attempts of a second that were answered in
// none of the ways told apart.
const OtherRefusals = "other"

const (
	// mostRefusals is how many ways a second tells, mostHeard how many are kept until it
	// is over: what comes later than those counts among the others.
	mostRefusals = 8
	mostHeard    = 32
	// longestCode is how much is kept of a code, in bytes: the service's are shorter, and
	// another's can be anything.
	longestCode = 64
)

// refusals are the ways in which attempts of a second were refused, in the order in which
// they were met.
type refusals []Refusal

// add counts a refused attempt. There are few ways, and mostly one.
func (r *refusals) add(status int, code string) {
	if len(code) > longestCode {
		cut := longestCode
		for cut > 0 && !utf8.RuneStart(code[cut]) {
			cut--
		}
		code = code[:cut]
	}
	for i := range *r {
		if one := &(*r)[i]; one.Status == status && one.Code == code {
			one.Attempts++
			return
		}
	}
	if len(*r) > mostHeard {
		(*r)[mostHeard].Attempts++
		return
	}
	if len(*r) == mostHeard {
		status, code = 0, OtherRefusals
	}
	*r = append(*r, Refusal{status, strings.Clone(code), 1})
}

// most returns what a second tells of them, nil where there were none. The slice is the
// caller's.
func (r refusals) most() []Refusal {
	if len(r) == 0 {
		return nil
	}
	told, other := slices.Clone(r), Refusal{Code: OtherRefusals}
	if len(told) > mostHeard {
		other.Attempts, told = told[mostHeard].Attempts, told[:mostHeard]
	}
	slices.SortFunc(told, func(a, b Refusal) int {
		return cmp.Or(cmp.Compare(b.Attempts, a.Attempts), cmp.Compare(a.Status, b.Status), cmp.Compare(a.Code, b.Code))
	})
	for _, one := range told[min(len(told), mostRefusals):] {
		other.Attempts += one.Attempts
	}
	told = told[:min(len(told), mostRefusals)]
	if other.Attempts > 0 {
		told = append(told, other)
	}
	return told
}
