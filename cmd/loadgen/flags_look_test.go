package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
)

// A locale that shows nothing but ASCII is given nothing else; where none is set, all is
// shown.
func TestLocalesThatShowMoreThanASCII(t *testing.T) {
	for _, row := range []struct {
		sentence    string
		environment map[string]string
		want        bool
	}{
		{"nothing is set", nil, true},
		{"the C locale", map[string]string{"LANG": "C"}, false},
		{"the POSIX locale", map[string]string{"LANG": "POSIX"}, false},
		{"Latin 1", map[string]string{"LANG": "de_DE.ISO-8859-1"}, false},
		{"UTF-8", map[string]string{"LANG": "de_DE.UTF-8"}, true},
		{"UTF-8 as the C library writes it", map[string]string{"LANG": "C.utf8"}, true},
		{"what counts for characters comes before LANG", map[string]string{"LC_CTYPE": "en_US.UTF-8", "LANG": "C"}, true},
		{"and what counts for all before that", map[string]string{"LC_ALL": "C", "LC_CTYPE": "en_US.UTF-8"}, false},
	} {
		for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
			t.Setenv(name, row.environment[name])
		}
		assert.Equalf(t, row.want, !new(formFlags).look(new(bytes.Buffer)).ASCII, "%s: more than ASCII is shown", row.sentence)
	}
}
